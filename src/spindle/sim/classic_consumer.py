"""A consumer of the classic protocol whose group may have members of KIP-848, and become one of it.

It says what consumers say to each other, for its coordinator may come to assign, and gives all up
before it joins again. Its group has generations or epochs, so what it owns is judged by time, as
with members of KIP-848. Part of the workload.
"""

from __future__ import annotations

from typing import ClassVar, Final

from spindle.core.groups.consumer_protocol import (
    ConsumerSubscription,
    read_assignment,
    write_assignment,
    write_subscription,
)
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.sim.worker import REBALANCE, Worker
from spindle.wire.codec import ErrorCode

LEASE: Final = REBALANCE
"""S for which one that was heard surely keeps what it has: a rebalance lasts as long as that."""


class ClassicConsumer(Worker):
    """One consumer, and its producer."""

    PROTOCOL: ClassVar = "range"

    _owned: tuple[PartitionId, ...] = ()
    _seen: tuple[PartitionId, ...] = ()
    """The partitions that there were when it joined."""

    @property
    def waits_for(self) -> str:
        """What it has still to do before it has finished."""
        if self.history.groups.is_at_rest(self._group, self.targets()):
            return super().waits_for
        return f"{self._group} to rest, with each partition owned"

    def _may_end(self) -> bool:
        return self.draining and self.history.groups.is_at_rest(self._group, self.targets())

    # --- membership -------------------------------------------------------------------------

    def _out(self, error: ErrorCode) -> None:
        self.history.groups.on_given_up(self._who, self._owned)
        self._owned = ()
        self.history.count(f"classic consumers: {Error(error).name}")
        super()._out(error)

    def _on_asked(self) -> None:
        self.history.groups.on_place_asked(self._who, self.name, is_classic=True)

    def _on_answered(self) -> None:
        self.history.groups.on_place_answered(self._who, self.name, self.out.now, is_classic=True)

    def _says(self) -> bytes:
        self._seen = tuple(self.targets())
        return write_subscription(ConsumerSubscription(tuple(sorted(self.by_name(self._seen))), {}))

    def _written(self, share: list[PartitionId]) -> bytes:
        return write_assignment({t: tuple(ids) for t, ids in self.by_name(share).items()}, 3)

    def _read_ids(self, data: bytes) -> list[PartitionId]:
        ids = {self.history.names[id.topic_id]: id.topic_id for id in self.targets()}
        return [
            PartitionId(ids[name], number)
            for name, numbers in (read_assignment(data).partitions if data else {}).items()
            for number in numbers
            if name in ids
        ]

    def _on_joined(self, asked_at: float, instances: list[str | None]) -> None:
        names = [name for name in instances if name is not None]
        assert len(set(names)) == len(names), f"two members for one instance: {names}"

    def _on_owned(self, owned: list[PartitionId], began_at: float, trusted: bool) -> None:
        self._owned = tuple(owned)
        self._hold(began_at, trusted)

    def _on_alive(self, began_at: float, trusted: bool) -> None:
        self._hold(began_at, trusted)
        if tuple(self.targets()) != self._seen:
            self._out(Error.REBALANCE_IN_PROGRESS)  # It subscribes to what there is now.

    def _hold(self, began_at: float, trusted: bool) -> None:
        sure_at = began_at if trusted else None
        self.history.groups.on_held(
            self._who, self.name, self._owned, sure_at, self.out.now, lease=LEASE, is_classic=True
        )
