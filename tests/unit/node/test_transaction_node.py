"""Transactions through their handlers: what is stored, reloaded, sent again, timed out, refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.broker_context import context
from tests.support.cluster_image import add_topic, three_brokers
from tests.support.desk import Desk, part, request
from tests.support.group_broker import MemoryReplicas
from tools.messages.entities import make, ms, response_types

from spindle.core.groups.subscription import partition_for
from spindle.core.replica.producer_state_manager import ProducerStateManager
from spindle.core.transactions import transaction_coordinator_shard
from spindle.model import metadata_records as r
from spindle.model.errors import Error, PeerFailed, Refusal
from spindle.model.ids import PartitionId
from spindle.model.log_values import ProducerEntry
from spindle.model.outbox import Outbox
from spindle.node import parted
from spindle.node.handlers import BROKER
from spindle.node.partition_reader import RETRY_CORRUPT
from spindle.node.topic_creation import OFFSETS_TOPIC, TRANSACTIONS_TOPIC, TopicCreation
from spindle.node.transactions.transaction_coordinator_service import TransactionCoordinatorService
from spindle.wire.apis import Key

PARTITIONS = 4
NAME = "x"


class Ids:
    """Producer ids from 100 on."""

    def __init__(self) -> None:
        self.next = 100
        self.error: Error | None = None

    def take(self, then: Callable[[int | Error], None]) -> None:
        if self.error is not None:
            then(self.error)
            return
        self.next += 1
        then(self.next - 1)


class World:
    """Broker 1 coordinates all ids; broker 2 leads t-0 and t-1; the test answers for it."""

    def __init__(self, settings: dict[str, str] | None = None, level: int = 2) -> None:
        self.out = Outbox(random.Random(3))
        self.out.wall_ms = 1_000_000
        self.image = three_brokers()
        self.image.apply(r.FeatureLevel(name="transaction.version", level=level))
        self.context = context(
            settings or {}, image=self.image, out=self.out, ask=lambda *asked, **more: None
        )
        peers: Any = SimpleNamespace(ask=self._ask)
        self.context.peers = peers
        self.sent: list[tuple[Any, Callable[[Any], None]]] = []
        self.replicas = MemoryReplicas(self.out)
        self.epoch = 5
        add_topic(self.image, "t", (2, 3), (2, 3))
        add_topic(self.image, TRANSACTIONS_TOPIC, *[(1, 2)] * PARTITIONS)
        replicas: Any = self.replicas
        replicas.partitions = SimpleNamespace(leader_epoch=lambda id: self.epoch)
        groups: Any = SimpleNamespace(partition_of=lambda group_id: None)
        creation = TopicCreation(self.context)
        self.producer_ids = Ids()
        ids: Any = self.producer_ids
        self.transactions = TransactionCoordinatorService(
            self.context, replicas, groups, creation, ids
        )
        self.groups, self.topic_creation, self.settings = groups, creation, self.context.settings
        self.place = self.partitions()[partition_for(NAME, PARTITIONS)]
        self.desk = Desk(BROKER, self, self.out, parted=parted.BROKER)
        self.lead()

    def _ask(
        self, host: str, port: int, channel: str, body: Any, version: int, then: Any, wait: float
    ) -> None:
        self.sent.append((body, then))

    def partitions(self) -> list[PartitionId]:
        topic = self.image.topic(TRANSACTIONS_TOPIC)
        assert topic is not None
        return [PartitionId(topic.topic_id, n) for n in topic.partitions]

    def lead(self, leads: bool = True) -> None:
        for id in self.partitions():
            for listener in self.replicas.listeners:
                listener(id, leads)
        self.wait(0)

    def reload(self) -> None:  # Another broker coordinates for a while.
        self.lead(False)
        self.epoch += 2
        self.lead()

    def wait(self, seconds: float) -> None:
        end = self.out.now + seconds
        while (at := self.out.wake_at) is not None and at <= end:
            self._set_time(max(at, self.out.now))
            self.out.tick()
        self._set_time(end)

    def _set_time(self, now: float) -> None:
        self.out.now, self.out.wall_ms = now, 1_000_000 + int(now * 1000)

    # --- clients --------------------------------------------------------------------------------

    def init(self, name: str | None = NAME, timeout: int = 60_000, **fields: Any) -> Any:
        return self.desk.ask(
            Key.INIT_PRODUCER_ID,
            4,
            transactional_id=name,
            transaction_timeout=ms(timeout),
            **({"producer_id": -1, "producer_epoch": -1} | fields),
        )

    def begin(self, name: str = NAME, **fields: Any) -> tuple[int, int]:
        answer = self.init(name, **fields)
        assert answer.error_code == Error.NONE
        return answer.producer_id, answer.producer_epoch

    def add(self, producer: tuple[int, int], *numbers: int, version: int = 5) -> Error:
        """The partition's leader adds it (from 4 on), or the client itself."""
        key = Key.ADD_PARTITIONS_TO_TXN
        topic = part(key, version, "AddPartitionsToTxnTopic", name="t", partitions=numbers)
        if version < 4:
            answer = self.desk.ask(
                key,
                version,
                v3_and_below_transactional_id=NAME,
                v3_and_below_producer_id=producer[0],
                v3_and_below_producer_epoch=producer[1],
                v3_and_below_topics=(topic,),
            )
            (told,) = answer.results_by_topic_v3_and_below
        else:
            transaction = part(
                key,
                version,
                "AddPartitionsToTxnTransaction",
                transactional_id=NAME,
                producer_id=producer[0],
                producer_epoch=producer[1],
                verify_only=False,
                topics=(topic,),
            )
            answer = self.desk.ask(key, version, transactions=(transaction,))
            (told,) = answer.results_by_transaction[0].topic_results
        (error,) = {p.partition_error_code for p in told.results_by_partition}
        return Error(error)

    def end(self, producer: tuple[int, int], committed: bool = True, version: int = 5) -> Any:
        id, epoch = producer
        fields = {"producer_id": id, "producer_epoch": epoch, "committed": committed}
        return self.desk.ask(Key.END_TXN, version, transactional_id=NAME, **fields)

    def state(self) -> tuple[str, int, int]:
        answer = self.desk.ask(Key.DESCRIBE_TRANSACTIONS, 0, transactional_ids=(NAME,))
        (told,) = answer.transaction_states
        assert told.error_code == Error.NONE
        return told.transaction_state, told.producer_id, told.producer_epoch

    # --- the leader of t ------------------------------------------------------------------------

    def markers(self) -> list[Any]:
        """What broker 2 is asked to write at this moment."""
        self.wait(0)
        return [marker for body, _ in self.sent for marker in body.markers]

    def mark(self, error: Error | None = Error.NONE) -> Any:
        """Broker 2 answers the oldest request for markers, or (None) its answer is lost."""
        self.wait(0)
        body, then = self.sent.pop(0)
        types = response_types(Key.WRITE_TXN_MARKERS, 2)
        results = []
        for marker in body.markers:
            (topic,) = marker.topics
            partitions = tuple(
                make(types.WritableTxnMarkerPartitionResult, partition_index=n, error_code=error)
                for n in (topic.partition_indexes if error is not None else ())
            )
            told = make(types.WritableTxnMarkerTopicResult, name=topic.name, partitions=partitions)
            results.append(
                make(types.WritableTxnMarkerResult, producer_id=marker.producer_id, topics=(told,))
            )
        if error is None:
            then(PeerFailed("closed"))
        else:
            then(make(types.WriteTxnMarkersResponse, markers=tuple(results)))
        return body.markers[0]


