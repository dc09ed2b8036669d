"""What must be true of transactions and groups in the end, looked up in the bytes of the logs.

Every transaction is decided in every partition, and in all in the same way: as its
producer learned. Readers of committed records got all of them, in order, and no others. A group's
offset is the last one that was committed, in a reload as in the coordinator's memory; every record
below it was worked on: once, where that was done in transactions (spec C-01, C-02, C-08).

Looks from outside and changes nothing. Raises Violation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from spindle.core.groups.group_values import Committed, OffsetRecord
from spindle.core.replica.partition import PartitionLeader
from spindle.core.transactions.transaction_states import TransactionState
from spindle.model.batches import EndTransactionMarker, Record, RecordBatch
from spindle.model.ids import PartitionId, TopicPartition
from spindle.model.log_values import LogKey
from spindle.model.metadata_records import PartitionRegistration
from spindle.node.groups.group_records import from_bytes
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.sim.sim_cluster import SimCluster
from spindle.sim.told_history import History
from spindle.sim.transaction_history import OUTPUT, Attempt, Fate
from spindle.sim.violation import Violation
from spindle.wire.batch import records
from spindle.wire.control import decode_control

UNDECIDED = (
    TransactionState.ONGOING,
    TransactionState.PREPARE_COMMIT,
    TransactionState.PREPARE_ABORT,
)


@dataclass(slots=True)
class Decided:
    """A log's records, and for each transactional one whether it was committed."""

    plain: dict[int, Record] = field(default_factory=dict)
    committed: dict[int, Record] = field(default_factory=dict)
    aborted: dict[int, Record] = field(default_factory=dict)

    def counting(self) -> dict[int, Record]:
        """What a reader of committed records is given, by offset."""
        return dict(sorted({**self.plain, **self.committed}.items()))


def decide(name: object, batches: list[RecordBatch]) -> Decided:
    """Follow the markers through a log. Violation where a transaction has none."""
    found = Decided()
    open_: dict[int, dict[int, Record]] = {}
    for batch in batches:
        if batch.is_control:
            marker = decode_control(next(iter(records(batch))))
            if isinstance(marker, EndTransactionMarker):
                ended = open_.pop(batch.producer_id, {})
                (found.committed if marker.committed else found.aborted).update(ended)
            continue
        held = open_.setdefault(batch.producer_id, {}) if batch.is_transactional else found.plain
        held.update({record.offset: record for record in records(batch)})
    if any(open_.values()):
        raise Violation(
            f"{name}: transactions that never end: { {p: list(o) for p, o in open_.items()} }"
        )
    return found


