"""What a client may do with a resource, where its request asks for that (KIP-430)."""

from __future__ import annotations

from collections.abc import Callable

from spindle.model.acl import NOT_ASKED
from spindle.node.authorization.permits import Permits


def cluster_if_asked(permits: Permits, asked: bool) -> int:
    """The bits of the cluster, where the request asks for them."""
    return permits.cluster_bits() if asked else NOT_ASKED


def topics_if_asked(permits: Permits, asked: bool) -> Callable[[str | None], int]:
    """What gives the bits of a topic, where the request asks for them."""
    return permits.topic_bits if asked else lambda name: NOT_ASKED