@pytest.fixture
def world() -> World:
    return World()


def test_a_transaction_from_the_first_request_to_the_last_marker(world: World) -> None:
    producer = world.begin()
    assert producer == (100, 0)
    assert world.add(producer, 0, 1) == Error.NONE
    assert world.state() == ("Ongoing", 100, 0)
    answer = world.end(producer)
    assert (answer.error_code, answer.producer_id, answer.producer_epoch) == (Error.NONE, 100, 1)
    assert world.state() == ("PrepareCommit", 100, 1)
    (marker,) = world.markers()
    assert (marker.producer_epoch, marker.coordinator_epoch) == (1, 5)
    assert (marker.transaction_result, marker.transaction_version) == (True, 2)
    assert [(t.name, t.partition_indexes) for t in marker.topics] == [("t", (0, 1))]
    assert world.add((100, 1), 0) == Error.CONCURRENT_TRANSACTIONS
    world.mark()
    assert world.state() == ("CompleteCommit", 100, 1)
    assert world.add((100, 1), 0) == Error.NONE
    for _ in range(2):
        assert world.state() == ("Ongoing", 100, 1)
        world.reload()


def test_before_transaction_version_2_the_epoch_stays(world: World) -> None:
    world = World(level=1)
    producer = world.begin()
    assert world.add(producer, 0, version=3) == Error.NONE
    assert world.end(producer, version=4).error_code == Error.NONE
    (marker,) = world.markers()
    assert (marker.producer_epoch, marker.transaction_version) == (0, 0)
    world.mark()
    assert world.end(producer, version=4).error_code == Error.NONE, "asked again"
    assert world.state() == ("CompleteCommit", 100, 0)


