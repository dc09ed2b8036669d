"""The metadata quorum: the part of the AdminClient that asks for its voters and changes them.

    quorum = await admin.describe_metadata_quorum()
    await admin.add_raft_voter(3, directory, [Endpoint("CONTROLLER", "c3", 9093)])
    await admin.remove_raft_voter(1, old_directory)

A voter is a controller with one metadata directory (KIP-853). Brokers pass the requests on.
"""

# ruff: noqa: ASYNC109 - a time limit is an option of every call (K113-26)
from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.failures import Refused
from spindle.client.results import QuorumDescription, QuorumMember
from spindle.client.topics import server_time
from spindle.model.ids import METADATA_TOPIC, DirectoryId, Endpoint, NodeId
from spindle.wire.messages.add_raft_voter_request import AddRaftVoterRequest, Listener
from spindle.wire.messages.describe_quorum_request import (
    DescribeQuorumRequest,
    PartitionData,
    TopicData,
)
from spindle.wire.messages.describe_quorum_response import ReplicaState
from spindle.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest

CONTROLLER_LOOK_S: Final = 10.0
"""Seconds that the controller has to answer a question: a quorum has elected another by then."""
CONTROLLER_SHARE: Final = 1 / 3
"""The part of a call's whole time that it has, where that is longer."""


class RaftVoterCalls:
    """The metadata quorum of one cluster."""

    _cluster: Cluster

    async def describe_metadata_quorum(self, *, timeout: float | None = None) -> QuorumDescription:
        """The controllers' quorum: leader, epoch, voters and how far each has come."""
        topic = TopicData(topic_name=METADATA_TOPIC, partitions=(PartitionData(partition_index=0),))
        request = DescribeQuorumRequest(topics=(topic,))
        limit = for_a_look(self._cluster.deadline(timeout))
        answer = await self._cluster.ask_controller(request, limit)
        partition = answer.topics[0].partitions[0]
        if partition.error_code:
            words = partition.error_message or ""
            raise Refused(partition.error_code, "DescribeQuorum", "the cluster", words)
        return QuorumDescription(
            leader_id=partition.leader_id,
            leader_epoch=partition.leader_epoch,
            high_watermark=partition.high_watermark,
            voters=tuple(map(_member, partition.current_voters)),
            observers=tuple(map(_member, partition.observers)),
            endpoints={
                NodeId(node.node_id): tuple(
                    Endpoint(e.name, e.host, e.port) for e in node.listeners
                )
                for node in answer.nodes
            },
        )

    async def add_raft_voter(
        self,
        voter: NodeId,
        directory: DirectoryId,
        endpoints: Sequence[Endpoint],
        *,
        cluster_id: str | None = None,
        timeout: float | None = None,
    ) -> None:
        """Give a controller that runs and has caught up a vote; returns once that is committed.

        `directory`: the id of its metadata directory. `endpoints`: its controller listeners. With
        `cluster_id` another cluster refuses. Refused: DUPLICATE_VOTER; REQUEST_TIMED_OUT where it
        does not answer or is behind, or a change is under way; UNSUPPORTED_VERSION (static voters).
        """
        limit = self._cluster.deadline(timeout)
        request = AddRaftVoterRequest(
            cluster_id=cluster_id,
            timeout_ms=server_time(limit),
            voter_id=voter,
            voter_directory_id=directory,
            listeners=tuple(Listener(name=e.name, host=e.host, port=e.port) for e in endpoints),
        )
        await self._cluster.ask_controller(request, limit)

    async def remove_raft_voter(
        self,
        voter: NodeId,
        directory: DirectoryId,
        *,
        cluster_id: str | None = None,
        timeout: float | None = None,
    ) -> None:
        """Take a controller's vote; returns once that is committed. It goes on as an observer.

        Refused: VOTER_NOT_FOUND, also for the last voter; the others as for `add_raft_voter`.
        """
        request = RemoveRaftVoterRequest(
            cluster_id=cluster_id, voter_id=voter, voter_directory_id=directory
        )
        await self._cluster.ask_controller(request, self._cluster.deadline(timeout))


def for_a_look(deadline: Deadline) -> Deadline:
    """The time for a question to the controller, which may be frozen: less than the caller's."""
    return Deadline(deadline.share(CONTROLLER_LOOK_S, CONTROLLER_SHARE))


def _member(state: ReplicaState) -> QuorumMember:
    return QuorumMember(
        node_id=state.replica_id,
        directory_id=state.replica_directory_id,
        log_end_offset=state.log_end_offset,
        last_fetch_ms=state.last_fetch_timestamp,
        last_caught_up_ms=state.last_caught_up_timestamp,
    )
