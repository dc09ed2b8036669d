"""What share groups have learned: acquisitions, acknowledgements, start offsets (spec C-04).

Finds for itself what contradicts a promise: a record that comes again after its acceptance or its
rejection was answered, a record that two members have at once while the lock of one holds, more
deliveries than the limit, a start offset that goes back. In the end every record must have been
delivered, or given up after that many deliveries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from spindle.model.ids import NodeId, PartitionId
from spindle.sim.violation import Violation

NEVER: Final = float("inf")
SharePlace = tuple[str, PartitionId]


class Moment(NamedTuple):
    """When something was asked and answered (s), and the partition's leader before and after."""

    began: float
    ended: float
    leaders: tuple[tuple[NodeId, int], tuple[NodeId, int]]

    @property
    def term(self) -> tuple[NodeId, int] | None:
        """The leader and its epoch, where it was the same all the time."""
        return self.leaders[0] if self.leaders[0] == self.leaders[1] else None

    @property
    def in_doubt(self) -> Moment:
        """The same, where what began then may have ended unheard."""
        return self._replace(leaders=((-1, -1), (-2, -2)))


class Delivery(NamedTuple):
    """A record was handed to a member."""

    member_id: str
    times: int
    at: Moment


@dataclass(slots=True)
class RecordFate:
    """What is known of one record."""

    deliveries: list[Delivery] = field(default_factory=list)
    settled_at: float = NEVER
    """When its acceptance or rejection was answered."""
    unsure: bool = False
    """An acknowledgement was not answered: it may be settled or not."""
    spent: bool = False
    """It was delivered as often as the limit allows."""

    @property
    def is_over(self) -> bool:
        """Whether it need not come again."""
        return self.settled_at < NEVER or self.unsure or self.spent


class ShareHistory:
    """All share groups of a simulation."""

    def __init__(self) -> None:
        self.limit = 5
        """Deliveries of a record."""
        self.leader_of: Callable[[PartitionId], tuple[NodeId, int]] = lambda id: (-1, -1)
        """The leader of a partition by the newest metadata, and its epoch."""
        self._fates: dict[SharePlace, dict[int, RecordFate]] = {}
        self._lost: dict[SharePlace, int] = {}
        self._starts: dict[SharePlace, list[tuple[float, int]]] = {}

    def fate(self, place: SharePlace, offset: int) -> RecordFate:
        """What is known of a record."""
        return self._fates.setdefault(place, {}).setdefault(offset, RecordFate())

    # --- deliveries -------------------------------------------------------------------------

    def on_acquired(self, place: SharePlace, offsets: Iterable[int], delivery: Delivery) -> None:
        """A member was given records."""
        for offset in offsets:
            fate = self.fate(place, offset)
            if fate.settled_at < delivery.at.began:
                raise Violation(
                    f"{place}: offset {offset} came to {delivery}, though it was settled at "
                    f"{fate.settled_at:.3f}"
                )
            if not 0 < delivery.times <= self.limit:
                raise Violation(f"{place}: offset {offset}: {delivery.times} deliveries")
            fate.deliveries.append(delivery)
            fate.spent = fate.spent or delivery.times == self.limit

    def on_lost(self, places: Iterable[SharePlace]) -> None:
        """An answer with records may have been lost: they may have been delivered once more."""
        for place in places:
            self._lost[place] = self._lost.get(place, 0) + 1

    def check_held(
        self, place: SharePlace, offset: int, mine: Delivery, seen: Moment, lock: float
    ) -> None:
        """A member's session goes on, by an answer; it has said nothing of this record.

        Until its lock can have ended no other member can have got the record from this leader.
        """
        if mine.at.term is None or mine.at.term != seen.term:
            return
        until = min(mine.at.began + lock, seen.began)
        for other in self.fate(place, offset).deliveries:
            apart = mine.at.ended < other.at.began and other.at.ended < until
            if other.member_id != mine.member_id and apart and other.at.term == mine.at.term:
                raise Violation(f"{place}: offset {offset} is with {mine} and with {other}")

    # --- what members say -------------------------------------------------------------------

    def on_settled(self, place: SharePlace, offsets: Iterable[int], at: Moment) -> None:
        """Records were accepted or rejected, and that was answered."""
        for offset in offsets:
            fate = self.fate(place, offset)
            fate.settled_at = min(fate.settled_at, at.ended)
            for delivery in fate.deliveries:
                if at.ended < delivery.at.began:
                    raise Violation(
                        f"{place}: offset {offset} has come to {delivery}, though it was settled "
                        f"at {at.ended:.3f}"
                    )

    def on_unsure(self, place: SharePlace, offsets: Iterable[int]) -> None:
        """What was said of records may count or not."""
        for offset in offsets:
            self.fate(place, offset).unsure = True

    def on_start(self, place: SharePlace, start: int, began: float, ended: float) -> None:
        """A coordinator said where a share partition begins."""
        known = self._starts.setdefault(place, [])
        before = max((offset for at, offset in known if at < began), default=-1)
        if start < before:
            raise Violation(f"{place}: its start went back from {before} to {start}")
        known.append((ended, start))

    # --- in the end -------------------------------------------------------------------------

    def missing(self, place: SharePlace, offsets: Iterable[int]) -> list[int]:
        """Those records that are neither settled nor given up, as far as is known."""
        fates, lost = self._fates.get(place, {}), self._lost.get(place, 0)
        if lost >= self.limit:
            return []  # Any record may have gone with those answers.
        return [
            offset
            for offset in offsets
            if (fate := fates.get(offset)) is None
            or not (fate.is_over or fate.deliveries[-1].times + lost >= self.limit)
        ]