@pytest.mark.parametrize("committed", [True, False])
def test_a_new_coordinator_sends_what_was_decided_with_its_own_epoch(
    world: World, committed: bool
) -> None:
    producer = world.begin()
    world.add(producer, 0)
    world.end(producer, committed)
    world.wait(0)
    world.reload()
    old = world.mark()
    assert old.coordinator_epoch == 5
    stands = "PrepareCommit" if committed else "PrepareAbort"
    assert world.state() == (stands, 100, 1), "the old coordinator's answer says nothing"
    new = world.mark()
    assert (new.coordinator_epoch, new.transaction_result) == (7, committed)
    assert world.state() == (stands.replace("Prepare", "Complete"), 100, 1)
    world.reload()
    assert world.markers() == []


@pytest.mark.parametrize("reloads", [False, True])
@pytest.mark.parametrize("marked", [False, True])
def test_an_end_whose_answer_was_lost_is_answered_again(
    world: World, marked: bool, reloads: bool
) -> None:
    producer = world.begin()
    world.add(producer, 0)
    world.end(producer)
    if marked:
        world.mark()
    if reloads:
        world.reload()
    again = world.end(producer)
    if marked:
        assert (again.error_code, again.producer_epoch) == (Error.NONE, 1)
    else:
        assert again.error_code == Error.CONCURRENT_TRANSACTIONS
    other = world.end(producer, committed=False)
    assert other.error_code == Error.INVALID_TXN_STATE


def test_lost_markers_are_sent_until_they_are_answered(world: World) -> None:
    producer = world.begin()
    world.add(producer, 0)
    world.end(producer)
    for error in (None, Error.NOT_ENOUGH_REPLICAS, Error.NOT_LEADER_OR_FOLLOWER):
        world.mark(error)
        assert world.state()[0] == "PrepareCommit"
        world.wait(1)
    world.mark()
    assert world.state()[0] == "CompleteCommit"


def test_a_completion_that_cannot_be_written_is_tried_again(world: World) -> None:
    producer = world.begin()
    world.add(producer, 0)
    world.end(producer)
    world.replicas.error = Error.NOT_ENOUGH_REPLICAS
    world.mark()
    world.wait(3)
    assert world.state()[0] == "PrepareCommit"
    world.replicas.error = None
    world.wait(1)
    assert world.state()[0] == "CompleteCommit"


def test_a_producer_that_is_silent_for_too_long_is_aborted_and_fenced(world: World) -> None:
    producer = world.begin(timeout=10_000)
    world.add(producer, 0)
    world.wait(9)
    assert world.state()[0] == "Ongoing"
    world.wait(20)
    assert world.state() == ("PrepareAbort", 100, 1)
    world.mark()
    assert world.state() == ("CompleteAbort", 100, 1)
    assert world.add(producer, 0) == Error.PRODUCER_FENCED
    assert world.end(producer, committed=False).error_code == Error.NONE, "it is aborted"
    assert world.end(producer).error_code == Error.INVALID_TXN_STATE
    for _ in range(2):  # It may ask for an epoch to go on with, and ask again.
        answer = world.init(producer_id=100, producer_epoch=0)
        assert (answer.error_code, answer.producer_epoch) == (Error.NONE, 1)


