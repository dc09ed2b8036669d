"""What transactions promise (C-01): what readers of committed records get, and how all ends.

Looks at brokers and producers, and changes nothing. Belongs to `transacting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spindle.core.groups.group_values import OffsetRecord
from spindle.core.transactions.transaction_states import TransactionState
from spindle.model.batches import Record
from spindle.model.errors import Refusal
from spindle.model.ids import TopicPartition
from spindle.node.groups.group_records import from_bytes
from spindle.sim.exhaustive.asker import GROUP, PLAINLY, TOPIC, Asker
from spindle.sim.exhaustive.broker_pair import BrokerPair
from spindle.sim.exhaustive.side import StandingBroker
from spindle.sim.exhaustive.situation import Broken
from spindle.sim.exhaustive.transaction_bounds import DATA, OFFSETS, STATE
from spindle.sim.transaction_history import Fate
from spindle.wire.batch import records
from spindle.wire.control import marker_of

UNDECIDED: Final = (
    TransactionState.ONGOING,
    TransactionState.PREPARE_COMMIT,
    TransactionState.PREPARE_ABORT,
)


def check_readers(pair: BrokerPair, askers: Sequence[Asker], *, offsets: bool) -> None:
    """Broken where a record, or a group's offset, is read whose commit was not asked for.

    Or an offset before the marker of its transaction; `offsets`: there are some.
    """
    fates = _fates(askers)
    for value in _visible(pair.leading(DATA)) or ():
        if fates[value] not in (Fate.ASKED, Fate.COMMITTED):
            raise Broken(f"{value!r} is read as committed, but is {fates[value].value}")
    for side in pair.sides.values() if offsets else ():
        marked, shown = _marked_offsets(side), _group_offset(side)
        for value in marked:
            if fates[value] not in (Fate.ASKED, Fate.COMMITTED):
                raise Broken(f"the offset of {value!r} is committed, but is {fates[value].value}")
        if shown is not None and shown not in marked:
            raise Broken(f"{GROUP} has the offset of {shown!r}, which has no marker")


def check_at_rest(pair: BrokerPair, askers: Sequence[Asker], *, offsets: bool) -> None:
    """Broken where all has come to its end, and not well; `offsets`: the group has committed."""
    left = [asker.name for asker in askers if not asker.is_done]
    if left:
        raise Broken(f"{left} never come to their end")
    shown = _visible(pair.leading(DATA)) or []
    for value, fate in _fates(askers).items():
        if fate is Fate.COMMITTED and value != PLAINLY and shown.count(value) != 1:
            raise Broken(f"{value!r} is committed, and read {shown.count(value)} times")
        if fate in (Fate.OPEN, Fate.ABORTED) and value in shown:
            raise Broken(f"{value!r} is {fate.value}, and read as committed")
    machine = pair.leading(DATA).replicas.partitions.hosted[DATA].partition
    if (
        machine.log.stable < machine.log.high_watermark
        or machine.log.high_watermark < machine.log.end
    ):
        raise Broken("the last stable offset never reaches the end")
    for txn in pair.leading(STATE).transactions.all():
        is_left = any(not a.fates for a in askers)
        if txn.stored.state in UNDECIDED and not is_left:
            raise Broken(f"{txn.transactional_id} never ends: {txn.stored.state.title}")
    if offsets:
        _check_offsets(pair.leading(OFFSETS), _fates(askers), shown)


def _check_offsets(side: StandingBroker, fates: dict[bytes, Fate], read: list[bytes]) -> None:
    """The offsets that count are those of the transactions that are `read`, and the one that was
    committed plainly; the group has the last of them."""
    marked, shown = _marked_offsets(side), _group_offset(side)
    plain = [PLAINLY] if fates.get(PLAINLY) is Fate.COMMITTED else []
    if {*read, *plain} != {*marked}:
        raise Broken(f"the offsets of {marked} are committed, and the records of {read}")
    if shown != (marked[-1] if marked else None):
        raise Broken(f"{GROUP} has the offset of {shown!r}, though {marked} were committed")


def _group_offset(side: StandingBroker) -> bytes | None:
    """Whose offset a group's coordinator tells; None where it has none, or does not coordinate."""
    try:
        coordinator = side.groups.coordinator(GROUP)
    except Refusal:
        return None
    known = coordinator.offsets.of(GROUP).get(TopicPartition(TOPIC, 0))
    return None if known is None else known.metadata.encode()


def _marked_offsets(side: StandingBroker) -> list[bytes]:
    """Whose offsets count as the log has it, in its order: plain ones, and those before a marker.

    Offsets count by their own place, not by that of their marker, as with Apache Kafka.
    """
    found: list[tuple[int, bytes]] = []
    waiting: dict[int, list[tuple[int, bytes]]] = {}
    for batch in side.batches(OFFSETS):
        if batch.is_control:
            marker, held = marker_of(batch), waiting.pop(batch.producer_id, [])
            if marker is not None and marker.committed:
                found += held
            continue
        place = waiting.setdefault(batch.producer_id, []) if batch.is_transactional else found
        place += [(one.offset, _whose(one)) for one in records(batch)]
    return [value for _, value in sorted(found)]


def _whose(raw: Record) -> bytes:
    assert raw.key is not None
    record = from_bytes(raw.key, raw.value, raw.offset)
    assert isinstance(record, OffsetRecord)
    assert record.value is not None, "no offset is removed in here"
    return record.value.metadata.encode()


def _fates(askers: Sequence[Asker]) -> dict[bytes, Fate]:
    return {value: fate for a in askers for value, fate in a.fates.items()}


def _visible(side: StandingBroker) -> list[bytes] | None:
    """What a reader of committed records gets from a leader, as clients filter it."""
    machine = side.replicas.partitions.hosted[DATA].partition
    if not machine.leads:
        return None
    stable = machine.log.stable
    waiting = sorted(
        (a.first, a.producer_id) for a in machine.log.transactions.aborted(0, stable) or ()
    )
    aborted: set[int] = set()
    found: list[bytes] = []
    for batch in side.batches(DATA):
        if batch.last_offset >= stable:
            break
        while waiting and waiting[0][0] <= batch.last_offset:
            aborted.add(waiting.pop(0)[1])
        if batch.is_control:
            marker = marker_of(batch)
            if marker is not None and not marker.committed:
                aborted.discard(batch.producer_id)
        elif batch.producer_id not in aborted:
            found += [bytes(record.value or b"") for record in records(batch)]
    return found
