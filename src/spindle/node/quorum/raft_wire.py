"""The quorum's values as requests and answers, and back: Vote, Begin/EndQuorumEpoch, Fetch,
FetchSnapshot, in the versions of Apache Kafka 4.3.

Knows no state. The asking side is here; the answering side is in `node/handlers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from spindle.core.raft.values import NOBODY, Ballot, FetchAnswer, FetchWish, Heard, VoteAnswer
from spindle.model.batches import Batch
from spindle.model.errors import Corrupt, Error
from spindle.model.ids import METADATA_TOPIC, METADATA_TOPIC_ID, DirectoryId, Endpoint, NodeId
from spindle.model.offsets import OffsetAndEpoch
from spindle.wire import batch as codec
from spindle.wire.apis import Key
from spindle.wire.entities import make, ms, request_types

MAX_WAIT_MS: Final = 500
FETCH_BYTES: Final = 8 << 20
SNAPSHOT_CHUNK_BYTES: Final = 1 << 20

Addresses = dict[NodeId, tuple[str, int]]


class Identity(NamedTuple):
    """Who asks: cluster, node, and the id of its metadata directory."""

    cluster_id: str
    node_id: NodeId
    directory_id: DirectoryId


class SnapshotChunk(NamedTuple):
    """A piece of a snapshot file. `size`: of the whole file."""

    heard: Heard
    size: int
    position: int
    data: bytes


def vote_request(who: Identity, voter: NodeId, ballot: Ballot) -> Any:
    """Vote v2."""
    t = request_types(Key.VOTE, 2)
    partition = make(
        t.PartitionData,
        partition_index=0,
        replica_epoch=ballot.epoch,
        replica_id=ballot.candidate,
        replica_directory_id=who.directory_id,
        voter_directory_id=None,
        last_offset_epoch=ballot.last.epoch,
        last_offset=ballot.last.offset,
        pre_vote=ballot.pre_vote,
    )
    topic = make(t.TopicData, topic_name=METADATA_TOPIC, partitions=(partition,))
    return make(t.VoteRequest, cluster_id=who.cluster_id, voter_id=voter, topics=(topic,))


def begin_request(who: Identity, voter: NodeId, epoch: int, endpoints: Sequence[Endpoint]) -> Any:
    """BeginQuorumEpoch v1."""
    t = request_types(Key.BEGIN_QUORUM_EPOCH, 1)
    partition = make(
        t.PartitionData,
        partition_index=0,
        voter_directory_id=None,
        leader_id=who.node_id,
        leader_epoch=epoch,
    )
    topic = make(t.TopicData, topic_name=METADATA_TOPIC, partitions=(partition,))
    return make(
        t.BeginQuorumEpochRequest,
        cluster_id=who.cluster_id,
        voter_id=voter,
        topics=(topic,),
        leader_endpoints=_leader_endpoints(t, endpoints),
    )


def end_request(
    who: Identity, epoch: int, successors: Sequence[NodeId], endpoints: Sequence[Endpoint]
) -> Any:
    """EndQuorumEpoch v1."""
    t = request_types(Key.END_QUORUM_EPOCH, 1)
    candidates = tuple(
        make(t.ReplicaInfo, candidate_id=id, candidate_directory_id=None) for id in successors
    )
    partition = make(
        t.PartitionData,
        partition_index=0,
        leader_id=who.node_id,
        leader_epoch=epoch,
        preferred_candidates=candidates,
    )
    topic = make(t.TopicData, topic_name=METADATA_TOPIC, partitions=(partition,))
    return make(
        t.EndQuorumEpochRequest,
        cluster_id=who.cluster_id,
        topics=(topic,),
        leader_endpoints=_leader_endpoints(t, endpoints),
    )


def fetch_request(who: Identity, wish: FetchWish) -> Any:
    """Fetch v18, the form of raft."""
    t = request_types(Key.FETCH, 18)
    partition = make(
        t.FetchPartition,
        partition=0,
        current_leader_epoch=wish.epoch,
        fetch_offset=wish.offset,
        last_fetched_epoch=wish.last_epoch,
        log_start_offset=wish.start,
        partition_max_bytes=0,
        replica_directory_id=who.directory_id,
        high_watermark=wish.high_watermark,
    )
    return make(
        t.FetchRequest,
        cluster_id=who.cluster_id,
        replica_state=make(t.ReplicaState, replica_id=who.node_id, replica_epoch=-1),
        max_wait=ms(MAX_WAIT_MS),
        min_bytes=0,
        max_bytes=FETCH_BYTES,
        topics=(make(t.FetchTopic, topic_id=METADATA_TOPIC_ID, partitions=(partition,)),),
        forgotten_topics_data=(),
    )


def snapshot_request(who: Identity, epoch: int, snapshot: OffsetAndEpoch, position: int) -> Any:
    """FetchSnapshot v1."""
    t = request_types(Key.FETCH_SNAPSHOT, 1)
    partition = make(
        t.PartitionSnapshot,
        partition=0,
        current_leader_epoch=epoch,
        snapshot_id=make(t.SnapshotId, end_offset=snapshot.offset, epoch=snapshot.epoch),
        position=position,
        replica_directory_id=who.directory_id,
    )
    return make(
        t.FetchSnapshotRequest,
        cluster_id=who.cluster_id,
        replica_id=who.node_id,
        max_bytes=SNAPSHOT_CHUNK_BYTES,
        topics=(make(t.TopicSnapshot, name=METADATA_TOPIC, partitions=(partition,)),),
    )


def read_vote(answer: Any) -> VoteAnswer:
    """An answer to Vote. Corrupt if it is not about the metadata partition."""
    partition = _partition(answer, "topics")
    return VoteAnswer(
        _heard(partition, partition.leader_id, partition.leader_epoch),
        bool(partition.vote_granted),
    )


def read_epoch_answer(answer: Any) -> Heard:
    """An answer to BeginQuorumEpoch or EndQuorumEpoch."""
    partition = _partition(answer, "topics")
    return _heard(partition, partition.leader_id, partition.leader_epoch)


def read_fetch(answer: Any) -> FetchAnswer:
    """An answer to a raft Fetch; Corrupt also where a batch is damaged."""
    partition = _partition(answer, "responses")
    leader = partition.current_leader
    batches: list[Batch] = []
    if partition.records:
        batches = codec.split(partition.records, partial=True)
        for batch in batches:
            codec.check(batch)
    return FetchAnswer(
        _heard(partition, leader.leader_id, leader.leader_epoch),
        high_watermark=partition.high_watermark,
        diverging=_point(partition.diverging_epoch),
        snapshot=_point(partition.snapshot_id),
        batches=tuple(batches),
    )


def read_snapshot_chunk(answer: Any) -> SnapshotChunk:
    """An answer to FetchSnapshot."""
    partition = _partition(answer, "topics")
    leader = partition.current_leader
    return SnapshotChunk(
        _heard(partition, leader.leader_id, leader.leader_epoch),
        partition.size,
        partition.position,
        bytes(partition.unaligned_records or b""),
    )


def read_addresses(answer: Any) -> Addresses:
    """Where the nodes that an answer speaks of are reached."""
    nodes = getattr(answer, "node_endpoints", ())
    return {int(n.node_id): (n.host, int(n.port)) for n in nodes if n.host and n.port > 0}


def error_of(code: int) -> Error:
    """An error code as we know it; one that we do not know is UNKNOWN_SERVER_ERROR."""
    return code if isinstance(code, Error) else Error.UNKNOWN_SERVER_ERROR


def _leader_endpoints(types: Any, endpoints: Sequence[Endpoint]) -> tuple[Any, ...]:
    return tuple(
        make(types.LeaderEndpoint, name=e.name, host=e.host, port=e.port) for e in endpoints
    )


def _partition(answer: Any, topics: str) -> Any:
    if answer.error_code != Error.NONE:
        raise Corrupt(f"{type(answer).__name__} says {error_of(answer.error_code).name}")
    try:
        return getattr(answer, topics)[0].partitions[0]
    except IndexError:
        raise Corrupt(f"{type(answer).__name__} without the metadata partition") from None


def _point(pair: Any) -> OffsetAndEpoch | None:
    """A diverging epoch or snapshot id; -1 stands for none."""
    if pair.epoch < 0 or pair.end_offset < 0:
        return None
    return OffsetAndEpoch(pair.end_offset, pair.epoch)


def _heard(partition: Any, leader: int, epoch: int) -> Heard:
    return Heard(error_of(partition.error_code), epoch, leader if leader >= 0 else NOBODY)