def test_a_second_producer_fences_the_first_also_over_a_reload(world: World) -> None:
    first = world.begin()
    world.add(first, 0)
    assert world.init().error_code == Error.CONCURRENT_TRANSACTIONS
    world.reload()
    assert world.state() == ("PrepareAbort", 100, 1)
    assert world.init().error_code == Error.CONCURRENT_TRANSACTIONS
    world.mark()
    world.sent.clear()
    second = world.begin()
    assert second == (100, 2)
    assert world.add(first, 0) == Error.PRODUCER_FENCED
    assert world.add(second, 0) == Error.NONE
    assert world.end(first).error_code == Error.PRODUCER_FENCED


def test_clients_are_refused_while_the_log_is_read_and_elsewhere(world: World) -> None:
    producer = world.begin()
    world.lead(False)
    assert world.init().error_code == Error.NOT_COORDINATOR
    world.replicas.held_reads = []
    world.lead()
    assert world.init().error_code == Error.COORDINATOR_LOAD_IN_PROGRESS
    assert world.add(producer, 0) == Error.COORDINATOR_LOAD_IN_PROGRESS
    assert world.end(producer).error_code == Error.COORDINATOR_LOAD_IN_PROGRESS
    assert world.transactions.is_loading
    while world.replicas.held_reads:
        world.replicas.held_reads.pop(0)()
    assert not world.transactions.is_loading
    assert world.state() == ("Empty", 100, 0)


def test_a_record_that_cannot_be_read_keeps_the_coordinator_away(world: World) -> None:
    """Rather none than one that knows less than was decided."""
    world.begin()
    good = list(world.replicas.logs[world.place])
    world.replicas.write(world.place, [(b"\0\0\0\1x", b"\0\0garbled")])
    world.reload()
    world.wait(3 * RETRY_CORRUPT)
    with pytest.raises(Refusal) as refused:
        world.transactions.coordinator(NAME)
    assert refused.value.error is Error.COORDINATOR_LOAD_IN_PROGRESS
    world.replicas.logs[world.place] = good
    world.wait(RETRY_CORRUPT)
    assert world.state()[0] == "Empty"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Error.NOT_ENOUGH_REPLICAS, Error.COORDINATOR_NOT_AVAILABLE),
        (Error.NOT_LEADER_OR_FOLLOWER, Error.NOT_COORDINATOR),
        (Error.KAFKA_STORAGE_ERROR, Error.NOT_COORDINATOR),
        (Error.MESSAGE_TOO_LARGE, Error.UNKNOWN_SERVER_ERROR),
    ],
)
def test_what_cannot_be_stored_has_not_happened(world: World, error: Error, told: Error) -> None:
    producer = world.begin()
    world.replicas.error = error
    assert world.init().error_code == told
    assert world.add(producer, 0) == told
    world.replicas.error = None
    assert world.state() == ("Empty", 100, 0)
    world.add(producer, 0)
    world.replicas.error = error
    assert world.end(producer).error_code == told
    world.replicas.error = None
    assert world.state() == ("Ongoing", 100, 0)
    assert world.markers() == []
    assert world.end(producer).producer_epoch == 1


def test_unused_ids_are_forgotten_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction_coordinator_shard, "TOMBSTONES_MAX", 10)
    names = [f"n{n}" for n in range(200)]
    world = World({"transactional.id.expiration.ms": "5000"})
    for name in (*names, NAME):
        world.begin(name)
    world.wait(3_599)
    open_one = world.begin("open", timeout=900_000)
    world.add(world.begin(), 0)
    world.wait(4)
    left = {txn.transactional_id for txn in world.transactions.all()}
    assert open_one == (100 + len(names) + 1, 0)
    assert left == {NAME, "open"}
    world.reload()
    assert {txn.transactional_id for txn in world.transactions.all()} == left


