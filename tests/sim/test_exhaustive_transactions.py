"""Every interleaving of producers, a zombie, a coordinator's and a leader's change, lost and late
messages (C-01), and what the same search finds where the code is wrong.

What is searched is the production code itself. Longer forms: `make explore`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.support.amounts import beyond

from spindle.core.groups.coordinator_shard import GroupCoordinatorShard
from spindle.core.groups.group_values import OffsetRecord
from spindle.core.groups.offset_metadata_manager import OffsetMetadataManager
from spindle.core.replica.producer_state_manager import ProducerStateManager
from spindle.core.replica.replica_log import ReplicaLog
from spindle.core.transactions.descriptions import TransactionDescriptions
from spindle.core.transactions.transaction_values import BUMPING, Ending, ProducerIdAndEpoch
from spindle.model.batches import Buffer
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.node.replicas.hosted import HostedPartition
from spindle.node.transactions import enlisting
from spindle.node.transactions.enlisting import Enlisting
from spindle.node.transactions.marking import Marking
from spindle.node.transactions.transaction_coordinator_service import TransactionCoordinatorService
from spindle.sim.exhaustive.situation import Broken, Choice
from spindle.sim.exhaustive.state_space import SearchReport, explore
from spindle.sim.exhaustive.transacting import TransactionSituation
from spindle.sim.exhaustive.transaction_bounds import (
    DATA,
    OFFSETS,
    PROMISES,
    STATE,
    TransactionBounds,
)
from spindle.sim.transactor import FENCED
from spindle.wire.framing import response_in


def searched(seed: int | None = None, **bounds: int) -> SearchReport:
    """All that can happen within these bounds."""
    return explore(TransactionBounds(**bounds), seed=seed, begin=TransactionSituation)


@pytest.mark.spec("C-01", "C-08")
@pytest.mark.parametrize(
    ("within", "least"),
    [
        ({"losses": 1}, 800),
        ({"losses": 1, "level": 0}, 600),
        ({"losses": 1, "serves": 29, "waits": 1}, 300),
        ({"leaders": 1, "offsets": 1, "waits": 0}, 400),
        ({"coordinators": 1, "waits": 1}, 500),
        ({"coordinators": 1, "leaders": 1, "level": 0, "waits": 0, "aborts": 0}, 1000),
        ({"zombies": 1, "waits": 1}, 500),
        ({"zombies": 1, "offsets": 1, "waits": 0, "aborts": 0}, 250),
        ({"others": 1, "waits": 0, "aborts": 0}, 400),
        ({"coordinators": 1, "strays": 1, "waits": 0}, 500),
        (
            {"coordinators": 1, "strays": 1, "level": 0, "waits": 0, "aborts": 0, "commits": 2},
            700,
        ),
        *beyond([({"losses": 1, "serves": 29}, 600), ({"leaders": 1, "offsets": 1}, 1500)]),
    ],
    ids=str,
)
def test_no_interleaving_breaks_a_promise(
    within: dict[str, int], least: int, record_property: Callable[[str, object], None]
) -> None:
    report = searched(**within)
    assert report.broken is None, report.broken
    assert report.complete
    assert report.states >= least
    record_property(
        "tried",
        f"{within}: all {report.states} states, {report.steps} steps; "
        f"{len(PROMISES)} promises held",
    )


def _confirms_at_once(
    self: Marking, partition: TopicPartition, ending: Ending, then: Callable[[Error], None]
) -> None:
    """A marker that is there counts as written, whichever replica has it."""
    hosted = self._replicas.partitions.leader(*partition)
    if isinstance(hosted, HostedPartition) and ending.version >= BUMPING:
        machine, (producer_id, epoch) = hosted.partition, ending.producer
        is_open = producer_id in machine.log.transactions.open
        if machine.log.producers.epoch_of(producer_id) == epoch and not is_open:
            then(Error.NONE)
            return
    _write(self, partition, ending, then)


def _tells_from_memory(what: type) -> Callable[..., None]:
    """Answers of one kind go out as they are remembered."""

    def tell(
        self: TransactionDescriptions, name: str, producer: Any, answer: Any, then: Any
    ) -> None:
        if isinstance(answer, what):
            then(answer)
        else:
            _tell(self, name, producer, answer, then)

    return tell


_tell = TransactionDescriptions.tell
_write = Marking.write
_ANYONE = enlisting._Who("", 0)
_check_marker = ProducerStateManager.check_marker


def _any_coordinator(
    self: ProducerStateManager, producer_id: int, epoch: int, _: int, **rest: Any
) -> Error:
    """A coordinator that was fenced is believed."""
    return _check_marker(self, producer_id, epoch, 1 << 30, **rest)


def _last_one_counts(self: OffsetMetadataManager, record: OffsetRecord, at: int) -> bool:
    """An offset counts from when it was heard of, not by its place in the log."""
    assert record.value is not None
    value = replace(record.value, at=at)
    self.committed.setdefault(record.group_id, {})[record.partition] = value
    return True


def _counts_at_once(self: OffsetMetadataManager, _: int, record: OffsetRecord, at: int) -> None:
    """A transaction's offset is there before its marker."""
    self.put(record, at)


def _counts_always(self: GroupCoordinatorShard, producer_id: int, at: int, _: bool) -> None:
    """The offsets of a transaction that was aborted count, too."""
    _on_marker(self, producer_id, at, True)


def _lets_zombies_commit_offsets(self: Enlisting, *given: Any) -> None:
    """The coordinator's word that a producer was fenced is not heard where offsets are written."""
    *rest, then = given

    def answered(error: Error) -> None:
        then(Error.NONE if error in FENCED and OFFSETS in rest else error)

    _admit(self, *rest, answered)


