"""What a part of a broker stands on, in a test's hand."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from spindle.model.config import node_config
from spindle.model.image import ClusterImage
from spindle.model.outbox import Outbox
from spindle.node.broker_context import BrokerContext
from spindle.node.metadata import Metadata
from spindle.node.peers import Peers

CLUSTER = "AV9P4iMkRQymBdGIGwlqQA"


def context(
    settings: dict[str, str] | None = None,
    *,
    node_id: int = 1,
    image: ClusterImage | None = None,
    out: Outbox | None = None,
    controller: Any = None,
    ask: Callable[..., None] | None = None,
) -> BrokerContext:
    """A broker's context. `controller`, or at least its `ask`, is the test's."""
    config = node_config(
        {
            "node.id": str(node_id),
            "process.roles": "broker",
            "listeners": f"PLAINTEXT://127.0.0.1:{9000 + node_id}",
            "controller.quorum.voters": "100@127.0.0.1:9999",
            "log.dirs": "/d1",
            **(settings or {}),
        }
    )
    metadata = Metadata()
    if image is not None:
        metadata.image = image
    out = out or Outbox(random.Random(node_id))
    peers = Peers(out, f"broker-{node_id}")
    channel: Any = controller or SimpleNamespace(ask=ask)
    return BrokerContext(config, CLUSTER, out, metadata, peers, channel)
