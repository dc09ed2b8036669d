"""Leaders: the rules of `change`, and the requests and checks that make use of them."""

from __future__ import annotations

import pytest
from tests.unit.core.controller.kit import WITHOUT_ELR, Cluster, directory

from spindle.core.controller import brokers, configs, elections, features
from spindle.core.controller.change import RECOVERING, Election, PartitionTarget, change
from spindle.core.controller.config_resources import Alteration, ConfigResource
from spindle.core.controller.controller_state import Draft
from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.feature_rules import ELR_VERSION, FINALIZED
from spindle.model.ids import LOST, NO_LEADER, TopicPartition
from spindle.model.image import TOPIC_RESOURCE

UNCLEAN = {"unclean.leader.election.enable": "true"}


def down(cluster: Cluster, *ids: int) -> None:
    for broker in ids:
        cluster.beat(broker, want_fence=True)


def up(cluster: Cluster, *ids: int) -> None:
    for broker in ids:
        cluster.beat(broker)


def leadership(cluster: Cluster, name: str = "t") -> tuple[int, tuple[int, ...], int]:
    state = cluster.partition(name)
    return state.leader, state.isr, state.leader_recovery_state


def test_leaders_come_from_the_isr_in_replica_order() -> None:
    cluster = Cluster()
    cluster.start(1, 2, 3)
    cluster.topic("t", (1, 2, 3))
    cluster.change(r.PartitionChange(partition_id=0, topic_id=cluster.id("t").topic_id, isr=(3, 1)))
    down(cluster, 1)
    assert leadership(cluster) == (3, (3,), 0)


@pytest.mark.parametrize(("levels", "kept"), [(WITHOUT_ELR, (1,)), (FINALIZED, ())])
def test_without_the_isr_no_replica_leads_until_a_member_is_back(
    levels: dict[str, int], kept: tuple[int, ...]
) -> None:
    cluster = Cluster(levels=levels)
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    down(cluster, 2, 1)
    assert leadership(cluster) == (NO_LEADER, kept, 0)
    up(cluster, 2)
    assert leadership(cluster) == (NO_LEADER, kept, 0)
    up(cluster, 1)
    assert leadership(cluster) == (1, (1,), 0)


def test_an_unclean_topic_takes_any_replica_that_is_there() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2), configs=UNCLEAN)
    down(cluster, 2, 1)
    up(cluster, 2)
    assert leadership(cluster) == (2, (2,), RECOVERING)


def test_a_replica_without_a_directory_does_not_lead() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2), configs=UNCLEAN)
    cluster.assign(2, LOST, "t")
    down(cluster, 1)
    assert leadership(cluster)[0] == NO_LEADER


def test_permission_to_elect_uncleanly_takes_effect_at_once() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    down(cluster, 2, 1)
    up(cluster, 2)
    alteration = Alteration("unclean.leader.election.enable", 0, "true")
    resource = ConfigResource(TOPIC_RESOURCE, "t")
    cluster.take(configs.alter_incrementally(cluster.state, [(resource, [alteration])]))
    assert leadership(cluster) == (2, (2,), RECOVERING)