@pytest.mark.parametrize(
    ("name", "producer_id", "epoch", "error"),
    [
        ("", -1, -1, Error.INVALID_REQUEST),
        (NAME, 100, -1, Error.INVALID_REQUEST),
        (NAME, -1, 0, Error.INVALID_REQUEST),
        (NAME, 100, 0, Error.NONE),
        (NAME, 99, 0, Error.PRODUCER_FENCED),
        (NAME, 100, 3, Error.NOT_COORDINATOR),
    ],
)
def test_a_producer_goes_on_only_as_the_one_it_is(
    world: World, name: str, producer_id: int, epoch: int, error: Error
) -> None:
    world.begin()
    answer = world.init(name, producer_id=producer_id, producer_epoch=epoch)
    assert answer.error_code == error
    if error is Error.NONE:
        assert answer.producer_epoch == 1


def test_without_an_id_from_the_controller_clients_come_again(world: World) -> None:
    world.producer_ids.error = Error.COORDINATOR_LOAD_IN_PROGRESS
    assert world.init().error_code == Error.COORDINATOR_LOAD_IN_PROGRESS
    world.producer_ids.error = None
    assert world.begin() == (100, 0)


def test_a_partition_that_a_younger_coordinator_has_marked_knows_more_than_this_broker(
    world: World,
) -> None:
    """Until the metadata names that coordinator, nothing is asked of the one before it."""
    topic = world.image.topic("t")
    state = world.image.partition(world.place)
    assert topic is not None
    assert state is not None
    id, other = PartitionId(topic.topic_id, 0), PartitionId(topic.topic_id, 1)
    producers = ProducerStateManager(
        ProducerEntry(n, 0, -1, -1, 0, 0, state.leader_epoch + ahead)
        for n, ahead in ((7, 0), (8, 1))
    )
    log = SimpleNamespace(producers=producers)
    replicas: Any = world.replicas
    replicas.partitions.hosted = {id: SimpleNamespace(partition=SimpleNamespace(log=log))}
    outdone = world.transactions.is_outdone
    assert [outdone(NAME, id, n) for n in (7, 8, 9)] == [False, True, False]
    assert not outdone(NAME, other, 8)


def test_partitions_that_do_not_exist_and_groups_without_a_home_take_no_part(world: World) -> None:
    producer = world.begin()
    assert world.add(producer, 7) == Error.UNKNOWN_TOPIC_OR_PARTITION
    answer = world.desk.ask(
        Key.ADD_OFFSETS_TO_TXN,
        3,
        transactional_id=NAME,
        producer_id=100,
        producer_epoch=0,
        group_id="g",
    )
    assert answer.error_code == Error.COORDINATOR_NOT_AVAILABLE
    assert world.state()[0] == "Empty"
    assert OFFSETS_TOPIC not in world.image.topic_ids


@pytest.mark.spec("S-08")
@pytest.mark.parametrize("unknown", [False, True])
def test_all_partitions_of_a_large_request_take_part_or_none(world: World, unknown: bool) -> None:
    producer = world.begin()
    add_topic(world.image, "wide", *[(2, 3)] * 10_000)
    key, version = Key.ADD_PARTITIONS_TO_TXN, 3
    numbers = (*range(10_000), *((10_000,) if unknown else ()))
    topic = part(key, version, "AddPartitionsToTxnTopic", name="wide", partitions=numbers)
    of = dict(
        zip(("transactional_id", "producer_id", "producer_epoch"), (NAME, *producer), strict=True)
    )
    fields = {f"v3_and_below_{name}": value for name, value in of.items()}
    world.desk.send(request(key, version, v3_and_below_topics=(topic,), **fields))
    assert not world.desk.answers(), "it is served in parts"
    world.wait(0.1)
    (answer,) = world.desk.answers()
    (told,) = answer.results_by_topic_v3_and_below
    assert [p.partition_index for p in told.results_by_partition] == list(numbers)
    errors = [p.partition_error_code for p in told.results_by_partition]
    assert set(errors[:10_000]) == {Error.OPERATION_NOT_ATTEMPTED if unknown else Error.NONE}
    assert errors[-1] == (Error.UNKNOWN_TOPIC_OR_PARTITION if unknown else Error.NONE)
    assert world.state()[0] == ("Empty" if unknown else "Ongoing")