class TransactionChecks:
    """Judges the transactions and groups of one simulation."""

    def __init__(
        self,
        cluster: SimCluster,
        history: History,
        log_of: Callable[[int, LogKey], list[RecordBatch]],
    ) -> None:
        """`log_of`: the batches of a node's replica."""
        self._cluster = cluster
        self._history = history
        self._log_of = log_of

    # --- before the end ---------------------------------------------------------------------

    def unsettled(self) -> str | None:
        """A transaction that has not ended yet; None: all have."""
        for member in self._cluster.brokers:
            broker = member.broker
            assert broker is not None
            for hosted in broker.replicas.partitions.hosted.values():
                machine = hosted.partition
                if (
                    isinstance(machine.role, PartitionLeader)
                    and machine.log.stable < machine.log.high_watermark
                ):
                    return (
                        f"{hosted.name} is stable up to {machine.log.stable} of "
                        f"{machine.log.high_watermark}: producers "
                        f"{list(machine.log.transactions.open)}"
                    )
            for txn in broker.transactions.all():
                if txn.stored.state in UNDECIDED:
                    return f"{txn.transactional_id} is {txn.stored.state.title}"
        return None

    # --- in the end -------------------------------------------------------------------------

    def final(self) -> None:
        """Look up all that was promised."""
        logs: dict[PartitionId, Decided] = {}
        for id, state, key in self._partitions():
            decided = decide(key, self._log_of(state.isr[0], key))
            if key.topic == OFFSETS_TOPIC:
                self._check_offsets(state, key, decided)
            elif not key.topic.startswith("__") and id.topic_id not in self._history.deleted:
                logs[id] = decided
                self._check_readers(id, key, decided)
        fates = self._check_attempts(logs)
        self._check_work(logs, fates)

    def _partitions(self) -> Iterator[tuple[PartitionId, PartitionRegistration, LogKey]]:
        active = self._cluster.active()
        assert active is not None
        for topic, state in active.metadata.image.partitions():
            id = PartitionId(topic.topic_id, state.partition_id)
            yield id, state, LogKey(topic.name, state.partition_id)

    def _check_readers(self, id: PartitionId, key: LogKey, decided: Decided) -> None:
        """What was read as committed is what is committed: nothing lost, moved, dirty, aborted."""
        trimmed = self._history.trimmed.get(id, 0)
        read = self._history.transactions.read.get(id, {})
        counting = {o: bytes(r.value or b"") for o, r in decided.counting().items()}
        for offset in sorted({*read, *counting}):
            if offset >= trimmed and read.get(offset) != counting.get(offset):
                raise Violation(
                    f"{key}: offset {offset} was read as {read.get(offset)!r} by readers of "
                    f"committed records, but holds {counting.get(offset)!r}"
                )

    # --- transactions -----------------------------------------------------------------------

    def _check_attempts(self, logs: dict[PartitionId, Decided]) -> dict[Attempt, bool | None]:
        """All or nothing, by the answers. Whether each was committed; None: unknown."""
        committed = {bytes(r.value or b"") for log in logs.values() for r in log.committed.values()}
        fates: dict[Attempt, bool | None] = {}
        for attempt in self._history.transactions.attempts:
            shown = [value for value in attempt.sent if value in committed]
            hidden = [
                value
                for id, values in attempt.acknowledged.items()
                for offset, value in values.items()
                if id in logs
                and offset >= self._history.trimmed.get(id, 0)
                and value not in committed
            ]
            if shown and attempt.fate in (Fate.OPEN, Fate.ABORTED):
                raise Violation(f"{attempt} is committed: {shown[:3]}")
            if hidden and (shown or attempt.fate is Fate.COMMITTED):
                raise Violation(f"{attempt} is committed in part: {shown[:3]}, not {hidden[:3]}")
            is_known = bool(shown) or attempt.fate is not Fate.ASKED
            fates[attempt] = bool(shown) or attempt.fate is Fate.COMMITTED
            if not is_known and not hidden:
                fates[attempt] = None
        return fates

    # --- groups -----------------------------------------------------------------------------

    def _check_offsets(self, state: PartitionRegistration, key: LogKey, decided: Decided) -> None:
        """The coordinator knows what a reload would find, and that is what was last committed."""
        found: dict[tuple[str, TopicPartition], Committed | None] = {}
        for offset, raw in decided.counting().items():
            record = from_bytes(raw.key or b"", raw.value, offset)
            if isinstance(record, OffsetRecord):
                found[record.group_id, record.partition] = record.value
        broker = self._cluster.members[state.leader].broker
        assert broker is not None
        for (group, where), value in found.items():
            known = broker.groups.coordinator(group).offsets.of(group).get(where)
            if (known and (known.offset, known.metadata)) != (
                value and (value.offset, value.metadata)
            ):
                raise Violation(f"{group}: {where} is {known}, but a reload of {key} shows {value}")
        for (group, id), commits in self._history.groups.commits.items():
            name = self._history.names.get(id.topic_id)
            place = broker.groups.partition_of(group)
            if name is None or id.topic_id in self._history.deleted or place is None:
                continue
            if place.partition == key.partition and commits:
                value = found.get((group, TopicPartition(name, id.partition)))
                shown = (value.offset, value.metadata) if value is not None else (-1, "")
                self._history.groups.on_read(group, id, *shown, self._cluster.world.time.now)

    def _check_work(
        self, logs: dict[PartitionId, Decided], fates: dict[Attempt, bool | None]
    ) -> None:
        """Each record below a group's offset was worked on; in transactions exactly once."""
        done: dict[tuple[str, PartitionId, int], list[Attempt]] = {}
        for attempt, fate in fates.items():
            for source in attempt.sources if fate is not False else ():
                place = (source.group, source.id, source.offset)
                done.setdefault(place, []).append(attempt)
        for place, attempts in done.items():
            twice = [attempt for attempt in attempts if fates[attempt]]
            if len(twice) > 1:
                raise Violation(f"{place} was worked on twice: {[str(a) for a in twice]}")
        groups = self._history.groups
        for (group, id), commits in groups.commits.items():
            in_transactions = any(commit.attempt is not None for commit in commits.values())
            upto, first = groups.counts(group, id), self._history.trimmed.get(id, 0)
            for offset, record in (logs[id].counting() if id in logs else {}).items():
                if not first <= offset < upto:
                    continue
                if in_transactions and bytes(record.value or b"").startswith(OUTPUT):
                    continue
                worked = (
                    (group, id, offset) in done
                    if in_transactions
                    else offset in groups.processed.get((group, id), {})
                )
                if not worked:
                    raise Violation(f"{group} has passed over offset {offset} of {id}")
