"""Directories: assigned, offline, cordoned (KIP-858, KIP-1066)."""

from __future__ import annotations

import uuid

import pytest
from tests.unit.core.controller.kit import Cluster, directory

from spindle.core.controller import directories, reassignment, topics
from spindle.core.logdirs.placement import DirectoryCapacities, DirectoryCapacity
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.ids import (
    LOST,
    MIGRATING,
    NO_LEADER,
    UNASSIGNED,
    PartitionId,
    TopicPartition,
)

D10, D11 = directory(1, 0), directory(1, 1)


def cluster_of(*ids: int) -> Cluster:
    cluster = Cluster()
    cluster.start(*ids)
    return cluster


def test_a_new_replica_is_nowhere_yet_unless_there_is_one_place() -> None:
    cluster = Cluster()
    cluster.start(1)
    cluster.start(2, log_dirs=(directory(2, 0),))
    cluster.topic("t", (1, 2))
    assert cluster.partition("t").directories == (UNASSIGNED, directory(2, 0))


def test_below_directory_assignment_replicas_have_no_directory() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 16})
    cluster.start(1)
    cluster.topic("t", (1,))
    assert cluster.partition("t").directories == ()
    with pytest.raises(Refusal) as refused:
        cluster.assign(1, D10, "t")
    assert refused.value.error is Error.UNSUPPORTED_VERSION


def test_migrated_replicas_are_assigned_one_by_one() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 16})
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    cluster.state.replay(r.FeatureLevel(name=METADATA_VERSION, level=30), cluster.next_offset)
    cluster.log.append(r.FeatureLevel(name=METADATA_VERSION, level=30))
    cluster.register(1)
    cluster.assign(1, D10, "t")
    assert cluster.partition("t").directories == (D10, MIGRATING)


def test_assignments_are_recorded_once() -> None:
    cluster = cluster_of(1, 2)
    cluster.topic("t", (1, 2))
    assert cluster.assign(1, D10, "t") == [Error.NONE]
    assert cluster.partition("t").directories == (D10, UNASSIGNED)
    assert cluster.assign(1, D10, "t") == [Error.NONE]
    assert cluster.last == ()
    assert cluster.assign(1, D11, "t") == [Error.NONE]
    assert cluster.partition("t").directories == (D11, UNASSIGNED)
    assert cluster.partition("t").leader_epoch == 0


def test_each_assignment_has_its_own_error() -> None:
    cluster = cluster_of(1, 2)
    cluster.topic("mine", (1,))
    cluster.topic("other", (2,))
    asked = [
        PartitionId(uuid.UUID(int=12345), 0),
        PartitionId(cluster.id("mine").topic_id, 7),
        cluster.id("other"),
        cluster.id("mine"),
    ]
    epoch = cluster.image.brokers[1].broker_epoch
    decision = directories.assign(
        cluster.state, 1, epoch, [directories.Assignment(D10, id) for id in asked]
    )
    assert cluster.take(decision) == [
        Error.UNKNOWN_TOPIC_ID,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
        Error.NOT_LEADER_OR_FOLLOWER,
        Error.NONE,
    ]
    assert len(cluster.last) == 1
    with pytest.raises(Refusal) as refused:
        directories.assign(cluster.state, 1, epoch + 1, [])
    assert refused.value.error is Error.STALE_BROKER_EPOCH


@pytest.mark.parametrize("place", [LOST, uuid.UUID(int=0xABCDEF)])
def test_an_assignment_to_no_online_directory_makes_the_replica_offline(place: uuid.UUID) -> None:
    cluster = cluster_of(1, 2)
    cluster.topic("t", (1, 2))
    assert cluster.assign(1, place, "t") == [Error.NONE]
    state = cluster.partition("t")
    assert state.directories == (place, UNASSIGNED)
    assert (state.leader, state.isr) == (2, (2,))


