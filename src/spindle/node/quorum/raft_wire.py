"""The quorum's values as requests and answers, and back: Vote, Begin/EndQuorumEpoch, Fetch,
FetchSnapshot, in the versions of Apache Kafka 4.3.

Knows no state. The asking side is here; the answering side is in `node/handlers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

from spindle.core.raft.raft_values import (
    NO_NODE,
    Ballot,
    FetchAnswer,
    FetchPosition,
    Heard,
    VoteAnswer,
)
from spindle.model.batches import RecordBatch
from spindle.model.errors import Corrupt, Error, Refusal
from spindle.model.feature_rules import KRAFT_VERSION
from spindle.model.ids import (
    METADATA_TOPIC,
    METADATA_TOPIC_ID,
    DirectoryId,
    Endpoint,
    NodeId,
    VersionRange,
)
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.quorum_voters import Voter, VoterKey
from spindle.wire import batch as codec
from spindle.wire.apis import SOFTWARE
from spindle.wire.codec import ErrorCode, Whole, one_buffer
from spindle.wire.messages import add_raft_voter_request as add
from spindle.wire.messages import begin_quorum_epoch_request as begin
from spindle.wire.messages import end_quorum_epoch_request as end
from spindle.wire.messages import fetch_request as fetch
from spindle.wire.messages import fetch_snapshot_request as chunks
from spindle.wire.messages import update_raft_voter_request as update
from spindle.wire.messages import vote_request as v
from spindle.wire.messages.add_raft_voter_response import AddRaftVoterResponse
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.api_versions_response import ApiVersionsResponse
from spindle.wire.messages.begin_quorum_epoch_response import BeginQuorumEpochResponse
from spindle.wire.messages.end_quorum_epoch_response import EndQuorumEpochResponse
from spindle.wire.messages.fetch_response import FetchResponse
from spindle.wire.messages.fetch_snapshot_response import FetchSnapshotResponse
from spindle.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from spindle.wire.messages.remove_raft_voter_response import RemoveRaftVoterResponse
from spindle.wire.messages.update_raft_voter_response import UpdateRaftVoterResponse
from spindle.wire.messages.vote_response import VoteResponse

P = TypeVar("P")
AboutPartition: TypeAlias = (
    VoteResponse
    | BeginQuorumEpochResponse
    | EndQuorumEpochResponse
    | FetchResponse
    | FetchSnapshotResponse
)
"""Answers about the metadata partition; they name endpoints."""
RaftResponse: TypeAlias = (
    AboutPartition
    | ApiVersionsResponse
    | AddRaftVoterResponse
    | RemoveRaftVoterResponse
    | UpdateRaftVoterResponse
)
VERSIONS: Final[dict[type[Whole], int]] = {
    v.VoteRequest: 2,
    begin.BeginQuorumEpochRequest: 1,
    end.EndQuorumEpochRequest: 1,
    fetch.FetchRequest: 18,
    chunks.FetchSnapshotRequest: 1,
    ApiVersionsRequest: 4,
    add.AddRaftVoterRequest: 1,
    RemoveRaftVoterRequest: 0,
    update.UpdateRaftVoterRequest: 0,
}
"""What Apache Kafka 4.3 speaks among controllers."""
MAX_WAIT_MS: Final = 500
FETCH_BYTES: Final = 8 << 20
SNAPSHOT_CHUNK_BYTES: Final = 1 << 20
VOTER_TIMEOUT_MS: Final = 2_000

Addresses = dict[NodeId, tuple[str, int]]


class TurnedAway(Refusal):
    """A controller answered a request as a whole with an error: it starts, or forbids it."""

    def __init__(self, answer: RaftResponse, code: int) -> None:
        error = error_of(code)
        super().__init__(error, f"{type(answer).__name__} says {error.name}")


class RaftIdentity(NamedTuple):
    """The asking node: cluster, node, and the id of its metadata directory."""

    cluster_id: str
    node_id: NodeId
    directory_id: DirectoryId


class SnapshotChunk(NamedTuple):
    """A piece of a snapshot file. `size`: of the whole file."""

    heard: Heard
    size: int
    position: int
    data: bytes


def vote_request(identity: RaftIdentity, voter: VoterKey, ballot: Ballot) -> v.VoteRequest:
    """Ask a voter for its vote."""
    partition = v.PartitionData(
        partition_index=0,
        replica_epoch=ballot.epoch,
        replica_id=ballot.candidate,
        replica_directory_id=identity.directory_id,
        voter_directory_id=voter.directory_id,
        last_offset_epoch=ballot.last.epoch,
        last_offset=ballot.last.offset,
        pre_vote=ballot.pre_vote,
    )
    topic = v.TopicData(topic_name=METADATA_TOPIC, partitions=(partition,))
    return v.VoteRequest(cluster_id=identity.cluster_id, voter_id=voter.id, topics=(topic,))


def begin_request(
    identity: RaftIdentity, voter: VoterKey, epoch: int, endpoints: Sequence[Endpoint]
) -> begin.BeginQuorumEpochRequest:
    """Tell a voter that we lead."""
    partition = begin.PartitionData(
        partition_index=0,
        voter_directory_id=voter.directory_id,
        leader_id=identity.node_id,
        leader_epoch=epoch,
    )
    topic = begin.TopicData(topic_name=METADATA_TOPIC, partitions=(partition,))
    return begin.BeginQuorumEpochRequest(
        cluster_id=identity.cluster_id,
        voter_id=voter.id,
        topics=(topic,),
        leader_endpoints=tuple(
            begin.LeaderEndpoint(name=e.name, host=e.host, port=e.port) for e in endpoints
        ),
    )


def end_request(
    identity: RaftIdentity,
    epoch: int,
    successors: Sequence[VoterKey],
    endpoints: Sequence[Endpoint],
) -> end.EndQuorumEpochRequest:
    """Tell a voter that we lead no longer."""
    partition = end.PartitionData(
        partition_index=0,
        leader_id=identity.node_id,
        leader_epoch=epoch,
        preferred_candidates=tuple(
            end.ReplicaInfo(candidate_id=key.id, candidate_directory_id=key.directory_id)
            for key in successors
        ),
    )
    topic = end.TopicData(topic_name=METADATA_TOPIC, partitions=(partition,))
    return end.EndQuorumEpochRequest(
        cluster_id=identity.cluster_id,
        topics=(topic,),
        leader_endpoints=tuple(
            end.LeaderEndpoint(name=e.name, host=e.host, port=e.port) for e in endpoints
        ),
    )


def fetch_request(identity: RaftIdentity, position: FetchPosition) -> fetch.FetchRequest:
    """Fetch in the form of raft."""
    partition = fetch.FetchPartition(
        partition=0,
        current_leader_epoch=position.epoch,
        fetch_offset=position.offset,
        last_fetched_epoch=position.last_epoch,
        log_start_offset=position.start,
        partition_max_bytes=0,
        replica_directory_id=identity.directory_id,
        high_watermark=position.high_watermark,
    )
    return fetch.FetchRequest(
        cluster_id=identity.cluster_id,
        replica_state=fetch.ReplicaState(replica_id=identity.node_id, replica_epoch=-1),
        max_wait_ms=MAX_WAIT_MS,
        min_bytes=0,
        max_bytes=FETCH_BYTES,
        topics=(fetch.FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(partition,)),),
    )


def snapshot_request(
    identity: RaftIdentity, epoch: int, snapshot: OffsetAndEpoch, position: int
) -> chunks.FetchSnapshotRequest:
    """Ask for a piece of a snapshot."""
    partition = chunks.PartitionSnapshot(
        partition=0,
        current_leader_epoch=epoch,
        snapshot_id=chunks.SnapshotId(end_offset=snapshot.offset, epoch=snapshot.epoch),
        position=position,
        replica_directory_id=identity.directory_id,
    )
    return chunks.FetchSnapshotRequest(
        cluster_id=identity.cluster_id,
        replica_id=identity.node_id,
        max_bytes=SNAPSHOT_CHUNK_BYTES,
        topics=(chunks.TopicSnapshot(name=METADATA_TOPIC, partitions=(partition,)),),
    )


def versions_request() -> ApiVersionsRequest:
    """Ask what a node serves."""
    return ApiVersionsRequest(client_software_name=SOFTWARE, client_software_version="1")


def add_request(identity: RaftIdentity, voter: Voter) -> add.AddRaftVoterRequest:
    """Ask for a vote; the answer comes as soon as that is written."""
    return add.AddRaftVoterRequest(
        cluster_id=identity.cluster_id,
        timeout_ms=VOTER_TIMEOUT_MS,
        voter_id=voter.id,
        voter_directory_id=voter.directory_id,
        listeners=tuple(
            add.Listener(name=e.name, host=e.host, port=e.port) for e in voter.endpoints
        ),
        ack_when_committed=False,
    )


def remove_request(identity: RaftIdentity, key: VoterKey) -> RemoveRaftVoterRequest:
    """Ask to remove a voter."""
    return RemoveRaftVoterRequest(
        cluster_id=identity.cluster_id, voter_id=key.id, voter_directory_id=key.directory_id
    )


def update_request(
    identity: RaftIdentity, epoch: int, voter: Voter
) -> update.UpdateRaftVoterRequest:
    """Tell the leader what we are as a voter."""
    return update.UpdateRaftVoterRequest(
        cluster_id=identity.cluster_id,
        current_leader_epoch=epoch,
        voter_id=voter.id,
        voter_directory_id=voter.directory_id,
        listeners=tuple(
            update.Listener(name=e.name, host=e.host, port=e.port) for e in voter.endpoints
        ),
        k_raft_version_feature=update.KRaftVersionFeature(
            min_supported_version=voter.supported.min, max_supported_version=voter.supported.max
        ),
    )


def read_levels(answer: ApiVersionsResponse) -> VersionRange:
    """The levels of kraft.version that a node supports; 0 alone where it does not say."""
    if answer.error_code != Error.NONE:
        raise TurnedAway(answer, answer.error_code)
    for feature in answer.supported_features:
        if feature.name == KRAFT_VERSION:
            return VersionRange(feature.min_version, feature.max_version)
    return VersionRange(0, 0)


def read_update(answer: UpdateRaftVoterResponse) -> Heard:
    """An answer to UpdateRaftVoter."""
    leader = answer.current_leader
    return _heard(answer.error_code, leader.leader_id, leader.leader_epoch)


def read_refusal(answer: AddRaftVoterResponse | RemoveRaftVoterResponse) -> str | None:
    """Why a change of the voters was refused; None where it was not."""
    if answer.error_code == Error.NONE:
        return None
    return answer.error_message or error_of(answer.error_code).name


def read_vote(answer: VoteResponse) -> VoteAnswer:
    """An answer to Vote. TurnedAway; Corrupt if it is not about the metadata partition."""
    partition = _only(answer, [p for topic in answer.topics for p in topic.partitions])
    heard = _heard(partition.error_code, partition.leader_id, partition.leader_epoch)
    return VoteAnswer(heard, partition.vote_granted)


def read_epoch_answer(answer: BeginQuorumEpochResponse | EndQuorumEpochResponse) -> Heard:
    """An answer to BeginQuorumEpoch or EndQuorumEpoch."""
    partition = _only(answer, [p for topic in answer.topics for p in topic.partitions])
    return _heard(partition.error_code, partition.leader_id, partition.leader_epoch)


def read_fetch(answer: FetchResponse) -> FetchAnswer:
    """An answer to a raft Fetch; Corrupt also where a batch is damaged."""
    partition = _only(answer, [p for topic in answer.responses for p in topic.partitions])
    leader = partition.current_leader
    batches: list[RecordBatch] = []
    if partition.records:
        batches = codec.split(one_buffer(partition.records), partial=True)
        for batch in batches:
            codec.check(batch)
    return FetchAnswer(
        _heard(partition.error_code, leader.leader_id, leader.leader_epoch),
        high_watermark=partition.high_watermark,
        diverging=_point(partition.diverging_epoch.epoch, partition.diverging_epoch.end_offset),
        snapshot=_point(partition.snapshot_id.epoch, partition.snapshot_id.end_offset),
        batches=tuple(batches),
    )


def read_snapshot_chunk(answer: FetchSnapshotResponse) -> SnapshotChunk:
    """An answer to FetchSnapshot."""
    partition = _only(answer, [p for topic in answer.topics for p in topic.partitions])
    leader = partition.current_leader
    return SnapshotChunk(
        _heard(partition.error_code, leader.leader_id, leader.leader_epoch),
        partition.size,
        partition.position,
        bytes(one_buffer(partition.unaligned_records)),
    )


def read_addresses(answer: RaftResponse) -> Addresses:
    """Where the nodes that an answer speaks of are reached."""
    if not isinstance(answer, AboutPartition):
        return {}
    nodes = answer.node_endpoints
    return {n.node_id: (n.host, n.port) for n in nodes if n.host and n.port > 0}


def error_of(code: int) -> Error:
    """An error code as we know it; one that we do not know is UNKNOWN_SERVER_ERROR."""
    return code if isinstance(code, Error) else Error.UNKNOWN_SERVER_ERROR


def _only(answer: AboutPartition, partitions: Sequence[P]) -> P:
    """The metadata partition of an answer. TurnedAway if it is an error for the whole request."""
    if answer.error_code != Error.NONE:
        raise TurnedAway(answer, answer.error_code)
    if not partitions:
        raise Corrupt(f"{type(answer).__name__} without the metadata partition")
    return partitions[0]


def _point(epoch: int, end_offset: int) -> OffsetAndEpoch | None:
    """A diverging epoch or snapshot id; -1 stands for none."""
    if epoch < 0 or end_offset < 0:
        return None
    return OffsetAndEpoch(end_offset, epoch)


def _heard(error: ErrorCode, leader: int, epoch: int) -> Heard:
    return Heard(error_of(error), epoch, leader if leader >= 0 else NO_NODE)
