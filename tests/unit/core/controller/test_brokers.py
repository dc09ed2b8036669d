"""Registration, heartbeats, fencing, controlled shutdown."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.unit.core.controller.kit import (
    WITHOUT_ELR,
    Cluster,
    directory,
    incarnation,
    old_features,
)

from spindle.core.controller import brokers
from spindle.core.controller.broker_sessions import BrokerSessions
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import FINALIZED, METADATA_VERSION, SUPPORTED
from spindle.model.ids import LOST, NO_LEADER, Endpoint, VersionRange


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"cluster_id": "another", "log_dirs": ()}, Error.INCONSISTENT_CLUSTER_ID),
        ({"incarnation_id": incarnation(5)}, Error.DUPLICATE_BROKER_REGISTRATION),
        ({"broker_id": 2, "from_zookeeper": True, "log_dirs": ()}, Error.BROKER_ID_NOT_REGISTERED),
        ({"broker_id": 2, "log_dirs": ()}, Error.INVALID_REGISTRATION),
        ({"broker_id": 2, "log_dirs": (directory(2, 0), LOST)}, Error.INVALID_REGISTRATION),
        ({"broker_id": 2, "log_dirs": (uuid.UUID(int=99),)}, Error.INVALID_REGISTRATION),
        ({"broker_id": 2, "log_dirs": (directory(2, 0),) * 2}, Error.INVALID_REGISTRATION),
        ({"broker_id": 2, "log_dirs": (directory(1, 1),)}, Error.INVALID_REGISTRATION),
        ({"broker_id": 2, "features": {}}, Error.INVALID_REGISTRATION),
        (
            {"broker_id": 2, "features": old_features(metadata_version=VersionRange(7, 29))},
            Error.UNSUPPORTED_VERSION,
        ),
    ],
)
def test_registration_is_refused(changes: dict[str, Any], error: Error) -> None:
    cluster = Cluster()
    cluster.start(1)
    asked = cluster.registration(changes.get("broker_id", 1), **changes)
    before = cluster.next_offset
    with pytest.raises(Refusal) as refused:
        brokers.register(cluster.state, cluster.sessions, asked, before, cluster.now)
    assert refused.value.error is error
    assert cluster.next_offset == before


def test_a_finalized_feature_must_be_listed() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 30, "eligible.leader.replicas.version": 1})
    features = {METADATA_VERSION: SUPPORTED[METADATA_VERSION]}
    with pytest.raises(Refusal) as refused:
        cluster.register(1, features=features)
    assert refused.value.error is Error.UNSUPPORTED_VERSION


def test_a_new_broker_is_fenced_and_its_epoch_is_the_offset() -> None:
    cluster = Cluster()
    offset = cluster.next_offset
    assert cluster.register(1) == offset
    assert cluster.image.brokers[1].fenced
    assert cluster.image.brokers[1].log_dirs == (directory(1, 0), directory(1, 1))


def test_the_same_process_amends_its_registration() -> None:
    cluster = Cluster()
    cluster.start(1)
    epoch = cluster.image.brokers[1].broker_epoch
    assert cluster.register(1, rack="r1") == epoch
    assert not cluster.image.brokers[1].fenced
    assert cluster.image.brokers[1].rack == "r1"


def test_below_directory_assignment_no_directories_are_recorded() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 16})
    cluster.register(1, log_dirs=())
    assert cluster.image.brokers[1].log_dirs == ()
    cluster.register(2)
    assert cluster.image.brokers[2].log_dirs == ()


def test_a_restart_waits_for_the_old_session_and_then_leaves_the_isr() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    with pytest.raises(Refusal):
        cluster.register(1, process=1)
    cluster.now += 9.0
    offset = cluster.next_offset
    assert cluster.register(1, process=1) == offset
    # The epoch is the offset of the batch, whose first record removes the old process.
    assert [type(x) for x in cluster.last] == [r.PartitionChange, r.RegisterBroker]
    assert cluster.partition("t").isr == (2,)
    assert cluster.partition("t").leader == 2
    assert cluster.state.registered_at[1] == offset + 1


def test_unfencing_needs_the_registration_to_be_read() -> None:
    cluster = Cluster()
    offset = cluster.next_offset
    cluster.register(1)
    assert cluster.beat(1, metadata_offset=offset - 1) == brokers.HeartbeatAnswer(
        False, True, False
    )
    assert cluster.beat(1, metadata_offset=offset, want_fence=True) == brokers.HeartbeatAnswer(
        True, True, False
    )
    assert cluster.beat(1, metadata_offset=offset) == brokers.HeartbeatAnswer(True, False, False)
    assert not cluster.image.brokers[1].fenced


def test_a_heartbeat_of_another_epoch_is_stale() -> None:
    cluster = Cluster()
    cluster.start(1)
    for broker, epoch in ((1, 999), (2, 1)):
        beat = brokers.Heartbeat(broker_id=broker, broker_epoch=epoch, metadata_offset=0)
        with pytest.raises(Refusal) as refused:
            brokers.heartbeat(cluster.state, cluster.sessions, beat, 0, cluster.now)
        assert refused.value.error is Error.STALE_BROKER_EPOCH


def test_an_expired_session_fences_partitions_first() -> None:
    cluster = Cluster()
    cluster.start(1, 2, 3)
    cluster.topic("t", (1, 2, 3), (2, 1, 3))
    cluster.now += 8.9
    assert brokers.expire(cluster.state, cluster.sessions, cluster.now) is None
    cluster.beat(2)
    cluster.beat(3)
    cluster.now += 0.1
    decision = brokers.expire(cluster.state, cluster.sessions, cluster.now)
    assert decision is not None
    assert cluster.take(decision) == 1
    assert isinstance(cluster.last[-1], r.BrokerRegistrationChange)
    assert cluster.partition("t", 0).leader == 2
    assert cluster.partition("t", 0).isr == (2, 3)
    assert cluster.partition("t", 1).isr == (2, 3)
    assert cluster.partition("t", 1).leader_epoch == 0
    assert brokers.expire(cluster.state, cluster.sessions, cluster.now) is None


@pytest.mark.parametrize(("levels", "isr"), [(WITHOUT_ELR, (1,)), (FINALIZED, ())])
def test_the_last_of_the_isr_leads_again(levels: dict[str, int], isr: tuple[int, ...]) -> None:
    cluster = Cluster(levels=levels)
    cluster.start(1)
    cluster.topic("t", (1,))
    cluster.beat(1, want_fence=True)
    assert cluster.partition("t").leader == NO_LEADER
    assert cluster.partition("t").isr == isr
    cluster.beat(1)
    assert (cluster.partition("t").leader, cluster.partition("t").isr) == (1, (1,))
    assert cluster.partition("t").leader_epoch == 2


def test_controlled_shutdown_moves_leaders_and_waits_for_readers() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    answer = cluster.beat(1, want_shut_down=True)
    assert not answer.should_shut_down
    assert cluster.image.brokers[1].in_controlled_shutdown
    assert cluster.partition("t").leader == 2
    assert cluster.partition("t").isr == (2,)
    shutdown_offset = cluster.next_offset - 1
    cluster.beat(2, metadata_offset=shutdown_offset - 1)
    assert not cluster.beat(1, want_shut_down=True).should_shut_down
    cluster.beat(2, metadata_offset=shutdown_offset)
    answer = cluster.beat(1, want_shut_down=True)
    assert answer.should_shut_down
    assert cluster.image.brokers[1].fenced
    # A late heartbeat must not bring it back.
    assert cluster.beat(1).is_fenced


def test_a_broker_that_has_stopped_may_register_at_once() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    assert cluster.beat(2, want_shut_down=True).should_shut_down
    before = cluster.image.brokers[2].broker_epoch
    assert cluster.register(2, incarnation_id=incarnation(5)) > before
    with pytest.raises(Refusal) as refused:
        cluster.register(1, incarnation_id=incarnation(5))
    assert refused.value.error is Error.DUPLICATE_BROKER_REGISTRATION


def test_a_broker_that_leads_nothing_stops_at_once() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    answer = cluster.beat(2, want_shut_down=True)
    assert answer.should_shut_down
    assert cluster.partition("t").isr == (1,)


def test_a_fenced_broker_may_stop() -> None:
    cluster = Cluster()
    cluster.register(1)
    assert cluster.beat(1, want_shut_down=True).should_shut_down


def test_unregistering_forgets_a_broker() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    cluster.take(brokers.unregister(cluster.state, 1))
    assert 1 not in cluster.image.brokers
    assert cluster.partition("t").leader == 2
    with pytest.raises(Refusal) as refused:
        brokers.unregister(cluster.state, 1)
    assert refused.value.error is Error.BROKER_ID_NOT_REGISTERED


def test_a_broker_heard_before_it_was_unregistered_keeps_no_other_process_away() -> None:
    cluster = Cluster()
    cluster.start(1)
    cluster.take(brokers.unregister(cluster.state, 1))
    first = cluster.register(1, process=1)
    assert cluster.register(1, process=2) > first


def test_a_new_controller_gives_each_broker_time() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    cluster.beat(1, want_shut_down=True)
    fresh = BrokerSessions(9.0)
    for registration in cluster.image.brokers.values():
        fresh.adopt(registration, cluster.image.offset, cluster.now)
    cluster.sessions = fresh
    assert brokers.expire(cluster.state, fresh, cluster.now + 8.9) is None
    # It is unknown what broker 2 has read, so broker 1 goes on waiting.
    assert not cluster.beat(1, want_shut_down=True).should_shut_down
    cluster.beat(2)
    assert cluster.beat(1, want_shut_down=True).should_shut_down


@pytest.mark.spec("B-29")
def test_a_process_takes_the_place_of_one_that_only_an_earlier_controller_heard() -> None:
    cluster = after_an_election()
    before = cluster.image.brokers[1].broker_epoch
    assert cluster.register(1, incarnation_id=incarnation(5)) > before
    cluster.beat(1)
    with pytest.raises(Refusal) as refused:
        cluster.register(1, incarnation_id=incarnation(6))
    assert refused.value.error is Error.DUPLICATE_BROKER_REGISTRATION


@pytest.mark.spec("B-29")
@pytest.mark.parametrize(
    "changes",
    [
        {"endpoints": (Endpoint("PLAINTEXT", "elsewhere", 9092),)},
        {"log_dirs": (directory(1, 7),)},
        {"log_dirs": (directory(1, 7), directory(1, 8))},
    ],
)
def test_nothing_short_of_its_directories_and_addresses_is_proof(changes: dict[str, Any]) -> None:
    cluster = after_an_election()
    with pytest.raises(Refusal) as refused:
        cluster.register(1, incarnation_id=incarnation(5), **changes)
    assert refused.value.error is Error.DUPLICATE_BROKER_REGISTRATION


@pytest.mark.spec("B-29")
def test_a_process_that_this_controller_heard_keeps_its_place() -> None:
    cluster = after_an_election()
    cluster.beat(1)
    with pytest.raises(Refusal) as refused:
        cluster.register(1, incarnation_id=incarnation(5))
    assert refused.value.error is Error.DUPLICATE_BROKER_REGISTRATION


@pytest.mark.spec("B-29")
def test_one_of_its_directories_is_proof_enough() -> None:
    cluster = after_an_election()
    cluster.register(1, incarnation_id=incarnation(5), log_dirs=(directory(1, 1),))
    assert cluster.image.brokers[1].log_dirs == (directory(1, 1),)


def after_an_election() -> Cluster:
    """Brokers 1 and 2 serve, and a controller leads that has not heard them yet."""
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.sessions = BrokerSessions(cluster.sessions.timeout)
    for registration in cluster.image.brokers.values():
        cluster.sessions.adopt(registration, cluster.next_offset, cluster.now)
    return cluster
