"""The quorum's APIs, request by request, in every version: what a stranger is answered."""

from __future__ import annotations

import random
import uuid
from typing import Any

import pytest
from tests.support.desk import part, request
from tests.unit.node.quorum_hosts import CLUSTER_ID, HANDLERS, Hosts
from tools.messages.entities import ms
from tools.messages.frames import decode_response, encode_request

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.ids import METADATA_TOPIC, METADATA_TOPIC_ID
from spindle.node.connection import Connection
from spindle.node.router import Router
from spindle.storage.formatting import DEFAULT_LEVELS
from spindle.wire import batch as codec
from spindle.wire.apis import TABLE, Key

END = 2 + len(DEFAULT_LEVELS)
"""The log's end: LeaderChange, the levels in one batch, the topic."""


class Stranger:
    """A client that asks node 1 by hand."""

    def __init__(self, hosts: Hosts, node: int = 1) -> None:
        self.hosts = hosts
        self.node = node
        self.frames: list[bytes] = []
        machine = hosts[node]
        self._router = Router(HANDLERS, machine, machine.out)
        self._connection = Connection(99, "CONTROLLER", "127.0.0.1", self)  # type: ignore[arg-type]

    def answer(self, connection: int, buffers: list[Any]) -> None:
        """As the Outbox of our connection."""
        self.frames.append(b"".join(bytes(b) for b in buffers)[4:])

    def ask(self, entity: Any) -> Any:
        """Ask, and wait for the answer."""
        frame = encode_request(entity, 7, "stranger")[4:]
        self.hosts.feed(self.node, lambda: self._router.on_frame(self._connection, frame))
        self.hosts.until(lambda: self.frames)
        return decode_response(entity, self.frames.pop())


@pytest.fixture
def hosts() -> Hosts:
    """One voter, which leads, with a topic in its log."""
    hosts = Hosts(voters=1)
    leader = hosts.await_leader()
    hosts.until(hosts.append(leader, r.Topic(name="t", topic_id=uuid.UUID(int=900))).__len__)
    return hosts


def versions(key: Key) -> list[int]:
    """Every version of an API."""
    return list(range(TABLE[key].min, TABLE[key].max + 1))


def fetch(version: int = 18, /, cluster_id: Any = CLUSTER_ID, wait: int = 0, **at: Any) -> Any:
    """A raft fetch."""
    fields = {
        "partition": 0,
        "current_leader_epoch": 1,
        "fetch_offset": 0,
        "last_fetched_epoch": 0,
        "log_start_offset": 0,
        "partition_max_bytes": 0,
        "high_watermark": 0,
        **at,
    }
    partition = part(Key.FETCH, version, "FetchPartition", **fields)
    topic = part(
        Key.FETCH,
        version,
        "FetchTopic",
        topic=METADATA_TOPIC,
        topic_id=METADATA_TOPIC_ID,
        partitions=(partition,),
    )
    more = {}
    if version >= 15:
        more["replica_state"] = part(Key.FETCH, version, "ReplicaState", replica_id=50)
    return request(
        Key.FETCH,
        version,
        cluster_id=cluster_id,
        replica_id=50,
        max_wait=ms(wait),
        min_bytes=0,
        max_bytes=1 << 20,
        topics=(topic,),
        forgotten_topics_data=(),
        **more,
    )


def fetched(answer: Any) -> Any:
    """The partition in a fetch's answer."""
    return answer.responses[0].partitions[0]


@pytest.mark.parametrize("version", range(12, 19))
def test_a_fetch_gets_records_leader_and_high_watermark(hosts: Hosts, version: int) -> None:
    answer = Stranger(hosts).ask(fetch(version))
    partition = fetched(answer)
    assert partition.error_code == Error.NONE
    assert partition.high_watermark == END
    assert (partition.current_leader.leader_id, partition.current_leader.leader_epoch) == (1, 1)
    # Apache Kafka's broker that knows the epoch and no voters halts at a leader without an address.
    if version >= 16:
        assert [(n.node_id, n.port) for n in answer.node_endpoints] == [(1, 9001)]
    batches = codec.split(partition.records)
    assert [b.base_offset for b in batches] == [0, 1, END - 1]
    for batch in batches:
        codec.check(batch)


@pytest.mark.parametrize("version", range(4, 12))
def test_fetches_without_the_last_epoch_are_invalid(hosts: Hosts, version: int) -> None:
    assert fetched(Stranger(hosts).ask(fetch(version))).error_code == Error.INVALID_REQUEST


