"""What transactions promise (C-01): what readers of committed records get, and how all ends.

Looks at brokers and producers, and changes nothing. Belongs to `transacting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spindle.core.transactions.transaction_states import TransactionState
from spindle.model.ids import TopicPartition
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


def check_readers(pair: BrokerPair, askers: Sequence[Asker]) -> None:
    """Broken where a record is read as committed whose commit was not asked for."""
    fates = _fates(askers)
    for value in _visible(pair.leading(DATA)) or ():
        if fates[value] not in (Fate.ASKED, Fate.COMMITTED):
            raise Broken(f"{value!r} is read as committed, but is {fates[value].value}")


def check_at_rest(pair: BrokerPair, askers: Sequence[Asker], *, offsets: bool) -> None:
    """Broken where all has come to its end, and not well; `offsets`: the group has committed."""
    left = [asker.name for asker in askers if not asker.is_done]
    if left:
        raise Broken(f"{left} never come to their end")
    shown = _visible(pair.leading(DATA)) or []
    for value, fate in _fates(askers).items():
        if fate is Fate.COMMITTED and shown.count(value) != 1:
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
        _check_offsets(pair)


def _check_offsets(pair: BrokerPair) -> None:
    """The group's offset is the one that was committed last."""
    coordinator = pair.leading(OFFSETS).groups.coordinator(GROUP)
    known = coordinator.offsets.of(GROUP).get(TopicPartition(TOPIC, 0))
    if known is None or known.metadata != PLAINLY:
        raise Broken(f"{GROUP} has the offset {known}, though another was committed last")


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
