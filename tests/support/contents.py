"""What a log of a course of moves has in it, and what must be found of it after any stop.

A plain log has values alone. Transactions bring producers, markers and an index of what was
aborted. A log like that of `__consumer_offsets` has keys that are written again, ends of keys,
offsets that came in a transaction, and is compacted between two moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from spindle.model.batches import TRANSACTIONAL, EndTransactionMarker, Record, RecordBatch
from spindle.model.cleaning_jobs import AdoptCleaned, CleanBytes, CleanRules, CleanWork, PlanClean
from spindle.model.log_values import AbortedTransaction
from spindle.storage import aborted_transactions
from spindle.storage.unified_log import UnifiedLog
from spindle.wire.batch import build, records, split
from spindle.wire.control import end_transaction
from tests.support.logdirs_world import World, key, pid

PRODUCER = 7
RULES = CleanRules(0.0, 0, 1 << 60, 0, 1 << 30)
"""All that is sealed is cleaned, and ends of keys go at the next cleaning."""


class Given(NamedTuple):
    """What was given to the log at an offset."""

    key: bytes | None
    value: bytes | None
    producer: int
    marker: bool = False


@dataclass
class Span:
    """A transaction: its first offset and its marker's."""

    first: int
    last: int
    committed: bool


class Plain:
    """One value after the other."""

    configs: ClassVar[dict[str, str]] = {}

    def __init__(self, world: World) -> None:
        self.world = world
        self.given: list[Given] = []
        """By offset."""

    def write(self) -> None:
        """Give the log some more."""
        self._give(b"k", b"%d" % len(self.given))

    def tidy(self) -> None:
        """What the broker does to such a log between two moves."""

    def compare(self, acknowledged: int) -> None:
        """All that was acknowledged is there, and perhaps more of what was given."""
        log = self._log()
        assert log.end >= acknowledged, "acknowledged records are missing"
        assert log.end <= len(self.given)
        del self.given[log.end :]
        found = self._found(log)
        assert {at: self.given[at] for at in found} == found
        assert found.keys() >= self.required(), "records are missing"

    def required(self) -> set[int]:
        """The offsets that must be there."""
        return set(range(len(self.given)))

    # --- shared -------------------------------------------------------------------------------

    def _give(self, key: bytes | None, value: bytes | None, **header: Any) -> None:
        batch = build([Record(0, int(self.world.now * 1000), key, value)], **header)
        self._append(batch, Given(key, value, batch.producer_id))

    def _append(
        self, batch: RecordBatch, given: Given, marker: EndTransactionMarker | None = None
    ) -> None:
        hosted = self.world.replicas.partitions.hosted[pid("t")]
        hosted.partition.assign(batch, marker)
        assert batch.base_offset == len(self.given)
        self.given.append(given)
        self.world.replicas.writes.append(hosted, [batch])

    def _log(self) -> UnifiedLog:
        hosted = self.world.replicas.partitions.hosted[pid("t")]
        return self.world.directories[hosted.directory].logs[hosted.key]

    def _found(self, log: UnifiedLog) -> dict[int, Given]:
        found: dict[int, Given] = {}
        at = log.start
        while at < log.end:
            batches = split(log.read(at, log.end, 1 << 30, True).data)
            for batch in batches:
                for one in records(batch):
                    assert one.offset not in found
                    plain = (None, None) if batch.is_control else (one.key, one.value)
                    found[one.offset] = Given(*plain, batch.producer_id, batch.is_control)
            at = batches[-1].next_offset
        return found