@pytest.mark.parametrize(
    ("at", "error"),
    [
        ({"current_leader_epoch": 0}, Error.FENCED_LEADER_EPOCH),
        ({"current_leader_epoch": 2}, Error.UNKNOWN_LEADER_EPOCH),
        ({"last_fetched_epoch": -1}, Error.INVALID_REQUEST),
        ({"last_fetched_epoch": 2}, Error.INVALID_REQUEST),
        ({"fetch_offset": -1}, Error.INVALID_REQUEST),
    ],
)
def test_the_answer_to_a_wrong_fetch_names_the_error_and_the_leader(
    hosts: Hosts, at: dict[str, int], error: Error
) -> None:
    answer = Stranger(hosts).ask(fetch(**at))
    assert fetched(answer).error_code == error
    assert fetched(answer).current_leader.leader_id == 1
    assert [(n.node_id, n.host, n.port) for n in answer.node_endpoints] == [(1, "host-1", 9001)]


def test_a_fetch_of_another_cluster_is_refused(hosts: Hosts) -> None:
    answer = Stranger(hosts).ask(fetch(cluster_id="AAAAAAAAAAAAAAAAAAAAAA"))
    assert answer.error_code == Error.INCONSISTENT_CLUSTER_ID


def test_a_fetch_of_another_topic_is_refused(hosts: Hosts) -> None:
    partition = part(Key.FETCH, 18, "FetchPartition", partition=0, fetch_offset=0)
    topic = part(Key.FETCH, 18, "FetchTopic", topic_id=uuid.UUID(int=5), partitions=(partition,))
    asked = request(Key.FETCH, 18, topics=(topic,), forgotten_topics_data=())
    assert Stranger(hosts).ask(asked).error_code == Error.INVALID_REQUEST


def test_a_log_that_went_another_way_learns_where(hosts: Hosts) -> None:
    partition = fetched(Stranger(hosts).ask(fetch(fetch_offset=100, last_fetched_epoch=1)))
    assert (partition.diverging_epoch.epoch, partition.diverging_epoch.end_offset) == (1, END)


def test_a_fetch_waits_for_records_and_no_longer_than_it_likes(hosts: Hosts) -> None:
    stranger = Stranger(hosts)
    began = hosts.world.time.now
    at = {"fetch_offset": END, "last_fetched_epoch": 1, "high_watermark": END}

    def written() -> None:
        hosts.append(hosts[1], r.NoOp())

    partition = fetched(stranger.ask(fetch(wait=400, **at)))
    assert 0.4 <= hosts.world.time.now - began < 0.5
    assert not partition.records
    hosts.world.time.after(0.1, written)
    began = hosts.world.time.now
    partition = fetched(stranger.ask(fetch(wait=5000, **at)))
    assert partition.records
    assert 0.1 <= hosts.world.time.now - began < 0.2


def test_a_follower_that_does_not_know_our_high_watermark_is_answered_at_once(hosts: Hosts) -> None:
    began = hosts.world.time.now
    at = {"fetch_offset": END, "last_fetched_epoch": 1, "high_watermark": END - 1}
    assert fetched(Stranger(hosts).ask(fetch(wait=5000, **at))).high_watermark == END
    assert hosts.world.time.now - began < 0.1


# --- Vote, BeginQuorumEpoch, EndQuorumEpoch ------------------------------------------------------


def quorum_request(key: Key, version: int, /, cluster_id: Any = CLUSTER_ID, **fields: Any) -> Any:
    """A request of one partition, and of voter 2 unless the test says otherwise."""
    of_request = {k: fields.pop(k) for k in ("voter_id", "topic_name") if k in fields}
    partition = part(key, version, "PartitionData", partition_index=0, **fields)
    name = of_request.pop("topic_name", METADATA_TOPIC)
    topic = part(key, version, "TopicData", topic_name=name, partitions=(partition,))
    return request(key, version, cluster_id=cluster_id, topics=(topic,), **of_request)


@pytest.fixture
def three() -> Hosts:
    """Three voters, of whom node 1 does not lead."""
    hosts = Hosts(voters=3, seed=5)
    leader = hosts.await_leader()
    if leader.config.node_id == 1:
        hosts.stop(1)
        hosts.until(lambda: hosts.leader() is not None)
        hosts.start(1)
    hosts.until(lambda: hosts[1].quorum.leader_id > 1)
    hosts.pass_time(1)
    return hosts


