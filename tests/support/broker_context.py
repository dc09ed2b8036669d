"""What a part of a broker stands on, in a test's hand."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from spindle.model.image import ClusterImage
from spindle.model.outbox import Outbox
from spindle.node.broker_context import BrokerContext
from spindle.testing.bench import BrokerBench


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
    channel: Any = controller or SimpleNamespace(ask=ask, named=str)
    return BrokerBench(node_id, settings=settings).boot(channel, image, out)