_on_marker = GroupCoordinatorShard.on_marker
_admit: Any = Enlisting.admit


@pytest.mark.spec("C-01")
@pytest.mark.parametrize(
    ("where", "name", "wrong", "within", "what"),
    [
        (
            ReplicaLog,
            "stable",
            property(lambda log: log.high_watermark),
            {},
            "is read as committed, but is open",
        ),
        (
            Marking,
            "write",
            _confirms_at_once,
            {"losses": 1, "leaders": 1, "waits": 1},
            "is read as committed, but is aborted",
        ),
        (enlisting, "_Who", lambda *_: _ANYONE, {"zombies": 1, "waits": 1}, "was refused at write"),
        (OffsetMetadataManager, "put", _last_one_counts, {"offsets": 1}, "were committed"),
        (OffsetMetadataManager, "hold", _counts_at_once, {"offsets": 1}, "which has no marker"),
        (GroupCoordinatorShard, "on_marker", _counts_always, {"offsets": 1}, "has no marker"),
        (
            Enlisting,
            "admit",
            _lets_zombies_commit_offsets,
            {"zombies": 1, "offsets": 1, "waits": 0, "aborts": 0},
            "are committed, and the records of",
        ),
        (
            TransactionDescriptions,
            "tell",
            _tells_from_memory(Error),
            {"coordinators": 1, "strays": 1, "waits": 0},
            "was refused at abort",
        ),
        (
            TransactionDescriptions,
            "tell",
            _tells_from_memory(ProducerIdAndEpoch),
            {
                "coordinators": 1,
                "strays": 1,
                "level": 0,
                "waits": 0,
                "aborts": 0,
                "commits": 2,
            },
            "is committed, and read 0 times",
        ),
    ],
    ids=[
        "the last stable offset is the high watermark",
        "a repeated marker is confirmed at once",
        "a zombie's answer speaks for the producer after it",
        "a transaction's offset outdoes a later one",
        "a transaction's offset is read before its marker",
        "the offset of a transaction that was aborted counts",
        "a zombie's offset counts with the transaction of the producer after it",
        "a coordinator of before refuses a producer that it does not know",
        "a coordinator of before says that the last transaction is this one",
    ],
)
def test_a_fault_in_transactions_is_found(
    where: Any,
    name: str,
    wrong: Any,
    within: dict[str, int],
    what: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(where, name, wrong)
    report = searched(seed=2, **within)
    assert report.broken is not None
    assert what in report.broken[0]


def _late_marker() -> TransactionSituation:
    """The first coordinator's marker comes when the next one has marked, and a record follows."""
    bounds = TransactionBounds(level=0, losses=1, coordinators=1)
    situation = TransactionSituation(bounds)
    first = situation.askers[0]
    while first.step != "abort":
        situation.take(situation.next_by_itself())
    for choice in (Choice("ask", "first"), Choice("delay", "0"), Choice("coordinate")):
        situation.take(choice)
    while first.step != "commit":
        by_itself = [c for c in situation.choices() if c.kind not in ("late", "time")]
        situation.take(next(iter(by_itself), Choice("time")))
    assert Choice("late", "0") in situation.choices()
    situation.take(Choice("late", "0"))
    for _ in range(60):
        situation.take(situation.next_by_itself())
    return situation


@pytest.mark.spec("C-01")
def test_the_late_marker_of_a_fenced_coordinator_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _late_marker().check_at_rest()
    monkeypatch.setattr(ProducerStateManager, "check_marker", _any_coordinator)
    with pytest.raises(Broken, match=r"was refused|is committed, and read 0 times"):
        _late_marker().check_at_rest()


def _late_batch() -> tuple[TransactionSituation, Error]:
    """Broker 2 leads the data, and has not learned that broker 1 coordinates; 1 aborts there.

    Then a batch comes late that was sent before. What it is answered.
    """
    situation = TransactionSituation(TransactionBounds(level=0, coordinators=1, leaders=1))
    first = situation.askers[0]
    for kind in ("lead", "learn 1", "learn 2", "coordinate", "learn 1"):
        name, _, what = kind.partition(" ")
        while first.step != "abort":
            situation.take(situation.next_by_itself())
        situation.take(Choice(name, what))
    late, behind = first._write(DATA), situation.pair.sides[2]
    version = 12 if first.level >= BUMPING else 11
    while behind.replicas.partitions.hosted[DATA].partition.log.transactions.open:
        by_itself = [c for c in situation.choices() if c.kind in ("deliver", "time")]
        situation.take(next(iter(by_itself), Choice("ask", "first")))
    told: list[Error] = []

    def answered(buffers: list[Buffer]) -> None:
        answer = response_in(b"".join(bytes(b) for b in buffers)[4:], late, version)
        told.append(Error(answer.responses[0].partition_responses[0].error_code))

    assert behind.replicas.partitions.hosted[STATE].partition.leads
    behind.serve(late, version, answered)
    situation._settle()
    return situation, told[0]


@pytest.mark.spec("C-01")
def test_a_late_batch_is_not_let_in_by_a_coordinator_that_is_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its yes to a question of before KIP-890 is from memory: the partition knows better."""
    situation, told = _late_batch()
    machine = situation.pair.sides[2].replicas.partitions.hosted[DATA].partition
    assert (told, machine.log.transactions.open) == (Error.NOT_ENOUGH_REPLICAS, {})
    monkeypatch.setattr(TransactionCoordinatorService, "is_outdone", lambda *_: False)
    situation, told = _late_batch()
    machine = situation.pair.sides[2].replicas.partitions.hosted[DATA].partition
    assert told is Error.NONE
    assert machine.log.transactions.open