def test_a_lone_replica_leads_again_once_it_has_a_directory() -> None:
    cluster = cluster_of(1)
    cluster.topic("t", (1,))
    cluster.assign(1, LOST, "t")
    assert (cluster.partition("t").leader, cluster.partition("t").isr) == (NO_LEADER, ())
    cluster.assign(1, D11, "t")
    assert (cluster.partition("t").leader, cluster.partition("t").isr) == (1, (1,))


def test_an_offline_directory_takes_its_replicas_along() -> None:
    cluster = cluster_of(1, 2, 3)
    for name in ("a", "b", "c"):
        cluster.topic(name, (1, 2, 3))
    cluster.topic("follows", (2, 1))
    cluster.assign(1, D10, "a", "follows")
    cluster.assign(1, D11, "b")
    cluster.beat(1, offline_dirs=(D10,))
    assert (cluster.partition("a").leader, cluster.partition("a").isr) == (2, (2, 3))
    assert (cluster.partition("follows").leader, cluster.partition("follows").isr) == (2, (2,))
    assert cluster.partition("b").leader == 1
    assert cluster.partition("c").leader == 1, "not assigned yet: it may be in the other one"
    assert cluster.image.brokers[1].log_dirs == (D11,)
    assert isinstance(cluster.last[-1], r.BrokerRegistrationChange)
    assert not cluster.image.brokers[1].fenced
    cluster.beat(1, offline_dirs=(D10,))
    assert cluster.last == ()


def test_unknown_offline_directories_are_reported_once_and_change_nothing() -> None:
    cluster = cluster_of(1)
    odd = uuid.UUID(int=0x777777)
    assert cluster.beat(1, offline_dirs=(odd,)).odd_dirs == (odd,)
    assert cluster.last == ()
    assert cluster.beat(1, offline_dirs=(odd,)).odd_dirs == ()
    assert cluster.beat(1, offline_dirs=(odd, D10)).odd_dirs == ()
    assert cluster.image.brokers[1].log_dirs == (D11,)
    assert cluster.beat(1, offline_dirs=(odd, D10)).odd_dirs == ()


def test_a_broker_without_a_directory_left_is_fenced() -> None:
    cluster = cluster_of(1, 2)
    cluster.topic("assigned", (1, 2))
    cluster.topic("unassigned", (1, 2))
    cluster.assign(1, D10, "assigned")
    answer = cluster.beat(1, offline_dirs=(D10, D11))
    assert answer.is_fenced
    assert cluster.partition("assigned").leader == 2
    assert cluster.partition("unassigned").leader == 2


def test_a_lone_replica_on_a_dead_directory_waits_for_it() -> None:
    cluster = cluster_of(1)
    cluster.topic("t", (1,))
    cluster.assign(1, D10, "t")
    cluster.beat(1, offline_dirs=(D10,))
    assert (cluster.partition("t").leader, cluster.partition("t").isr) == (NO_LEADER, ())
    cluster.now += 10
    cluster.register(1, process=1, log_dirs=(D11,))
    cluster.beat(1)
    assert cluster.partition("t").leader == NO_LEADER
    cluster.now += 10
    cluster.register(1, process=2)
    cluster.beat(1)
    assert cluster.partition("t").leader == 1


def test_with_eligible_leaders_the_isr_empties() -> None:
    cluster = Cluster()
    cluster.start(7)
    cluster.topic("t", (7,))
    cluster.assign(7, directory(7, 0), "t")
    cluster.beat(7, offline_dirs=(directory(7, 0),))
    state = cluster.partition("t")
    assert (state.isr, state.leader, state.elr, state.last_known_elr) == ((), -1, (7,), (7,))


def test_failure_and_unfencing_in_one_heartbeat_agree() -> None:
    cluster = cluster_of(1)
    cluster.topic("dead", (1,))
    cluster.topic("alive", (1,))
    cluster.assign(1, D10, "dead")
    cluster.assign(1, D11, "alive")
    cluster.beat(1, want_fence=True)
    cluster.beat(1, offline_dirs=(D10,))
    assert not cluster.image.brokers[1].fenced
    assert cluster.partition("dead").leader == NO_LEADER
    assert cluster.partition("alive").leader == 1


