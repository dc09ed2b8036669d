"""Replication throttles of a broker (KIP-73, S-07), bound to its settings and its clock.

`core.replica.quota` measures; here stands which rate counts. One is asked by the readers before a
follower gets records, the other by the fetchers before they ask a leader.
"""

from __future__ import annotations

from collections.abc import Iterable

from spindle.core.replica.quota import Quota
from spindle.node.broker_context import BrokerContext
from spindle.node.replicas.hosted import HostedPartition


class ReplicationThrottle:
    """One of the two: `side` is "leader" (what is sent) or "follower" (what is fetched)."""

    def __init__(self, context: BrokerContext, side: str) -> None:
        settings = context.settings
        self._context = context
        self._limit = f"{side}.replication.throttled.rate"
        self._quota = Quota(
            settings.whole("replication.quota.window.num"),
            float(settings.whole("replication.quota.window.size.seconds")),
        )

    @property
    def is_exceeded(self) -> bool:
        """Whether throttled replicas that are not in sync have to wait."""
        limit = self._context.settings.whole(self._limit)
        return self._quota.is_exceeded(limit, self._context.out.now)

    def record(self, size: int) -> None:
        """So many bytes of throttled replicas are sent, or have come."""
        self._quota.record(size, self._context.out.now)

    def record_sent(self, sent: Iterable[tuple[HostedPartition, int]]) -> None:
        """What leaves for throttled replicas counts, those in sync included; sizes in bytes."""
        size = sum(
            size
            for hosted, size in sent
            if size and hosted.name.partition in hosted.topic.throttled_as_leader
        )
        if size:
            self.record(size)