def test_elect_leaders_preferred() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2), (2, 1))
    down(cluster, 1)
    up(cluster, 1)
    names = [TopicPartition("t", i) for i in range(3)] + [TopicPartition("nothing", 0)]
    outcomes = cluster.take(elections.elect_leaders(cluster.state, Election.PREFERRED, names))
    assert [o.error for o in outcomes.values()] == [
        Error.PREFERRED_LEADER_NOT_AVAILABLE,
        Error.ELECTION_NOT_NEEDED,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    assert cluster.last == ()
    id = cluster.id("t")
    cluster.change(r.PartitionChange(partition_id=0, topic_id=id.topic_id, isr=(2, 1)))
    outcomes = cluster.take(elections.elect_leaders(cluster.state, Election.PREFERRED, None))
    assert outcomes == {TopicPartition("t", 0): elections.ElectionOutcome()}
    assert cluster.partition("t").leader == 1


def test_elect_leaders_unclean() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    cluster.topic("u", (2, 1))
    name = TopicPartition("t", 0)

    def elect() -> Error:
        decision = elections.elect_leaders(cluster.state, Election.UNCLEAN, [name])
        return cluster.take(decision)[name].error

    assert elect() is Error.ELECTION_NOT_NEEDED
    down(cluster, 2, 1)
    assert elect() is Error.ELIGIBLE_LEADERS_NOT_AVAILABLE
    up(cluster, 2)
    assert elect() is Error.NONE
    assert leadership(cluster) == (2, (2,), RECOVERING)


def test_the_periodic_check_gives_leadership_back() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", *((1, 2),) * 5)
    down(cluster, 1)
    up(cluster, 1)
    topic_id = cluster.id("t").topic_id
    for number in range(4):
        cluster.change(r.PartitionChange(partition_id=number, topic_id=topic_id, isr=(2, 1)))
    assert cluster.take(elections.elect_preferred(cluster.state)) is False
    assert [cluster.partition("t", n).leader for n in range(5)] == [1, 1, 1, 1, 2]
    assert list(cluster.state.imbalanced) == [cluster.id("t", 4)]


def test_the_periodic_check_stops_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elections, "ELECTIONS_MAX", 2)
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", *((1, 2),) * 3)
    topic_id = cluster.id("t").topic_id
    for number in range(3):
        cluster.change(r.PartitionChange(partition_id=number, topic_id=topic_id, leader=2))
    assert cluster.take(elections.elect_preferred(cluster.state)) is True
    assert cluster.take(elections.elect_preferred(cluster.state)) is False
    assert not cluster.state.imbalanced


def test_a_new_controller_finds_leaders_for_partitions_that_lack_one() -> None:
    cluster = Cluster()
    cluster.start(1)
    cluster.topic("t", (1,))
    cluster.change(
        r.PartitionChange(partition_id=0, topic_id=cluster.id("t").topic_id, leader=NO_LEADER)
    )
    cluster.take(elections.elect_after_return(cluster.state))
    assert cluster.partition("t").leader == 1


# --- eligible leader replicas (KIP-966) -----------------------------------------------------------


def elr_cluster(min_isr: int, *replicas: int) -> Cluster:
    cluster = Cluster(
        settings={"min.insync.replicas": str(min_isr)},
    )
    cluster.start(*replicas)
    cluster.topic("t", replicas)
    return cluster


def eligible(cluster: Cluster) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return cluster.partition("t").elr, cluster.partition("t").last_known_elr


def test_leavers_of_a_small_isr_stay_eligible() -> None:
    cluster = elr_cluster(2, 1, 2, 3)
    down(cluster, 1)
    assert eligible(cluster) == ((), ())
    down(cluster, 2)
    assert (leadership(cluster), eligible(cluster)) == ((3, (3,), 0), ((2,), ()))
    down(cluster, 3)
    assert (leadership(cluster), eligible(cluster)) == ((-1, (), 0), ((2, 3), (3,)))
    up(cluster, 1)
    assert leadership(cluster)[0] == NO_LEADER
    up(cluster, 2)
    assert (leadership(cluster), eligible(cluster)) == ((2, (2,), 0), ((3,), ()))


def test_a_full_isr_needs_no_eligible_leaders() -> None:
    cluster = elr_cluster(2, 1, 2, 3)
    down(cluster, 1, 2)
    up(cluster, 2)
    draft = Draft(cluster.state)
    change(draft, cluster.id("t"), PartitionTarget(isr=(3, 2)))
    cluster.take(draft.decision(None))
    assert eligible(cluster) == ((), ())


def test_an_unclean_restart_costs_eligibility_and_the_last_leader_returns() -> None:
    cluster = elr_cluster(1, 1)
    down(cluster, 1)
    assert eligible(cluster) == ((1,), (1,))
    cluster.now += 10
    cluster.register(1, process=1, previous_epoch=-1)
    assert eligible(cluster) == ((), (1,))
    up(cluster, 1)
    assert (leadership(cluster), eligible(cluster)) == ((1, (1,), RECOVERING), ((), ()))


