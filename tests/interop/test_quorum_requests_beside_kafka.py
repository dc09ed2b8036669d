"""What a voter answers to others of the quorum, beside Apache Kafka 4.3 with the same requests.

One voter of three runs of each kind, and waits long before it acts by itself: what it knows of
epochs and leaders is what these requests say, one after the other. Where the other two would listen
there is a socket, so that they are silent and not gone.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.support.apache_kafka import CLUSTER_ID, CONTROLLER_ID, ApacheKafka
from tests.support.both_sides import Sides, port_of, same, send
from tests.support.local import Local
from tests.support.waiting import eventually
from tools.messages.entities import make, request_types

from spindle.model.errors import Error
from spindle.model.ids import METADATA_TOPIC
from spindle.wire.apis import Key

pytestmark = [pytest.mark.kafka, pytest.mark.spec("N-08")]

SETTINGS = {
    "controller.quorum.election.timeout.ms": "3600000",
    "controller.quorum.fetch.timeout.ms": "3600000",
}
CLUSTERS = (None, CLUSTER_ID, "another")


@pytest.fixture(scope="module")
def sides(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    folder = tmp_path_factory.mktemp("voters")
    with ExitStack() as stack:
        apache, ours = (
            stack.enter_context(cluster)
            for cluster in (
                ApacheKafka(
                    folder / "apache", kafka_jars, separate_controller=True, controllers=3,
                    settings=SETTINGS,
                ),
                Local(folder / "ours", kafka_jars, brokers=1, controllers=3, settings=SETTINGS),
            )
        )  # fmt: skip
        for cluster in (apache, ours):
            for silent in (101, 102):
                door = stack.enter_context(socket.socket())
                door.bind(("127.0.0.1", port_of(cluster, silent)))
                door.listen(100)
            cluster.format()
            cluster.start_node(CONTROLLER_ID, wait=False)
        for cluster in (apache, ours):
            eventually(lambda c=cluster: vote(c, -1)[0] == Error.NONE, "the voter serves", 60)
        yield Sides(apache, ours)


def vote(
    cluster: ApacheKafka,
    epoch: int,
    *,
    candidate: int = 101,
    last: tuple[int, int] = (0, 0),
    pre_vote: bool = False,
    voter: int = CONTROLLER_ID,
    cluster_id: str | None = CLUSTER_ID,
) -> Any:
    """What comes of a ballot. `last`: the epoch and the offset of the candidate's log."""
    types = request_types(Key.VOTE, 2)
    partition = make(
        types.PartitionData, partition_index=0, replica_epoch=epoch, replica_id=candidate,
        last_offset_epoch=last[0], last_offset=last[1], pre_vote=pre_vote,
    )  # fmt: skip
    topic = make(types.TopicData, topic_name=METADATA_TOPIC, partitions=(partition,))
    answer = send(
        port_of(cluster, CONTROLLER_ID), Key.VOTE, 2, "VoteRequest",
        cluster_id=cluster_id, voter_id=voter, topics=(topic,),
    )  # fmt: skip
    told = [
        (p.error_code, p.leader_id, p.leader_epoch, p.vote_granted)
        for t in answer.topics
        for p in t.partitions
    ]
    return answer.error_code, told


def of_leader(cluster: ApacheKafka, key: Key, leader: int, epoch: int, **fields: Any) -> Any:
    """What comes of a leader's word: that it leads, or that it resigns."""
    types = request_types(key, 1)
    name = "BeginQuorumEpochRequest" if key == Key.BEGIN_QUORUM_EPOCH else "EndQuorumEpochRequest"
    partition = make(
        types.PartitionData, partition_index=0, leader_id=leader, leader_epoch=epoch,
    )  # fmt: skip
    topic = make(types.TopicData, topic_name=METADATA_TOPIC, partitions=(partition,))
    answer = send(
        port_of(cluster, CONTROLLER_ID), key, 1, name, topics=(topic,),
        **{"cluster_id": CLUSTER_ID, **fields},
    )  # fmt: skip
    told = [
        (p.error_code, p.leader_id, p.leader_epoch) for t in answer.topics for p in t.partitions
    ]
    return answer.error_code, told


def test_candidates_that_cannot_be_get_no_vote_and_their_epoch_is_not_taken(sides: Sides) -> None:
    for pre_vote in (False, True):
        for epoch, last in ((0, (0, 0)), (3, (3, 9)), (3, (4, 9)), (3, (0, -1)), (3, (-1, 0))):
            same(sides, lambda c, e, o, p: vote(c, e, last=o, pre_vote=p), epoch, last, pre_vote)
    same(sides, lambda c: vote(c, 1, candidate=-1))
    for id in CLUSTERS:
        same(sides, lambda c, i: vote(c, 1, candidate=7, cluster_id=i), id)
    assert same(sides, lambda c: vote(c, 4, voter=102)) == (
        Error.NONE,
        [(Error.INVALID_VOTER_KEY, -1, 4, False)],
    )
    for candidate in (102, 101, 102):  # The first has the vote of this epoch.
        same(sides, lambda c, who: vote(c, 5, candidate=who), candidate)


def test_what_leaders_say_of_themselves(sides: Sides) -> None:
    begin, end = Key.BEGIN_QUORUM_EPOCH, Key.END_QUORUM_EPOCH
    for key in (begin, end):
        for leader, epoch in ((101, 2), (-1, 9), (-1, 2)):
            same(sides, of_leader, key, leader, epoch)
        for id in CLUSTERS:
            same(sides, lambda c, k, i: of_leader(c, k, 101, 2, cluster_id=i), key, id)
    assert same(sides, lambda c: of_leader(c, begin, 101, 10, voter_id=102)) == (
        Error.NONE,
        [(Error.INVALID_VOTER_KEY, 101, 10)],
    )
    same(sides, lambda c: vote(c, 10, candidate=102, last=(9, 9)))
    same(sides, of_leader, begin, 102, 11)
    # Of an epoch whose leader was not known until it resigns.
    assert same(sides, lambda c: vote(c, 12, last=(9, 9)))[1][0][3]
    assert same(sides, of_leader, end, 101, 12) == (Error.NONE, [(Error.NONE, 101, 12)])
    assert same(sides, of_leader, end, 102, 13) == (Error.NONE, [(Error.NONE, 102, 13)])