def test_cordoned_directories_are_recorded_when_they_change() -> None:
    cluster = cluster_of(1)
    cluster.beat(1, cordoned_dirs=())
    assert cluster.image.brokers[1].cordoned_log_dirs == ()
    assert len(cluster.last) == 1
    cluster.beat(1, cordoned_dirs=())
    assert cluster.last == ()
    cluster.beat(1, cordoned_dirs=(D10,))
    assert cluster.image.brokers[1].cordoned_log_dirs == (D10,)
    cluster.beat(1)
    assert cluster.last == ()


@pytest.mark.spec("B-13", "B-19")
def test_a_process_that_registers_again_keeps_its_cordons() -> None:
    cluster = cluster_of(1)
    cluster.beat(1, cordoned_dirs=(D10, D11))
    cluster.register(1, log_dirs=(D10, D11, directory(1, 2)))
    assert cluster.image.brokers[1].cordoned_log_dirs == (D10, D11)


def test_cordons_wait_for_their_metadata_version() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 29})
    cluster.start(1)
    cluster.beat(1, cordoned_dirs=(D10,))
    assert cluster.last == ()


# --- the controller chooses (B-24) ----------------------------------------------------------

GIB = 1 << 30


def rooms(*left: int, broker: int = 1) -> DirectoryCapacities[uuid.UUID]:
    """What a broker says of its directories: so much is left in each, and they are idle."""
    of = {directory(broker, n): DirectoryCapacity(bytes, 0, 0) for n, bytes in enumerate(left)}
    return DirectoryCapacities(of, GIB, GIB)


@pytest.mark.spec("B-24")
def test_new_replicas_go_where_their_brokers_have_most_room() -> None:
    cluster = cluster_of(1, 2)
    cluster.beat(1, rooms=rooms(10 * GIB, 12 * GIB))
    cluster.topic("t", *[(1, 2)] * 4)
    places = [cluster.partition("t", n).directories for n in range(4)]
    # Each that is placed takes room from the next; broker 2 has reported nothing.
    assert places == [(d, UNASSIGNED) for d in (D11, D11, D10, D11)]
    cluster.topic("u", (1,))
    assert cluster.partition("u").directories == (D10,), "also in the next request"
    cluster.beat(1)
    cluster.topic("v", (1,))
    assert cluster.partition("v").directories == (D11,), "a heartbeat that is silent of it"
    cluster.beat(1, rooms=rooms(100 * GIB, 50 * GIB))
    cluster.topic("w", (1,))
    assert cluster.partition("w").directories == (D10,), "the newest word counts"


@pytest.mark.spec("B-24")
def test_directories_on_one_device_get_no_more_than_the_device_has() -> None:
    """10 GiB that two of them share, 10 GiB of another's own: half of the replicas for each."""
    cluster = cluster_of(1)
    third = directory(1, 2)
    cluster.register(1, log_dirs=(D10, D11, third))
    of = {
        D10: DirectoryCapacity(10 * GIB, 0, 0, 0),
        D11: DirectoryCapacity(10 * GIB, 0, 0, 0),
        third: DirectoryCapacity(10 * GIB, 0, 0, 1),
    }
    cluster.beat(1, rooms=DirectoryCapacities(of, GIB, GIB))
    cluster.topic("t", *[(1,)] * 4)
    cluster.topic("u", *[(1,)] * 4)
    places = [cluster.partition(t, n).directories[0] for t in "tu" for n in range(4)]
    assert sorted(map(places.count, (D10, D11, third))) == [2, 2, 4]
    assert places.count(third) == 4