@pytest.mark.parametrize("directory_fails", [False, True])
def test_the_last_leader_returns_where_eligibility_began_while_it_was_away(
    directory_fails: bool,
) -> None:
    """Before KIP-966 it was fenced as the last of the ISR; after, it comes back uncleanly."""
    cluster = Cluster(levels=WITHOUT_ELR)
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    cluster.assign(1, directory(1, 0), "t")
    down(cluster, 2, 1)
    assert (leadership(cluster), eligible(cluster)) == ((-1, (1,), 0), ((), ()))
    upgrade = features.FeatureUpdate(ELR_VERSION, 1)
    cluster.take(features.update_features(cluster.state, [upgrade]))
    if directory_fails:
        cluster.beat(1, offline_dirs=(directory(1, 0),), want_fence=True)
        assert (leadership(cluster)[1], eligible(cluster)) == ((), ((1,), (1,)))
    cluster.now += 10
    cluster.register(1, process=1, previous_epoch=-1)
    assert (leadership(cluster), eligible(cluster)) == ((-1, (), 0), ((), (1,)))
    up(cluster, 2)
    assert leadership(cluster)[0] == NO_LEADER
    up(cluster, 1)
    assert (leadership(cluster), eligible(cluster)) == ((1, (1,), RECOVERING), ((), ()))


def test_the_last_leader_does_not_return_uncleanly_while_others_are_eligible() -> None:
    cluster = elr_cluster(2, 1, 2)
    down(cluster, 2, 1)
    assert eligible(cluster) == ((2, 1), (1,))
    cluster.now += 10
    cluster.register(1, process=1, previous_epoch=-1)
    assert eligible(cluster) == ((2,), (1,))
    up(cluster, 1)
    assert leadership(cluster)[0] == NO_LEADER
    up(cluster, 2)
    assert (leadership(cluster), eligible(cluster)) == ((2, (2,), 0), ((), ()))


def test_a_replica_that_is_taken_away_is_no_eligible_leader() -> None:
    cluster = elr_cluster(2, 1, 2, 3)
    down(cluster, 3, 2)
    assert eligible(cluster) == ((2,), ())
    draft = Draft(cluster.state)
    change(draft, cluster.id("t"), PartitionTarget(replicas=(1, 3)))
    cluster.take(draft.decision(None))
    assert eligible(cluster) == ((), ())


def test_a_clean_restart_keeps_eligibility() -> None:
    cluster = elr_cluster(1, 1)
    epoch = cluster.image.brokers[1].broker_epoch
    down(cluster, 1)
    cluster.now += 10
    cluster.register(1, process=1, previous_epoch=epoch)
    assert eligible(cluster) == ((1,), (1,))
    up(cluster, 1)
    assert (leadership(cluster), eligible(cluster)) == ((1, (1,), 0), ((), ()))


@pytest.mark.parametrize("resource", [(2, "t"), (4, "")])
def test_another_min_isr_costs_eligibility_where_a_broker_leads(resource: tuple[int, str]) -> None:
    cluster = elr_cluster(2, 1, 2)
    cluster.topic("idle", (1,))
    down(cluster, 1)
    assert eligible(cluster) == ((1,), ())
    alteration = Alteration("min.insync.replicas", 0, "1")
    asked = [(ConfigResource(*resource), [alteration])]
    cluster.take(configs.alter_incrementally(cluster.state, asked))
    assert eligible(cluster) == ((), ())
    assert cluster.partition("idle").elr == (1,), "no broker leads it, so nothing was written since"
    assert cluster.partition("t").isr == (2,)


def test_a_failed_directory_and_a_fence_agree_on_the_isr() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    cluster.assign(1, directory(1, 0), "t")
    cluster.beat(1, offline_dirs=(directory(1, 0),), want_fence=True)
    assert leadership(cluster) == (2, (2,), 0)
    assert cluster.image.brokers[1].fenced
    assert brokers.expire(cluster.state, cluster.sessions, cluster.now) is None