@pytest.mark.parametrize("version", versions(Key.VOTE))
def test_votes_in_every_version(three: Hosts, version: int) -> None:
    stranger = Stranger(three)
    epoch = three[1].quorum.epoch
    ballot = {"replica_id": 2, "last_offset_epoch": epoch, "last_offset": 99}
    new = stranger.ask(quorum_request(Key.VOTE, version, replica_epoch=epoch + 9, **ballot))
    partition = new.topics[0].partitions[0]
    assert (partition.error_code, partition.vote_granted) == (Error.NONE, True)
    assert partition.leader_epoch == epoch + 9
    old = stranger.ask(quorum_request(Key.VOTE, version, replica_epoch=epoch + 8, **ballot))
    partition = old.topics[0].partitions[0]
    assert partition.error_code == Error.FENCED_LEADER_EPOCH
    assert partition.leader_id == three[1].quorum.leader_id
    assert not partition.vote_granted


@pytest.mark.parametrize("key", [Key.VOTE, Key.BEGIN_QUORUM_EPOCH])
def test_a_request_for_another_voter_is_refused(three: Hosts, key: Key) -> None:
    """It learns of the epoch all the same, as Apache Kafka's voter does."""
    others: tuple[dict[str, Any], ...] = (
        {"voter_id": 3},
        {"voter_id": 1, "voter_directory_id": uuid.UUID(int=99)},
    )
    own: dict[str, Any] = {
        "voter_id": 1,
        "voter_directory_id": three[1].quorum.world.identity.directory_id,
    }
    last = three[1].quorum.epoch
    for epoch, voter in enumerate((*others, own), last + 1):
        said = {"leader_id": 2, "leader_epoch": epoch}
        if key is Key.VOTE:
            said = {"replica_id": 2, "replica_epoch": epoch, "last_offset_epoch": last}
        answer = Stranger(three).ask(quorum_request(key, 1, **said, **voter))
        partition = answer.topics[0].partitions[0]
        assert (partition.error_code == Error.INVALID_VOTER_KEY) == (voter is not own)
        assert partition.leader_epoch == epoch


@pytest.mark.parametrize("key", [Key.VOTE, Key.BEGIN_QUORUM_EPOCH, Key.END_QUORUM_EPOCH])
def test_requests_of_another_cluster_or_topic_are_refused(three: Hosts, key: Key) -> None:
    stranger = Stranger(three)
    for version in versions(key):
        foreign = stranger.ask(quorum_request(key, version, "AAAAAAAAAAAAAAAAAAAAAA"))
        assert foreign.error_code == Error.INCONSISTENT_CLUSTER_ID
        other = stranger.ask(quorum_request(key, version, topic_name="t"))
        assert other.error_code == Error.INVALID_REQUEST


@pytest.mark.parametrize("version", versions(Key.BEGIN_QUORUM_EPOCH))
def test_a_leader_that_tells_of_itself_is_followed(three: Hosts, version: int) -> None:
    stranger = Stranger(three)
    epoch = three[1].quorum.epoch
    old = stranger.ask(
        quorum_request(Key.BEGIN_QUORUM_EPOCH, version, leader_id=2, leader_epoch=epoch - 1)
    )
    assert old.topics[0].partitions[0].error_code == Error.FENCED_LEADER_EPOCH
    new = stranger.ask(
        quorum_request(Key.BEGIN_QUORUM_EPOCH, version, leader_id=2, leader_epoch=epoch + 5)
    )
    partition = new.topics[0].partitions[0]
    assert (partition.error_code, partition.leader_id) == (Error.NONE, 2)
    assert partition.leader_epoch == epoch + 5
    two = stranger.ask(
        quorum_request(Key.BEGIN_QUORUM_EPOCH, version, leader_id=3, leader_epoch=epoch + 5)
    )
    assert two.topics[0].partitions[0].error_code == Error.INVALID_REQUEST


@pytest.mark.parametrize("version", versions(Key.END_QUORUM_EPOCH))
def test_the_first_successor_of_a_leader_that_resigns_stands_at_once(
    three: Hosts, version: int
) -> None:
    quorum = three[1].quorum
    leader, epoch = quorum.leader_id, quorum.epoch
    other = 5 - leader
    three.stop(leader)
    key = Key.END_QUORUM_EPOCH
    candidates: dict[str, Any] = {"preferred_successors": (1, other)}
    if version == 1:
        named = (part(key, 1, "ReplicaInfo", candidate_id=id) for id in (1, other))
        candidates = {"preferred_candidates": tuple(named)}
    began = three.world.time.now
    for told in (other, 1):
        answer = Stranger(three, told).ask(
            quorum_request(key, version, leader_id=leader, leader_epoch=epoch, **candidates)
        )
        assert answer.topics[0].partitions[0].error_code == Error.NONE
    three.until(lambda: quorum.raft is not None and quorum.raft.state.term is not None)
    assert quorum.epoch == epoch + 1
    assert three.world.time.now - began < 0.5


