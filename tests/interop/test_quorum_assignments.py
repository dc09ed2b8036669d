"""What a controller of either kind takes from brokers about directories, and what ours tell it.

The same requests get the same answers from our controller and from Apache Kafka's, and leave the
same records; the tests say each expectation once. What our brokers say goes through a relay, which
holds it up where a test wants to see what waits for it. The tests of a cluster run in order; the
last ones leave broken disks.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka.admin import NewTopic
from tests.support import committed
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.clients import produce, values
from tests.support.directory_world import (
    BOTH,
    KEEPER,
    KINDS,
    NOWHERE,
    SINGLE,
    VICTIM,
    World,
    running,
)
from tests.support.quorum import ask, led
from tools.messages.entities import make, request_types

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.feature_rules import SUPPORTED
from spindle.model.ids import LOST, MIGRATING, UNASSIGNED
from spindle.wire.apis import Key

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(300)]

STRANGER = 77
REQUEST_MAX = 2250
MANY = REQUEST_MAX + 50


@pytest.fixture(scope="module", params=KINDS)
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """Three Spindle brokers."""
    jars = request.getfixturevalue("kafka_jars")
    with running(request.param, tmp_path_factory.mktemp(request.param), jars) as world:
        yield world


# --- what the controller takes ---------------------------------------------------------------


def register(world: World, *log_dirs: uuid.UUID, **changes: Any) -> tuple[int, int]:
    """Present a broker that does not exist; the error and the epoch that it gets."""
    types = request_types(Key.BROKER_REGISTRATION, 4)
    given: dict[str, Any] = {
        "broker_id": STRANGER,
        "cluster_id": world.cluster.cluster_id,
        "incarnation_id": uuid.uuid4(),
        "listeners": (),
        "features": tuple(
            make(
                types.Feature,
                name=name,
                min_supported_version=levels.min,
                max_supported_version=levels.max,
            )
            for name, levels in SUPPORTED.items()
        ),
        "rack": None,
        "log_dirs": log_dirs,
        "previous_broker_epoch": -1,
    }
    request = make(types.BrokerRegistrationRequest, **{**given, **changes})
    answer = committed.ask_controller(world.cluster, request)
    return answer.error_code, answer.broker_epoch


def beat(world: World, epoch: int, *offline: uuid.UUID) -> int:
    """A heartbeat of the broker that does not exist; the error."""
    types = request_types(Key.BROKER_HEARTBEAT, 2)
    request = make(
        types.BrokerHeartbeatRequest,
        broker_id=STRANGER,
        broker_epoch=epoch,
        current_metadata_offset=0,
        want_fence=True,
        want_shut_down=False,
        offline_log_dirs=offline,
        cordoned_log_dirs=None,
    )
    return int(committed.ask_controller(world.cluster, request).error_code)


@pytest.mark.spec("K858-02", "K858-04", "K858-05")
def test_registrations_and_heartbeats_name_directories(world: World) -> None:
    one, other = uuid.uuid4(), uuid.uuid4()
    refused = (Error.INVALID_REGISTRATION, -1)
    reserved = [uuid.UUID(int=n) for n in (0, 1, 2, 3, 57, 99)]
    assert reserved[:3] == [MIGRATING, UNASSIGNED, LOST]
    for id in reserved:
        assert register(world, one, id) == refused
    assert register(world) == refused
    assert register(world, one, one) == refused
    assert register(world, one, world.ids(KEEPER)[0]) == refused
    error, epoch = register(world, one, other, uuid.UUID(int=100))
    assert (error, epoch > 0) == (Error.NONE, True)
    # Unknown ids are passed over; one that is known is taken out of the registration.
    assert beat(world, epoch, uuid.uuid4()) == Error.NONE
    assert beat(world, epoch + 1) == Error.STALE_BROKER_EPOCH
    assert beat(world, epoch, other, uuid.uuid4()) == Error.NONE
    state = committed.image(world.cluster).brokers[STRANGER]
    assert set(state.log_dirs) == {one, uuid.UUID(int=100)}
    types = request_types(Key.UNREGISTER_BROKER, 0)
    gone = make(types.UnregisterBrokerRequest, broker_id=STRANGER)
    assert committed.ask_controller(world.cluster, gone).error_code == Error.NONE


def assign(world: World, broker: int, **changes: Any) -> int:
    """Say where a replica is, rightly or not; the error of the whole or of the partition."""
    now = committed.image(world.cluster)
    given = {
        "epoch": now.brokers[broker].broker_epoch,
        "topic": now.topic_ids["judged"],
        "partition": 0,
        "place": world.ids(broker)[0],
        **changes,
    }
    types = request_types(Key.ASSIGN_REPLICAS_TO_DIRS, 0)
    partition = make(types.PartitionData, partition_index=given["partition"])
    topic = make(types.TopicData, topic_id=given["topic"], partitions=(partition,))
    request = make(
        types.AssignReplicasToDirsRequest,
        broker_id=broker,
        broker_epoch=given["epoch"],
        directories=(make(types.DirectoryData, id_=given["place"], topics=(topic,)),),
    )
    answer = committed.ask_controller(world.cluster, request)
    if answer.error_code != Error.NONE:
        return int(answer.error_code)
    return int(answer.directories[0].topics[0].partitions[0].error_code)


@pytest.mark.spec("K858-07", "K858-15", "K858-02")
def test_a_replica_is_offline_where_its_directory_is(world: World) -> None:
    world.make_topics(["judged"], [VICTIM, KEEPER])
    world.make_topics(["alone"], [SINGLE, KEEPER])
    world.relays[VICTIM].hold(Key.ASSIGN_REPLICAS_TO_DIRS, Key.ALTER_REPLICA_STATE)
    world.relays[SINGLE].hold(Key.ASSIGN_REPLICAS_TO_DIRS, Key.ALTER_REPLICA_STATE)
    epoch = committed.image(world.cluster).brokers[VICTIM].broker_epoch
    assert assign(world, VICTIM, epoch=epoch + 1) == Error.STALE_BROKER_EPOCH
    assert assign(world, VICTIM, topic=uuid.uuid4()) == Error.UNKNOWN_TOPIC_ID
    assert assign(world, VICTIM, partition=7) == Error.UNKNOWN_TOPIC_OR_PARTITION
    assert assign(world, SINGLE) == Error.NOT_LEADER_OR_FOLLOWER
    alone = committed.image(world.cluster).topic_ids["alone"]
    for place in (UNASSIGNED, MIGRATING, world.ids()[2]):
        assert assign(world, VICTIM, place=place) == Error.NONE
        assert world.assigned("judged") == place
        assert world.cluster.state("judged") == {0: (VICTIM, BOTH)}
    for place in (NOWHERE, LOST):
        assert assign(world, VICTIM, place=place) == Error.NONE
        assert world.assigned("judged") == place
        world.become("judged", KEEPER, {KEEPER})
    # With one directory registered an unknown id is offline, too: as shipped, not as in the KIP.
    assert assign(world, SINGLE, topic=alone, place=NOWHERE) == Error.NONE
    world.become("alone", KEEPER, {KEEPER})
    for relay in world.relays.values():
        relay.release()
    world.become("judged", KEEPER, BOTH)
    world.become("alone", KEEPER, {SINGLE, KEEPER})
    (disk,) = world.where("judged")
    assert world.assigned("judged") == world.ids()[disk]
    assert world.assigned("alone", SINGLE) == world.ids(SINGLE)[0]


@pytest.mark.spec("K858-06")
def test_records_carry_directories_in_kafkas_versions(world: World) -> None:
    kinds = (
        r.RegisterBroker,
        r.BrokerRegistrationChange,
        r.PartitionRegistration,
        r.PartitionChange,
    )
    found: dict[type, set[int]] = {kind: set() for kind in kinds}
    for written in committed.batches(world.cluster):
        for one in written:
            if isinstance(one.record, kinds) and getattr(one.record, "log_dirs", True):
                found[type(one.record)].add(one.version)
    assert found == {
        r.RegisterBroker: {4},
        r.BrokerRegistrationChange: {2},
        r.PartitionRegistration: {2},
        r.PartitionChange: {2},
    }


# --- what brokers tell -----------------------------------------------------------------------


@pytest.mark.spec("B-24")
def test_new_replicas_have_a_place_at_once_where_the_controller_is_ours(world: World) -> None:
    ours = CONTROLLER_ID not in world.cluster.theirs
    heartbeats = world.relays[VICTIM].seen(Key.BROKER_HEARTBEAT)
    assert any(seen.body.room_share > 0 for seen in heartbeats), "the broker tells any controller"
    before = len(committed.batches(world.cluster))
    names = [f"placed-{n}" for n in range(6)]
    world.make_topics(names, [VICTIM, KEEPER])
    world.until(lambda: all(world.where(name) for name in names), "they are made")
    made = [
        one.record
        for batch in committed.batches(world.cluster)[before:]
        for one in batch
        if isinstance(one.record, r.PartitionRegistration)
    ]
    assert len(made) == len(names)
    victims = [record.directories[record.replicas.index(VICTIM)] for record in made]
    if not ours:
        assert victims == [UNASSIGNED] * len(names)
        world.until(lambda: all(map(world.has_reported, names)), "the broker chooses and tells")
        return
    # Alike as the directories are, none gets everything; and no report has to follow.
    assert set(victims) == set(world.ids())
    for name, place in zip(names, victims, strict=True):
        assert [world.ids()[disk] for disk in world.where(name)] == [place]
    assert not any(map(world.has_reported, names))


@pytest.mark.spec("K858-13")
def test_a_broker_is_fenced_until_the_controller_knows_every_place(world: World) -> None:
    world.make_topics(["awaited"], [KEEPER, VICTIM])
    relay = world.relays[VICTIM]
    relay.hold(Key.ASSIGN_REPLICAS_TO_DIRS)
    world.stop_and(lambda: committed.assign(world.cluster, VICTIM, {"awaited": MIGRATING}))
    world.until(lambda: world.has_reported("awaited"), "the broker reports it")
    relay.forget()
    world.until(lambda: len(relay.seen(Key.BROKER_HEARTBEAT)) > 3, "heartbeats go on")
    assert all(seen.body.want_fence for seen in relay.seen(Key.BROKER_HEARTBEAT))
    assert world.fenced()
    relay.release()
    world.until(lambda: not world.fenced(), "it is unfenced")
    (disk,) = world.where("awaited")
    assert world.assigned("awaited") == world.ids()[disk]
    world.become("awaited", KEEPER, BOTH)


@pytest.mark.spec("K858-14")
def test_with_one_directory_only_what_is_wrong_is_reported(world: World) -> None:
    world.make_topics(["quiet", "wrong"], [KEEPER, SINGLE])
    home = world.ids(SINGLE)[0]
    assert committed.assigned(world.cluster, SINGLE, "quiet", "wrong") == {
        "quiet": home,
        "wrong": home,
    }
    assert not world.has_reported("quiet", SINGLE)

    def change() -> None:
        committed.assign(world.cluster, SINGLE, {"wrong": LOST})

    world.restart_changed(change, SINGLE)
    world.become("wrong", KEEPER, {KEEPER, SINGLE})
    world.until(lambda: world.assigned("wrong", SINGLE) == home, "it is corrected")
    assert not world.has_reported("quiet", SINGLE)


@pytest.mark.spec("K858-17")
def test_assignments_are_repeated_and_what_is_superseded_is_dropped(world: World) -> None:
    topics = ["deleted-meanwhile", "moved-meanwhile", "repeated"]
    world.make_topics(topics, [KEEPER, VICTIM])
    world.place(dict.fromkeys(topics, 1))
    ids, known = world.ids(), committed.image(world.cluster).topic_ids
    gone, moved, repeated = ((known[topic], 0) for topic in topics)
    relay = world.relays[VICTIM]
    # The relay hangs up on its sender: the broker repeats the request.
    relay.cut(Key.ASSIGN_REPLICAS_TO_DIRS)
    relay.forget()
    committed.assign(world.cluster, VICTIM, dict.fromkeys(topics, MIGRATING))
    world.until(lambda: len(world.reports()) >= 3, "it is repeated")
    assert world.reports()[2] == dict.fromkeys((gone, moved, repeated), ids[1])
    world.cluster.admin.delete_topics([topics[0]])[topics[0]].result(60)
    world.until(
        lambda: gone not in world.reports()[-1],
        "a topic that is gone needs no report",
    )
    assert world.reports()[-1] == dict.fromkeys((moved, repeated), ids[1])
    asked = {("moved-meanwhile", 0, VICTIM): 2}
    assert set(world.cluster.alter(asked).values()) == {Error.NONE}
    world.until(lambda: world.reports()[-1][moved] == ids[2], "the newest word counts")
    # Another controller, or the same one in a new term, hears all that is still to be said.
    epoch = led(world.cluster).epoch
    world.cluster.stop_node(CONTROLLER_ID, kill=True)
    relay.forget()
    relay.release()
    world.cluster.start_node(CONTROLLER_ID, wait=False)
    led(world.cluster, after=epoch)
    world.until(lambda: world.where("moved-meanwhile") == [2], "the move is done")
    right = {"moved-meanwhile": ids[2], "repeated": ids[1]}
    world.until(
        lambda: committed.assigned(world.cluster, VICTIM, *right) == right, "all of it is known"
    )
    assert all(gone not in told for told in world.reports())


@pytest.mark.spec("K858-17")
def test_more_than_one_request_can_hold(world: World) -> None:
    new = NewTopic("many", num_partitions=MANY, replica_assignment=[[VICTIM]] * MANY)
    world.cluster.admin.create_topics([new])["many"].result(60)
    world.until(lambda: len(world.cluster.state("many")) == MANY, "it is there")
    halves = range(MANY // 2), range(MANY // 2, MANY)

    def change() -> None:
        for numbers in halves:
            committed.assign(world.cluster, VICTIM, {"many": MIGRATING}, numbers)

    world.restart_changed(change)
    sizes = [len(told) for told in world.reports()]
    assert max(sizes) <= REQUEST_MAX
    told = {partition: place for request in world.reports() for partition, place in request.items()}
    state = committed.image(world.cluster).topic("many")
    assert state is not None
    assert {(state.topic_id, n): p.directories[0] for n, p in state.partitions.items()} == told
    assert len(told) == MANY


# --- a directory fails -----------------------------------------------------------------------


def produce_by_hand(world: World, broker: int, topic: str) -> int:
    """What a broker answers to a client that still takes it for the leader."""
    types = request_types(Key.PRODUCE, 9)
    partition = make(types.PartitionProduceData, index=0, records=b"")
    request = make(
        types.ProduceRequest,
        transactional_id=None,
        acks=-1,
        topic_data=(make(types.TopicProduceData, name=topic, partition_data=(partition,)),),
    )
    answer = ask(world.cluster.nodes[broker].port, request, 20)
    return int(answer.responses[0].partition_responses[0].error_code)


@pytest.mark.spec("K858-05", "K858-10")
def test_one_word_tells_of_a_failed_directory(world: World) -> None:
    lost, kept = [f"lost-{n}" for n in range(12)], "kept-here"
    world.make_topics([*lost, kept], [VICTIM, KEEPER])
    world.place({**dict.fromkeys(lost, 1), kept: 2})
    for topic in (lost[0], kept):
        produce(world.cluster.bootstrap, topic, [b"before"])
    ids, relay = world.ids(), world.relays[VICTIM]
    before = len(committed.batches(world.cluster))
    relay.forget()
    world.cluster.break_disk(VICTIM, 1)
    for topic in lost:
        world.become(topic, KEEPER, {KEEPER})
    world.become(kept, VICTIM, BOTH)
    gone = (Error.KAFKA_STORAGE_ERROR, Error.NOT_LEADER_OR_FOLLOWER)
    assert produce_by_hand(world, VICTIM, lost[0]) in gone
    for topic in (lost[0], kept):
        produce(world.cluster.bootstrap, topic, [b"after"])
        assert values(world.cluster.bootstrap, topic) == [b"before", b"after"]
    # A heartbeat names the directory; no request lists the partitions.
    assert not any(map(world.has_reported, lost))
    for key in (Key.ALTER_REPLICA_STATE, Key.ALTER_PARTITION):
        assert not relay.seen(key)
    named = [set(seen.body.offline_log_dirs) for seen in relay.seen(Key.BROKER_HEARTBEAT)]
    assert {ids[1]} in named
    # All that follows stands in one batch.
    known = committed.image(world.cluster).topic_ids
    (decided,) = [
        [one.record for one in batch]
        for batch in committed.batches(world.cluster)[before:]
        if any(
            isinstance(one.record, r.BrokerRegistrationChange) and one.record.log_dirs
            for one in batch
        )
    ]
    changed = {c.topic_id for c in decided if isinstance(c, r.PartitionChange)}
    assert {known[topic] for topic in lost} <= changed
    assert known[kept] not in changed
    (registration,) = [c for c in decided if isinstance(c, r.BrokerRegistrationChange)]
    assert set(registration.log_dirs) == {ids[0], ids[2]}
    # The next one is named beside it, again and again.
    world.cluster.break_disk(VICTIM, 0)
    both = {ids[0], ids[1]}
    world.until(
        lambda: set(relay.seen(Key.BROKER_HEARTBEAT)[-1].body.offline_log_dirs) == both,
        "both are named",
    )
    world.until(
        lambda: committed.image(world.cluster).brokers[VICTIM].log_dirs == (ids[2],),
        "one is left",
    )
    assert world.cluster.state(kept) == {0: (VICTIM, BOTH)}
