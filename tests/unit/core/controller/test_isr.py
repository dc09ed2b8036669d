"""AlterPartition: every check, in order, and what a good proposal does."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.unit.core.controller.kit import Cluster, directory

from spindle.core.controller import isr_proposals
from spindle.core.controller.change import RECOVERING
from spindle.core.controller.isr_proposals import IsrProposal
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.ids import PartitionId


def scene() -> Cluster:
    """Brokers 1 to 4, 4 fenced; t on all, led by 1 at leader epoch 2, partition epoch 3."""
    cluster = Cluster()
    cluster.start(1, 2, 3)
    cluster.register(4)
    cluster.topic("t", (1, 2, 3, 4))
    id = cluster.id("t")
    for _ in range(2):
        cluster.change(r.PartitionChange(partition_id=0, topic_id=id.topic_id, leader=1))
    cluster.change(r.PartitionChange(partition_id=0, topic_id=id.topic_id, isr=(1, 2)))
    return cluster


def propose(cluster: Cluster, broker: int = 1, **changes: Any) -> isr_proposals.IsrAnswer:
    members = changes.pop("members", (1, 2))
    given: dict[str, Any] = {
        "partition": cluster.id("t"),
        "leader_epoch": 2,
        "partition_epoch": 3,
        "isr": tuple(m if isinstance(m, tuple) else (m, -1) for m in members),
    }
    decision = isr_proposals.alter_partitions(
        cluster.state,
        broker,
        cluster.image.brokers[broker].broker_epoch,
        [IsrProposal(**{**given, **changes})],
    )
    return cluster.take(decision)[0]


WRONG_ISR: dict[str, Any] = {"members": (2, 9)}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        # Each row is wrong in its own way and in every way that is checked after it.
        (
            {"partition": PartitionId(uuid.UUID(int=9), 5), "leader_epoch": 9, **WRONG_ISR},
            Error.UNKNOWN_TOPIC_ID,
        ),
        ({"partition": "t-5", "leader_epoch": 9, **WRONG_ISR}, Error.UNKNOWN_TOPIC_OR_PARTITION),
        ({"leader_epoch": 3, "broker": 2, **WRONG_ISR}, Error.NOT_CONTROLLER),
        ({"partition_epoch": 4, "leader_epoch": 1, **WRONG_ISR}, Error.NOT_CONTROLLER),
        (
            {"leader_epoch": 1, "broker": 2, "partition_epoch": 1, **WRONG_ISR},
            Error.FENCED_LEADER_EPOCH,
        ),
        ({"broker": 2, "partition_epoch": 1, **WRONG_ISR}, Error.INVALID_REQUEST),
        ({"partition_epoch": 1, **WRONG_ISR}, Error.INVALID_UPDATE_VERSION),
        ({"partition_epoch": 2}, Error.INVALID_UPDATE_VERSION),
        ({"members": (1, 9)}, Error.INVALID_REQUEST),
        ({"members": (1, 1)}, Error.INVALID_REQUEST),
        ({"members": (2, 3)}, Error.INVALID_REQUEST),
        ({"members": (1, 4), "recovery": RECOVERING}, Error.INVALID_REQUEST),
        ({"members": (1,), "recovery": RECOVERING}, Error.INVALID_REQUEST),
        ({"members": (1,), "recovery": 2}, Error.INVALID_REQUEST),
        ({"members": (1,), "recovery": -1}, Error.INVALID_REQUEST),
        ({"members": (1, 4)}, Error.INELIGIBLE_REPLICA),
        ({"members": (1, (2, 77))}, Error.INELIGIBLE_REPLICA),
        ({"members": (1, (2, 0))}, Error.INELIGIBLE_REPLICA),
    ],
)
def test_the_first_wrong_thing_is_answered(changes: dict[str, Any], error: Error) -> None:
    cluster = scene()
    if changes.get("partition") == "t-5":
        changes = {**changes, "partition": PartitionId(cluster.id("t").topic_id, 5)}
    assert propose(cluster, **changes).error is error
    assert cluster.last == ()


def test_another_broker_epoch_refuses_the_whole_request() -> None:
    cluster = scene()
    with pytest.raises(Refusal) as refused:
        isr_proposals.alter_partitions(cluster.state, 1, 12345, [])
    assert refused.value.error is Error.STALE_BROKER_EPOCH


def test_a_good_proposal_is_written_without_a_new_leader_epoch() -> None:
    cluster = scene()
    members = (1, 2, (3, cluster.image.brokers[3].broker_epoch))
    answer = propose(cluster, members=members)
    assert answer.error is Error.NONE
    assert answer.state == cluster.partition("t")
    state = cluster.partition("t")
    assert (state.isr, state.leader_epoch, state.partition_epoch) == ((1, 2, 3), 2, 4)


def test_the_same_isr_is_no_record() -> None:
    cluster = scene()
    assert propose(cluster).error is Error.NONE
    assert cluster.last == ()


def test_a_broker_on_its_way_out_cannot_join() -> None:
    cluster = scene()
    cluster.topic("u", (3, 1))
    cluster.beat(3, want_shut_down=True)
    assert cluster.image.brokers[3].in_controlled_shutdown
    assert propose(cluster, members=(1, 2, 3)).error is Error.INELIGIBLE_REPLICA


def test_a_replica_on_a_dead_directory_cannot_join() -> None:
    cluster = scene()
    cluster.assign(3, directory(3, 0), "t")
    cluster.beat(3, offline_dirs=(directory(3, 0),))
    epoch = cluster.partition("t").partition_epoch
    answer = propose(cluster, members=(1, 2, 3), partition_epoch=epoch)
    assert answer.error is Error.INELIGIBLE_REPLICA


def test_a_leader_that_recovered_says_so() -> None:
    cluster = scene()
    id = cluster.id("t")
    cluster.change(
        r.PartitionChange(
            partition_id=0, topic_id=id.topic_id, isr=(1,), leader_recovery_state=RECOVERING
        )
    )
    both = propose(cluster, members=(1, 2), partition_epoch=4, recovery=RECOVERING)
    assert both.error is Error.INVALID_REQUEST
    assert propose(cluster, members=(1,), partition_epoch=4).error is Error.NONE
    assert cluster.partition("t").leader_recovery_state == 0