# --- DescribeQuorum, FetchSnapshot ---------------------------------------------------------------


@pytest.mark.parametrize("version", versions(Key.DESCRIBE_QUORUM))
def test_the_leader_describes_the_quorum(version: int) -> None:
    hosts = Hosts(voters=3, observers=1, seed=2)
    leader = hosts.await_leader()
    hosts.pass_time(2)
    me = leader.config.node_id
    key = Key.DESCRIBE_QUORUM
    one = part(key, version, "PartitionData", partition_index=0)
    topic = part(key, version, "TopicData", topic_name=METADATA_TOPIC, partitions=(one,))
    asked = request(key, version, topics=(topic,))
    partition = Stranger(hosts, me).ask(asked).topics[0].partitions[0]
    assert (partition.leader_id, partition.leader_epoch) == (me, leader.quorum.epoch)
    assert partition.high_watermark == leader.quorum.high_watermark
    ends = {v.replica_id: v.log_end_offset for v in partition.current_voters}
    assert ends == dict.fromkeys((1, 2, 3), partition.high_watermark)
    assert [o.replica_id for o in partition.observers] == [4]
    if version >= 2:
        told = {v.replica_id: v.replica_directory_id for v in partition.current_voters}
        assert set(told.values()) == {None}, "a static quorum names its voters alone"
        assert all(o.replica_directory_id for o in partition.observers)
    other = next(id for id in (1, 2, 3) if id != me)
    refused = Stranger(hosts, other).ask(asked).topics[0].partitions[0]
    assert refused.error_code == Error.NOT_LEADER_OR_FOLLOWER


def snapshot_request(version: int, position: int, end: int, epoch: int = 1, size: int = 100) -> Any:
    """Ask for a piece of a snapshot."""
    key = Key.FETCH_SNAPSHOT
    partition = part(
        key,
        version,
        "PartitionSnapshot",
        partition=0,
        current_leader_epoch=epoch,
        snapshot_id=part(key, version, "SnapshotId", end_offset=end, epoch=1),
        position=position,
    )
    topic = part(key, version, "TopicSnapshot", name=METADATA_TOPIC, partitions=(partition,))
    return request(
        key, version, cluster_id=CLUSTER_ID, replica_id=50, max_bytes=size, topics=(topic,)
    )


@pytest.mark.parametrize("version", versions(Key.FETCH_SNAPSHOT))
def test_a_snapshot_is_handed_out_piece_by_piece(version: int) -> None:
    hosts = Hosts(voters=1, metadata_log_max_record_bytes_between_snapshots="1000")
    leader = hosts.await_leader()
    rng = random.Random(1)
    for n in range(12):
        hosts.append(leader, r.Topic(name=f"t{n}", topic_id=uuid.UUID(int=rng.getrandbits(120))))
        hosts.pass_time(0.1)
    stranger = Stranger(hosts)
    told = fetched(stranger.ask(fetch())).snapshot_id
    assert told.end_offset > 0
    data = b""
    while True:
        asked = snapshot_request(version, len(data), told.end_offset)
        piece = stranger.ask(asked).topics[0].partitions[0]
        assert piece.error_code == Error.NONE
        assert piece.position == len(data)
        data += bytes(piece.unaligned_records)
        if len(data) >= piece.size:
            break
    assert len(data) == piece.size
    assert codec.split(data)[0].is_control
    for position, end, epoch, error in (
        (len(data), told.end_offset, 1, Error.POSITION_OUT_OF_RANGE),
        (-1, told.end_offset, 1, Error.POSITION_OUT_OF_RANGE),
        (0, told.end_offset + 1, 1, Error.SNAPSHOT_NOT_FOUND),
        (0, -1, 1, Error.SNAPSHOT_NOT_FOUND),
        (0, told.end_offset, 0, Error.FENCED_LEADER_EPOCH),
        (0, told.end_offset, 9, Error.UNKNOWN_LEADER_EPOCH),
    ):
        answer = stranger.ask(snapshot_request(version, position, end, epoch))
        assert answer.topics[0].partitions[0].error_code == error