class Transactions(Plain):
    """Transactions of two records, every second of them aborted, among values without one."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.spans: list[Span] = []
        self._sequence = 0

    def write(self) -> None:
        """The next record of a transaction, or its marker, or a record of no transaction."""
        step = len(self.given) % 4
        value = b"%d" % len(self.given)
        if self._is_open:
            if step == 3:
                self._mark()
            else:
                self._write_transactional(b"k", value)
        elif step == 0:
            super().write()
        else:
            self._write_transactional(b"k", value)

    def compare(self, acknowledged: int) -> None:
        """Also what the log reports to readers of committed records."""
        super().compare(acknowledged)
        log = self._log()
        self.spans = [span for span in self.spans if span.first < log.end]
        for span in self.spans:
            if span.last >= log.end:
                span.last = -1  # Its marker was lost: it is open again.
        aborted = (segment.indexes.aborted for segment in log.segments)
        self._compare_index(log, aborted_transactions.between(aborted, 0, log.end))
        entries = log.producers.state.entries
        open_at = {entry.first_txn_offset for entry in entries if entry.first_txn_offset >= 0}
        assert open_at == ({self.spans[-1].first} if self._is_open else set())
        self._sequence = max((e.last_sequence + 1 for e in entries), default=0)

    def _compare_index(self, log: UnifiedLog, index: tuple[AbortedTransaction, ...]) -> None:
        wanted = [(PRODUCER, span.first, span.last) for span in self._aborted]
        assert [(a.producer_id, a.first, a.last) for a in index] == wanted

    @property
    def _aborted(self) -> list[Span]:
        return [span for span in self.spans if span.last >= 0 and not span.committed]

    @property
    def _is_open(self) -> bool:
        return bool(self.spans) and self.spans[-1].last < 0

    def _write_transactional(self, key: bytes, value: bytes | None) -> None:
        if not self._is_open:
            self.spans.append(Span(len(self.given), -1, len(self.spans) % 2 == 0))
        header = {"producer_id": PRODUCER, "producer_epoch": 0, "base_sequence": self._sequence}
        self._sequence += 1
        self._give(key, value, attributes=TRANSACTIONAL, **header)

    def _mark(self) -> None:
        span = self.spans[-1]
        span.last = len(self.given)
        marker = EndTransactionMarker(span.committed, 0)
        batch = end_transaction(PRODUCER, 0, marker, int(self.world.now * 1000))
        self._append(batch, Given(None, None, PRODUCER, True), marker)


class Offsets(Transactions):
    """Few keys, written again and ended, some within transactions; compacted between moves."""

    configs: ClassVar[dict[str, str]] = {"cleanup.policy": "compact"}

    def _give(self, key: bytes | None, value: bytes | None, **header: Any) -> None:
        at = len(self.given)
        super()._give(b"key-%d" % (at % 3), None if at % 11 == 0 else value, **header)

    def tidy(self) -> None:
        """One cleaning, on the directory's own thread."""
        log = self._log()
        path, where = log.path.rpartition("/")[0], key("t")
        directory = self.world.directories[path]
        now = int(self.world.now * 1000)
        plan = directory.run(PlanClean(path, where, RULES, log.end, now))
        if plan is None:
            return
        work = CleanWork(plan.dirty)
        while not work.done:
            (work,) = directory.run_group([CleanBytes(path, where, plan, work, 1 << 20)])
            if work.ready is not None:
                adopt = AdoptCleaned(path, where, plan, work.ready, work.mapped)
                assert directory.run(adopt) is not None

    def required(self) -> set[int]:
        """The last record of each key that counts, unless it ends the key."""
        last: dict[bytes | None, int] = {}
        for at, given in enumerate(self.given):
            if not given.marker and not self._is_aborted(at):
                last[given.key] = at
        return {at for at in last.values() if self.given[at].value is not None}

    def _compare_index(self, log: UnifiedLog, index: tuple[AbortedTransaction, ...]) -> None:
        """It tells of what is still there: a transaction begins with its first record that is."""
        there = [at for at, given in self._found(log).items() if given.producer == PRODUCER]
        hidden = {at for at in there if any(a.first <= at <= a.last for a in index)}
        markers = {span.last for span in self._aborted}
        assert hidden - markers == {at for at in there if self._is_aborted(at)} - markers

    def _is_aborted(self, at: int) -> bool:
        ours = self.given[at].producer == PRODUCER
        return ours and any(span.first <= at <= span.last for span in self._aborted)