@pytest.mark.spec("B-24")
def test_whatever_is_refused_takes_no_room() -> None:
    cluster = cluster_of(1)
    cluster.beat(1, rooms=rooms(10 * GIB, 9 * GIB))
    wish = topics.CreatableTopic(name="t", assignments=((0, (1,)),))
    topics.create_topics(cluster.state, [wish], cluster.rng, cluster.new_id, validate_only=True)
    cluster.topic("t", (1,))
    assert cluster.partition("t").directories == (D10,)


@pytest.mark.spec("B-24", "B-19")
def test_no_new_replica_where_it_is_cordoned_offline_or_unknown() -> None:
    cluster = cluster_of(1)
    cluster.beat(1, rooms=rooms(10 * GIB, 90 * GIB), cordoned_dirs=(D11,))
    cluster.topic("cordoned", (1,))
    assert cluster.partition("cordoned").directories == (D10,)
    cluster.beat(1, cordoned_dirs=(), rooms=rooms(10 * GIB))
    cluster.topic("untold", (1,))
    assert cluster.partition("untold").directories == (UNASSIGNED,), "the broker knows better"
    cluster.register(1, log_dirs=(D10, D11, directory(1, 2)))
    cluster.beat(1, rooms=rooms(1 * GIB, 2 * GIB, 90 * GIB))
    cluster.beat(1, offline_dirs=(directory(1, 2),))
    cluster.topic("offline", (1,))
    assert cluster.partition("offline").directories == (D11,)


@pytest.mark.spec("B-24", "B-07")
def test_a_directory_that_has_come_back_gets_its_part_of_new_replicas() -> None:
    """Until its broker has reported its room, another one must not get them all."""
    cluster = cluster_of(1)
    cluster.beat(1, rooms=rooms(10 * GIB, 10 * GIB))
    cluster.beat(1, offline_dirs=(D11,))
    cluster.topic("away", (1,), (1,))
    assert {cluster.partition("away", n).directories for n in range(2)} == {(D10,)}
    cluster.register(1)
    cluster.beat(1, rooms=rooms(10 * GIB))
    cluster.topic("back", (1,), (1,))
    assert {cluster.partition("back", n).directories for n in range(2)} == {(UNASSIGNED,)}
    cluster.beat(1, rooms=rooms(10 * GIB, 10 * GIB))
    cluster.topic("told", (1,), (1,))
    assert {cluster.partition("told", n).directories for n in range(2)} == {(D10,), (D11,)}


@pytest.mark.spec("B-24")
def test_what_another_process_of_the_broker_said_counts_no_more() -> None:
    cluster = cluster_of(1)
    cluster.beat(1, rooms=rooms(10 * GIB, 90 * GIB))
    cluster.now += 60
    cluster.register(1, process=2)
    cluster.beat(1)
    cluster.topic("t", (1,))
    assert cluster.partition("t").directories == (UNASSIGNED,)


@pytest.mark.spec("B-24")
def test_a_replica_that_comes_by_reassignment_has_a_place_at_once() -> None:
    cluster = cluster_of(1, 2)
    cluster.topic("t", (2,))
    cluster.beat(1, rooms=rooms(10 * GIB, 90 * GIB))
    asked = reassignment.TargetReplicas(partition=TopicPartition("t", 0), replicas=(1,))
    cluster.take(reassignment.alter(cluster.state, [asked], True))
    place = cluster.state.image.directory_of(cluster.partition("t"), 1)
    assert place == D11


def test_directories_that_go_together_take_all_their_replicas_along() -> None:
    cluster = Cluster()
    three = tuple(directory(1, n) for n in range(3))
    cluster.start(1, log_dirs=three)
    cluster.start(2)
    for n, place in enumerate(three):
        cluster.topic(f"t{n}", (1, 2))
        cluster.assign(1, place, f"t{n}")
    cluster.beat(1, offline_dirs=three[:2])
    assert [cluster.partition(f"t{n}").leader for n in range(3)] == [2, 2, 1]
    assert [cluster.partition(f"t{n}").isr for n in range(3)] == [(2,), (2,), (1, 2)]
