"""Whether a batch may begin its transaction in a partition: whom an answer lets in, and when."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.replica_world import produced
from tests.support.transactional import ID, WHERE, TransactionalWorld
from tools.messages.entities import make, response_types

from spindle.core.transactions.transaction_values import ProducerIdAndEpoch
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import PartitionId
from spindle.model.outbox import Outbox
from spindle.node.transactions.enlisting import (
    BUSY_RETRY,
    BUSY_TRIES,
    WAITING_MAX,
    Enlisting,
)
from spindle.wire.apis import Key

BUSY = Error.CONCURRENT_TRANSACTIONS


class World:
    """Enlisting on broker 1; broker 2 coordinates, and the test answers for it."""

    def __init__(self) -> None:
        self.out = Outbox(random.Random(1))
        self.leader: int | None = 2
        self.endpoint: tuple[str, int] | None = ("host2", 9002)
        self.outdone: set[tuple[str, int]] = set()
        """Transactional ids and producers that a younger coordinator has marked."""
        self.asked: list[tuple[Any, Callable[[Any], None]]] = []
        ground: Any = SimpleNamespace(
            node_id=1, out=self.out, address=lambda node: self.endpoint, peers=self
        )
        self.enlisting = Enlisting(ground, self)
        self.told: list[tuple[str, Error]] = []

    def leader_for(self, key: str) -> int | None:
        return self.leader

    def coordinator(self, transactional_id: str) -> Any:
        raise AssertionError("it is on broker 2")

    def is_outdone(self, key: str, id: PartitionId, producer_id: int) -> bool:
        assert id == ID
        return (key, producer_id) in self.outdone

    def ask(
        self, host: str, port: int, channel: str, request: Any, version: int, then: Any, wait: float
    ) -> None:
        assert (host, port) == ("host2", 9002)
        self.asked.append((request.transactions[0], then))

    def admit(
        self, label: str, epoch: int = 0, *, name: str = "x", adds: bool = True, pid: int = 7
    ) -> None:
        def then(error: Error) -> None:
            self.told.append((label, error))

        self.enlisting.admit(ID, WHERE, name, ProducerIdAndEpoch(pid, epoch), adds, then)

    def answer(self, error: Error = Error.NONE, *, whole: Error = Error.NONE) -> Any:
        """Answer the oldest question; which it was."""
        asked, then = self.asked.pop(0)
        types = response_types(Key.ADD_PARTITIONS_TO_TXN, 5)
        partition = make(types.AddPartitionsToTxnPartitionResult, partition_error_code=error)
        topic = make(types.AddPartitionsToTxnTopicResult, results_by_partition=(partition,))
        result = make(types.AddPartitionsToTxnResult, topic_results=(topic,))
        then(
            make(
                types.AddPartitionsToTxnResponse,
                error_code=whole,
                results_by_transaction=(result,),
            )
        )
        return asked

    def marker(self, epoch: int, *, bumped: bool = True) -> None:
        self.enlisting.on_marker(ID, ProducerIdAndEpoch(7, epoch), bumped)

    def wait(self, seconds: float) -> None:
        end = self.out.now + seconds
        while (at := self.out.wake_at) is not None and at <= end:
            self.out.now = at
            self.out.tick()
        self.out.now = end


@pytest.fixture
def world() -> World:
    return World()


def test_batches_of_a_producer_wait_for_one_answer_and_keep_their_order(world: World) -> None:
    for n in range(3):
        world.admit(str(n))
    assert world.enlisting.is_waiting(ID, 7)
    assert world.told == []
    asked = world.answer()
    assert (asked.transactional_id, asked.producer_id, asked.producer_epoch) == ("x", 7, 0)
    assert [(t.name, t.partitions) for t in asked.topics] == [(WHERE.topic, (WHERE.partition,))]
    assert not asked.verify_only
    assert world.told == [("0", Error.NONE), ("1", Error.NONE), ("2", Error.NONE)]
    assert world.asked == []
    assert not world.enlisting.is_waiting(ID, 7)
    world.admit("later", adds=False)
    assert world.answer().verify_only


def test_a_zombies_answer_fences_the_zombie_alone(world: World) -> None:
    world.admit("zombie", 4)
    world.admit("owner", 5)
    assert world.answer(Error.PRODUCER_FENCED).producer_epoch == 4
    assert world.told == [("zombie", Error.PRODUCER_FENCED)]
    assert world.enlisting.is_waiting(ID, 7)
    assert world.answer().producer_epoch == 5
    assert world.told[1:] == [("owner", Error.NONE)]


def test_an_answer_admits_no_other_transactional_id(world: World) -> None:
    world.admit("owner")
    world.admit("other", name="y")
    assert world.answer().transactional_id == "x"
    assert world.told == [("owner", Error.NONE)]
    assert world.answer(Error.INVALID_PRODUCER_ID_MAPPING).transactional_id == "y"
    assert world.told[1:] == [("other", Error.INVALID_PRODUCER_ID_MAPPING)]


@pytest.mark.parametrize("bumped", [True, False])
def test_the_marker_of_the_last_transaction_lets_the_next_one_begin(
    world: World, bumped: bool
) -> None:
    """KIP-890: a client writes in its next epoch before the markers of the last are all there.

    Below 4.3-IV0 the request for the marker does not say that the epoch was bumped.
    """
    world.admit("a", 1)
    world.admit("b", 1)
    world.answer(BUSY)
    world.marker(1, bumped=bumped)
    world.wait(BUSY_RETRY)
    world.answer()
    assert world.told == [("a", Error.NONE), ("b", Error.NONE)]


def test_a_marker_ends_what_older_epochs_have_asked(world: World) -> None:
    world.admit("late", 0)
    world.admit("next", 1)
    world.marker(1)
    assert world.told == [("late", Error.INVALID_PRODUCER_EPOCH)]
    world.answer()
    assert len(world.told) == 1, "the answer comes too late"
    world.answer()
    assert world.told[1:] == [("next", Error.NONE)]


def test_a_marker_of_the_records_own_epoch_ends_what_was_asked_for_them(world: World) -> None:
    """Before transaction.version 2 a yes may be overtaken by the end of its transaction."""
    world.admit("late", adds=False)
    world.marker(0, bumped=False)
    assert world.told == [("late", Error.INVALID_TXN_STATE)]
    world.admit("next", adds=False)
    world.answer()
    assert len(world.told) == 1, "an answer from before the marker says nothing of what came after"
    world.answer()
    assert world.told[1:] == [("next", Error.NONE)]


def test_markers_of_other_producers_and_older_epochs_end_nothing(world: World) -> None:
    world.admit("a", 3)
    world.admit("other", 0, pid=8)
    world.marker(2, bumped=False)
    world.marker(9)
    assert world.told == [("a", Error.INVALID_PRODUCER_EPOCH)]
    world.answer()
    world.answer()
    assert world.told[1:] == [("other", Error.NONE)]


def test_a_busy_coordinator_is_asked_again_for_a_while(world: World) -> None:
    world.admit("a")
    for _ in range(BUSY_TRIES - 1):
        world.answer(BUSY)
        assert (world.told, world.asked) == ([], [])
        world.wait(BUSY_RETRY)
    world.answer(BUSY)
    assert world.told == [("a", BUSY)]
    world.wait(1)
    assert world.asked == []


def test_the_coordinator_must_be_known_and_answer(world: World) -> None:
    world.leader = None
    world.admit("no leader")
    world.leader, world.endpoint = 2, None
    world.admit("unregistered")
    assert world.told == [
        ("no leader", Error.COORDINATOR_NOT_AVAILABLE),
        ("unregistered", Error.COORDINATOR_NOT_AVAILABLE),
    ]
    world.endpoint = ("host2", 9002)
    world.told.clear()
    world.admit("lost")
    world.asked.pop(0)[1](PeerFailed("closed"))
    world.admit("moved")
    world.answer(whole=Error.NOT_COORDINATOR)
    assert world.told == [("lost", Error.NETWORK_EXCEPTION), ("moved", Error.NOT_COORDINATOR)]


def test_a_coordinator_is_not_asked_after_a_younger_ones_marker(world: World) -> None:
    """It may take a transaction for open that the younger one has ended (until KIP-890)."""
    world.outdone.add(("x", 7))
    for adds in (True, False):
        world.admit("behind", adds=adds)
    assert world.told == [("behind", Error.COORDINATOR_NOT_AVAILABLE)] * 2
    assert world.asked == []
    world.admit("other", pid=8)
    world.outdone.clear()
    world.admit("learned")
    world.answer()
    # The marker comes while a busy coordinator is to be asked again.
    world.answer(BUSY)
    world.outdone.add(("x", 7))
    world.wait(BUSY_RETRY)
    assert world.told[2:] == [("other", Error.NONE), ("learned", Error.COORDINATOR_NOT_AVAILABLE)]


def test_so_many_batches_may_wait(world: World) -> None:
    for _ in range(WAITING_MAX):
        world.admit("waits")
    world.admit("one too many")
    assert world.told == [("one too many", Error.NOT_ENOUGH_REPLICAS)]


# --- through Produce ------------------------------------------------------------------------------


def test_a_transaction_goes_on_without_asking_and_the_next_one_asks() -> None:
    world = TransactionalWorld()
    first, second = world.write(b"a"), world.write(b"b", 1)
    assert not first.there
    question = world.asked.answer()
    assert (question.transactional_id, question.producer, question.adds) == (
        "x",
        ProducerIdAndEpoch(7, 0),
        True,
    )
    world.step()
    assert (produced(first).base_offset, produced(second).base_offset) == (0, 1)
    third = world.write(b"c", 2)
    assert produced(third).base_offset == 2
    assert world.asked.questions == []
    # The next transaction's first batch comes before the marker of this one.
    early = world.write(b"d", 0, 1)
    assert world.mark(1) == [Error.NONE]
    assert not early.there
    assert world.asked.answer().producer == ProducerIdAndEpoch(7, 1)
    world.step()
    assert produced(early).base_offset == 4
    assert world.committed_values() == [b"a", b"b", b"c"]
    assert world.mark(2) == [Error.NONE]
    assert world.committed_values() == [b"a", b"b", b"c", b"d"]


def test_a_batch_of_the_transaction_before_finds_no_way_in() -> None:
    world = TransactionalWorld()
    world.asked.verdict = BUSY
    late = world.write(b"late", version=11)
    assert not late.there
    assert world.mark(1) == [Error.NONE]
    assert produced(late).error_code == Error.INVALID_PRODUCER_EPOCH
    world.asked.verdict = Error.NONE
    world.wait(1)
    assert world.nodes[1].partition().log.transactions.open == {}


def test_within_a_transaction_all_batches_are_of_it() -> None:
    world = TransactionalWorld()
    world.write(b"a")
    world.asked.answer()
    world.step()
    header: dict[str, Any] = {"producer_id": 7, "producer_epoch": 0, "base_sequence": 1}
    plain = world.produce(1, b"plain", **header)
    assert produced(plain).error_code == Error.INVALID_TXN_STATE
    assert world.nodes[1].values() == [b"a"]
    assert world.mark(0, version=0) == [Error.NONE]
    assert produced(world.produce(1, b"plain", **header)).error_code == Error.NONE


def test_a_client_that_wants_no_answer_waits_for_none() -> None:
    """acks=0: the connection goes on once the batch has its place."""
    world = TransactionalWorld()
    told = world.write(b"a", acks=0)
    assert not told.there
    world.asked.answer()
    world.step()
    assert told.frames == [[]]
    assert world.nodes[1].values() == [b"a"]


def test_a_batch_that_waited_finds_the_partition_as_it_is_by_then() -> None:
    world = TransactionalWorld(**{"min.insync.replicas": "2"})
    told = world.write(b"a")
    world.fence(2, 3)
    world.asked.answer()
    world.step()
    assert produced(told).error_code == Error.NOT_ENOUGH_REPLICAS
    world.unfence(2, 3)
    moved = world.write(b"a")
    world.elect(2, (2, 3))
    world.asked.answer()
    world.step()
    assert produced(moved).error_code == Error.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize("version", [11, 13])
def test_a_transaction_begins_with_the_first_of_the_batches_that_asked(version: int) -> None:
    """The retry of a refused first batch would be out of order behind the second one."""
    world = TransactionalWorld(**{"min.insync.replicas": "2"})

    def write(value: bytes, sequence: int) -> Error:
        answer = world.write(value, sequence, version=version)
        while world.asked.questions:
            world.asked.answer()
        world.step()
        return Error(produced(answer).error_code)

    world.fence(2, 3)
    assert write(b"a", 0) == Error.NOT_ENOUGH_REPLICAS
    world.unfence(2, 3)
    world.wait(1)
    assert write(b"b", 1) == Error.NOT_ENOUGH_REPLICAS, "as the first one"
    assert write(b"a", 0) == Error.NONE
    assert write(b"b", 1) == Error.NONE
    assert world.mark(0, version=0) == [Error.NONE]
    assert world.committed_values() == [b"a", b"b"]


@pytest.mark.parametrize(
    ("error", "version", "told"),
    [
        (Error.CONCURRENT_TRANSACTIONS, 13, Error.NOT_ENOUGH_REPLICAS),
        (Error.COORDINATOR_LOAD_IN_PROGRESS, 13, Error.NOT_ENOUGH_REPLICAS),
        (Error.NOT_COORDINATOR, 13, Error.NOT_ENOUGH_REPLICAS),
        (Error.PRODUCER_FENCED, 13, Error.INVALID_PRODUCER_EPOCH),
        (Error.INVALID_PRODUCER_ID_MAPPING, 13, Error.INVALID_PRODUCER_ID_MAPPING),
        (Error.TRANSACTION_ABORTABLE, 11, Error.TRANSACTION_ABORTABLE),
        (Error.TRANSACTION_ABORTABLE, 10, Error.INVALID_TXN_STATE),
    ],
)
def test_the_coordinators_no_in_a_producers_words(error: Error, version: int, told: Error) -> None:
    world = TransactionalWorld()
    world.asked.verdict = error
    answer = world.write(b"a", version=version)
    if version >= 12:
        for _ in range(BUSY_TRIES if error is BUSY else 1):
            world.asked.answer(error)
            world.wait(BUSY_RETRY)
    assert produced(answer).error_code == told
    assert world.nodes[1].partition().log.transactions.open == {}
