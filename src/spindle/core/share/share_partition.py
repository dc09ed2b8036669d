"""A partition as one share group sees it: which records are with whom (KIP-932).

Kafka's SharePartition, as the leader of the partition runs it. Records from the start offset on
stand in runs of neighbours in the same state: a batch as it was acquired, cut where its records
fare differently. What members do, and time that runs out, changes states; a change that must be
kept is a `DeliveryChange`, which counts once it is written and is taken back where that fails.
Pure: time is an argument (s), records are offsets. Driven by `node.share.shared_partition`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from spindle.core.share.record_runs import DeliveryChange, Run, RunList
from spindle.core.share.share_values import AcknowledgeType, DeliveryState, StateBatch
from spindle.model.errors import Error, Refusal

_AVAILABLE, _ACQUIRED = DeliveryState.AVAILABLE, DeliveryState.ACQUIRED
_ARCHIVED = DeliveryState.ARCHIVED


class ShareLimits(NamedTuple):
    """Settings that a share partition obeys (deliveries, records, s)."""

    deliveries: int = 5
    locks: int = 2000
    """Records that may be with members, or come back, at a time."""
    lock_seconds: float = 30.0


class Acknowledgement(NamedTuple):
    """What a member says of records: one type for all of them, or one for each."""

    first: int
    last: int
    types: Sequence[int]


class Acquisition(NamedTuple):
    """What a member wants. `strict`: no more than `records`, else whole batches (KIP-1206)."""

    member: str
    records: int
    batch_size: int
    strict: bool = False


class SharePartition(RunList):
    """The records from `start` on, up to `end`, behind which none was handed out yet."""

    def __init__(self, limits: ShareLimits, start: int, batches: Iterable[StateBatch] = ()) -> None:
        """`batches`: what was kept. Records of which nothing is kept are free."""
        super().__init__(start)
        self.limits = limits
        self.start = start
        self.timed_out = 0
        """Records whose locks have ended."""
        for batch in batches:
            first = max(batch.first, self.end)
            if batch.last < first:
                continue
            if first > self.end:
                self._push(Run(self.end, first - 1, _AVAILABLE, 0))
            state = DeliveryState(batch.state)
            self._push(Run(first, batch.last, state, batch.deliveries))
        self._advance()

    # --- asking ---------------------------------------------------------------------------------

    @property
    def next(self) -> int:
        """The first record that can be acquired, or could be if there were one."""
        return next((run.first for run in self._runs if run.is_free), self.end)

    @property
    def in_flight(self) -> int:
        """Records that are with members or come back."""
        return sum(run.size for run in self._runs if not run.state.is_final and run.count)

    @property
    def can_acquire(self) -> bool:
        """Whether records can be handed out: some come back, or there is room for more."""
        return self.next != self.end or self.in_flight < self.limits.locks

    @property
    def complete(self) -> int:
        """Records from the start on that are never delivered again."""
        return sum(run.size for run in self._runs if run.state.is_final)

    @property
    def deadline(self) -> float | None:
        """When the next lock ends (s)."""
        return min((run.until for run in self._runs if run.is_locked), default=None)

    def holds(self, member: str) -> bool:
        """Whether a member has records."""
        return any(run.member == member for run in self._runs)

    def states(self) -> Iterator[StateBatch]:
        """What stands where, for tests and figures."""
        return (StateBatch(r.first, r.last, r.state, r.count) for r in self._runs)

    # --- acquiring ------------------------------------------------------------------------------

    def acquire(
        self,
        ask: Acquisition,
        batches: Sequence[tuple[int, int]],
        now: float,
        aborted: Iterable[int] = (),
        offset: int | None = None,
    ) -> list[StateBatch]:
        """Hand out what is free of the log's batches (first, last), as read from `offset` on.

        That is where `next` was then (None: where it is now): what came back since stays free.
        `aborted`: the first offsets of batches that are not to be delivered. Records between the
        batches are not in the log. What was handed out, with the times it has been by now.
        """
        skipped = frozenset(aborted)
        made: list[Run] = []
        taken = 0
        most = self.end + self.limits.locks - self.in_flight - 1
        at = self.next if offset is None else max(offset, self.start)
        for base, last in batches:
            if taken >= ask.records:
                break
            first = max(base, at)
            if last < first:
                continue
            if first > at:
                self._give_up(at, first - 1)
            at = last + 1
            if base in skipped:
                self._give_up(first, last)
                continue
            upto = last
            if ask.strict or self.end > most:
                upto = min(upto, max(most, self.end - 1))
            if ask.strict:
                upto = min(upto, self._strictly(first, upto, ask.records - taken))
            taken += self._take(ask, first, upto, now, made)
            if upto < last:
                break
        self._advance()
        return [StateBatch(r.first, r.last, r.state, r.count) for r in made]

    def take_back(self, handed: Sequence[StateBatch]) -> None:
        """What `acquire` has just handed out does not leave: all is as if it had not been asked."""
        for batch in handed:
            for run in self._within(batch.first, batch.last):
                run.state, run.member = _AVAILABLE, ""
                run.count -= 1
        while self._runs and self._runs[-1].is_free and not self._runs[-1].count:
            self.end = self._runs.pop().first
        self._advance()

    def _strictly(self, first: int, last: int, records: int) -> int:
        """The last record of a batch up to which no more than so many are free."""
        for run in self._within(first, last):
            free = run.is_free
            begin, end = max(run.first, first), min(run.last, last)
            if free and end - begin + 1 >= records:
                return begin + records - 1
            records -= end - begin + 1 if free else 0
        return max(self.end, first) + records - 1

    def _take(self, ask: Acquisition, first: int, last: int, now: float, made: list[Run]) -> int:
        taken = 0
        until = now + self.limits.lock_seconds
        if last >= self.end:
            begin = max(first, self.end)
            self._push(Run(begin, last, _AVAILABLE, 0))
        for run in self._cut(first, last):
            if not run.is_free:
                continue
            run.state, run.member, run.until = _ACQUIRED, ask.member, until
            run.count += 1
            taken += run.size
            before = made[-1] if made else None
            if (
                before is not None
                and before.last + 1 == run.first
                and before.count == run.count
                and before.size < ask.batch_size
            ):
                before.last = run.last
                self._runs.remove(run)
            else:
                made.append(run)
        return taken

    def _give_up(self, first: int, last: int) -> None:
        """Records that are not there, or were aborted, are never delivered."""
        if last >= self.end:
            self._push(Run(max(first, self.end), last, _AVAILABLE, 0))
        for run in self._cut(first, last):
            if run.is_free:
                run.state = _ARCHIVED

    # --- acknowledging --------------------------------------------------------------------------

    def acknowledge(
        self, member: str, said: Sequence[Acknowledgement], now: float
    ) -> DeliveryChange | None:
        """A member says what has become of records; None where nothing is to be kept.

        All of it counts, or none: Refusal INVALID_RECORD_STATE or INVALID_REQUEST.
        """
        for batch in said:
            self._check(member, batch)
        changed: list[Run] = []
        for batch in said:
            for first, last, type_ in _parts(batch):
                if last >= self.start:
                    self._judge(max(first, self.start), last, type_, now, changed)
        return self._change(changed)

    def _check(self, member: str, batch: Acknowledgement) -> None:
        if batch.last < self.start:
            return  # The start has moved past them: they are over anyway.
        first = max(batch.first, self.start)
        if first >= self.end:
            raise Refusal(
                Error.INVALID_REQUEST,
                "Batch record not found. The first offset in request is past acquired records.",
            )
        if batch.last >= self.end:
            raise Refusal(
                Error.INVALID_REQUEST,
                "Batch record not found. The last offset in request is past acquired records.",
            )
        for run in self._within(first, batch.last):
            if not run.is_locked:
                raise Refusal(
                    Error.INVALID_RECORD_STATE,
                    "The batch cannot be acknowledged. The batch is not in the acquired state.",
                )
            if run.member != member:
                raise Refusal(Error.INVALID_RECORD_STATE, "Member is not the owner of batch record")

    def _judge(
        self, first: int, last: int, type_: AcknowledgeType, now: float, changed: list[Run]
    ) -> None:
        for run in self._cut(first, last):
            if type_ is AcknowledgeType.RENEW:
                run.until = now + self.limits.lock_seconds
                continue
            run.before = (run.state, run.member)
            if type_ is AcknowledgeType.RELEASE:
                run.state = self._released(run)
            elif type_ is AcknowledgeType.ACCEPT:
                run.state = DeliveryState.ACKNOWLEDGED
            else:
                run.state = _ARCHIVED
            run.member = ""
            changed.append(run)

    def release(self, member: str) -> DeliveryChange | None:
        """A member has gone: what it has comes back."""
        gone = [run for run in self._runs if run.is_locked and run.member == member]
        for run in gone:
            run.before = (run.state, run.member)
            run.state, run.member = self._released(run), ""
        return self._change(gone)

    def on_time(self, now: float) -> DeliveryChange | None:
        """Locks that have ended by now: the records are free at once, whatever can be written."""
        late = [run for run in self._runs if run.is_locked and run.until <= now]
        self.timed_out += sum(run.size for run in late)
        for run in late:
            run.state, run.member = self._released(run), ""
        change = self._change(late)
        if change is not None:
            for run in change.runs:
                run.change = None
            change.runs = []
        self._advance()
        return change

    def on_written(self, change: DeliveryChange, error: Error) -> None:
        """A change is kept, or could not be: then all is as before."""
        for run in change.runs:
            run.change = None
            if error:
                run.state, run.member = run.before
        self._advance()

    def on_log_start(self, offset: int) -> None:
        """The log begins here now: records before it are no more."""
        if offset <= self.start:
            return
        if offset >= self.end:
            self._runs.clear()
            self.start = self.end = offset
            return
        self._split(offset)
        del self._runs[: self._index(offset)]
        self.start = offset
        self._advance()

    # --- runs -----------------------------------------------------------------------------------

    def _released(self, run: Run) -> DeliveryState:
        return _ARCHIVED if run.count >= self.limits.deliveries else _AVAILABLE

    def _change(self, runs: list[Run]) -> DeliveryChange | None:
        if not runs:
            return None
        change = DeliveryChange(runs)
        change.start, change.complete = self.start, self.complete
        for run in sorted(runs, key=lambda r: r.first):
            run.change = change
            batch = StateBatch(run.first, run.last, run.state, run.count)
            before = change.batches[-1] if change.batches else None
            if before and before.last + 1 == batch.first and before[2:] == batch[2:]:
                change.batches[-1] = before._replace(last=batch.last)
            else:
                change.batches.append(batch)
        return change

    def _advance(self) -> None:
        """The start moves past what is over."""
        over = 0
        while over < len(self._runs) and self._runs[over].is_over:
            over += 1
        del self._runs[:over]
        self.start = self._runs[0].first if self._runs else self.end


def _parts(batch: Acknowledgement) -> Iterator[tuple[int, int, AcknowledgeType]]:
    """Neighbours of which the same was said."""
    if len(batch.types) == 1:
        yield batch.first, batch.last, AcknowledgeType(batch.types[0])
        return
    first = batch.first
    for at, type_ in enumerate(batch.types):
        after = batch.first + at + 1
        if at + 1 == len(batch.types) or batch.types[at + 1] != type_:
            yield first, after - 1, AcknowledgeType(type_)
            first = after


def check_acknowledgements(said: Sequence[Acknowledgement]) -> None:
    """What is wrong with them by themselves. Refusal INVALID_REQUEST, as Apache Kafka words it."""
    before = -1
    for batch in said:
        if batch.first > batch.last:
            raise _wrong("Invalid acknowledge batches")
        if batch.first <= before:
            raise _wrong("Overlapping/Unsorted acknowledge batches")
        if not batch.types:
            raise _wrong("Acknowledge types are missing")
        if len(batch.types) not in (1, batch.last - batch.first + 1):
            raise _wrong("Invalid acknowledge types count")
        if not all(0 <= type_ <= AcknowledgeType.RENEW for type_ in batch.types):
            raise _wrong("Invalid acknowledge type")
        before = batch.last


def _wrong(message: str) -> Refusal:
    return Refusal(Error.INVALID_REQUEST, message)
