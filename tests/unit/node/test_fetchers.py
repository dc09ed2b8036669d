"""Following: sessions, slow disks, errors, logs that have parted, logs that begin elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from struct import pack_into
from typing import Any

import pytest
from tests.support.replica_world import NAME, TOPIC, World, fetched, produced

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.ids import PartitionId
from spindle.model.jobs import Reset, Truncate
from spindle.model.log_values import LogKey
from spindle.node.replicas.fetch_requests import fetch_version
from spindle.wire.apis import Key

ID = PartitionId(TOPIC, 0)


def fetches(world: World, node: int = 2) -> list[Any]:
    """The fetches that a node has sent, and forget them."""
    found = [q for n, _, q in world.requests if n == node and q.__api_key__ == Key.FETCH]
    world.requests.clear()
    return found


def named(request: Any) -> list[int]:
    return [p.partition for t in request.topics for p in t.partitions]


def forgotten(request: Any) -> list[int]:
    return [p for t in request.forgotten_topics_data for p in t.partitions]


@pytest.mark.parametrize(
    ("level", "version"), [(30, 18), (27, 18), (26, 17), (21, 17), (19, 16), (17, 15), (7, 13)]
)
def test_versions_follow_the_metadata_version(level: int, version: int) -> None:
    assert fetch_version(level) == version


def test_a_session_names_only_what_has_moved() -> None:
    world = World(partitions=3)
    (first, *_) = fetches(world)
    assert (named(first), first.session_epoch) == ([0, 1, 2], 0)
    assert (first.replica_state.replica_id, first.replica_state.replica_epoch) == (2, 2)
    world.produce(1, b"x", partition=1)
    later = fetches(world)
    assert [named(q) for q in later] == [[1]]
    world.wait(2)
    assert all(named(q) == [] for q in fetches(world))


def test_a_lost_session_is_opened_again() -> None:
    world = World(partitions=2)
    fetches(world)
    world.nodes[1].boot()
    world.nodes[1].host(0)
    world.nodes[1].host(1)
    world.elect(1)
    world.produce(1, b"x")
    world.wait(1)
    assert world.nodes[2].values() == [b"x"]
    assert len({q.session_id for q in fetches(world)}) >= 2


def test_a_leader_that_keeps_no_session_is_followed_all_the_same() -> None:
    """Its cache of sessions may be full, or have no slots."""
    world = World(settings={"max.incremental.fetch.session.cache.slots": "0"}, partitions=2)
    world.produce(1, b"x", partition=1)
    assert world.nodes[2].values(1) == [b"x"]
    world.wait(5)
    fetches(world)
    world.wait(2)
    later = fetches(world)
    assert 2 <= len(later) <= 6, "each waits for news at its leader"
    assert {(q.session_epoch, *named(q)) for q in later} == {(0, 0, 1)}


def test_an_unreachable_leader_is_tried_again_with_growing_delays() -> None:
    world = World()
    world.wait(1)
    fetches(world)
    world.down.add(1)
    world.requests.clear()
    world.elect(3)
    world.elect(1)
    attempts: list[float] = []
    source = world.nodes[2].fetchers.sources[1]
    send = source._send

    def noted() -> None:
        attempts.append(world.now)
        send()

    source._send = noted  # type: ignore[method-assign]
    world.wait(5)
    gaps = [b - a for a, b in pairwise(attempts)]
    assert 6 <= len(attempts) <= 12
    assert gaps == sorted(gaps)
    assert gaps[-1] == pytest.approx(1.0)


def test_a_hung_write_holds_up_no_other_partition() -> None:
    world = World(partitions=2)
    node = world.nodes[2]
    node.add_directory("/disk-2b")
    node.replicas.on_log_gone(PartitionId(TOPIC, 1))
    node.host(1, "/disk-2b")
    world.step()
    world.hung_paths.add("/disk-2b")
    world.produce(1, b"slow", partition=1, acks=1)
    world.wait(0.05)
    fetches(world)
    world.produce(1, b"fast", partition=0, acks=1)
    world.wait(0.2)
    assert node.values(0) == [b"fast"]
    requests = fetches(world)
    assert forgotten(requests[0]) == [1]
    waits = [world.now]
    for n in range(5):
        answer = world.produce(1, bytes([n]), partition=0, acks=1)
        assert answer.there
        world.step()
        waits.append(world.now)
    assert len(node.values(0)) == 6, "no further patience is spent on it"
    world.hung_paths.clear()
    world.wait(1)
    assert node.values(1) == [b"slow"]
    assert 1 in {n for q in fetches(world) for n in named(q)}


@pytest.mark.parametrize(
    "error",
    [
        Error.NOT_LEADER_OR_FOLLOWER,
        Error.UNKNOWN_LEADER_EPOCH,
        Error.FENCED_LEADER_EPOCH,
        Error.UNKNOWN_TOPIC_ID,
        Error.KAFKA_STORAGE_ERROR,
    ],
)
def test_errors_of_one_partition_hold_up_no_other(error: Error) -> None:
    world = World(partitions=2)

    def fail(to: int, request: Any, answer: Any) -> Any:
        if to != 2 or request.__api_key__ != Key.FETCH:
            return answer
        topics = tuple(
            replace(
                t,
                partitions=tuple(
                    replace(p, error_code=error, records=b"") if p.partition_index == 1 else p
                    for p in t.partitions
                ),
            )
            for t in answer.responses
        )
        return replace(answer, responses=topics)

    world.twist = fail
    for p in (0, 1):
        world.produce(1, b"x", partition=p, acks=1)
    world.wait(3)
    assert world.nodes[2].values(0) == [b"x"]
    assert world.nodes[2].values(1) == []
    limit = 5 if error == Error.KAFKA_STORAGE_ERROR else 12
    assert sum(1 in named(q) for q in fetches(world)) < limit, "it backs off"
    answered = world.nodes[2].logs.answered
    assert [id.partition for id in answered] == [0]
    world.twist = None
    world.wait(2)
    assert world.nodes[2].values(1) == [b"x"]
    assert [id.partition for id in answered] == [0, 1]


def _spoiled(data: bytearray) -> None:
    data[-1] ^= 1


def _far(data: bytearray) -> None:
    pack_into(">q", data, 0, (1 << 63) - 1)


def _negative(data: bytearray) -> None:
    pack_into(">q", data, 0, -1)


def _again(data: bytearray) -> None:
    data[:] = bytes(data) * 2


@pytest.mark.parametrize("spoil", [_spoiled, _far, _negative, _again])
def test_corrupt_batches_are_not_written(spoil: Callable[[bytearray], None]) -> None:
    """Neither is one with offsets that no log has, nor one that is before its neighbour."""
    world = World()
    broken: list[int] = []

    def flip(to: int, request: Any, answer: Any) -> Any:
        if to != 2 or request.__api_key__ != Key.FETCH or len(broken) >= 3:
            return answer
        topics = []
        for t in answer.responses:
            told = []
            for p in t.partitions:
                data = bytearray(p.records or b"")
                if data:
                    broken.append(1)
                    spoil(data)
                told.append(replace(p, records=bytes(data)))
            topics.append(replace(t, partitions=tuple(told)))
        return replace(answer, responses=tuple(topics))

    world.twist = flip
    answer = world.produce(1, b"x", timeout=60_000)
    assert not answer.there
    assert world.nodes[2].values() == []
    world.wait(3)
    assert len(broken) == 3
    assert produced(answer).error_code == Error.NONE
    assert world.nodes[2].values() == [b"x"]


def test_a_follower_with_an_offset_out_of_range_begins_where_the_leader_begins() -> None:
    world = World()
    world.down.add(3)
    world.fence(3)
    for n in range(6):
        world.produce(1, bytes([n]))
    world.nodes[1].replicas.writes.move_start(
        world.nodes[1].replicas.partitions.hosted[ID], 4, lambda: None
    )
    world.wait(1)
    assert world.nodes[2].partition().log.start == 4, "starts are followed"
    world.down.discard(3)
    node = world.nodes[3]
    node.boot()
    node.host()
    world.unfence(3)
    world.wait(3)
    assert (node.partition().log.start, node.partition().log.end) == (4, 6)
    assert [v for _, v in node.records()] == [bytes([4]), bytes([5])]
    assert set(world.state().isr) == {1, 2, 3}
    assert (ID, 4) in node.logs.truncated


@pytest.mark.spec("B-28")
def test_a_follower_that_begins_beyond_the_leaders_end_begins_again() -> None:
    world = World()
    world.down.add(3)
    world.fence(3)
    for n in range(6):
        world.produce(1, bytes([n]))
    node = world.nodes[3]
    node.boot()
    node.directories[node.path].run(Reset(node.path, LogKey(NAME, 0), 99_999_999))
    node.host()
    world.down.discard(3)
    world.unfence(3)
    world.wait(3)
    assert (node.partition().log.start, node.partition().log.end) == (0, 6)
    assert set(world.state().isr) == {1, 2, 3}


def test_a_follower_that_is_ahead_of_an_unclean_leader_is_cut() -> None:
    world = World()
    world.produce(1, b"kept")
    world.down.add(3)
    world.fence(3)
    world.produce(1, b"lost")
    world.down |= {1, 2}
    world.down.discard(3)
    node = world.nodes[3]
    node.boot()
    node.host()
    world.apply(r.PartitionChange(partition_id=0, topic_id=TOPIC, leader=3, isr=(3,)))
    world.unfence(3)
    assert produced(world.produce(3, b"instead")).base_offset == 1
    world.down.clear()
    for n in (1, 2):
        world.nodes[n].boot()
        world.nodes[n].host()
    world.wait(2)
    assert [n.values() for n in world.nodes.values()] == [[b"kept", b"instead"]] * 3
    assert (ID, 1) in world.nodes[1].logs.truncated


def test_followers_delete_all_that_is_committed_when_their_leader_does() -> None:
    world = World()
    for n in range(3):
        world.produce(1, bytes([n]))
    world.wait(1)
    leader = world.nodes[1]
    leader.replicas.writes.move_start(leader.replicas.partitions.hosted[ID], 3, lambda: None)
    world.wait(1)
    assert [n.partition().log.start for n in world.nodes.values()] == [3, 3, 3]
    world.wait(2)
    assert leader.partition().low_watermark == 3


def test_an_answer_for_a_log_that_has_gone_back_since_leaves_no_hole() -> None:
    world = World(partitions=2)
    world.produce(1, b"first")
    node, times = world.nodes[2], 0

    def go_back(to: int, request: Any, answer: Any) -> Any:
        nonlocal times
        if to != 2 or request.__api_key__ != Key.FETCH or times:
            return answer
        if any(p.records for t in answer.responses for p in t.partitions):
            times += 1
            node.replicas.on_log_gone(ID)
            node.directories[node.path].run(Truncate(node.path, LogKey(NAME, 0), 0))
            node.host()
        return answer

    world.twist = go_back
    world.produce(1, b"second", acks=1)
    world.wait(2)
    assert times == 1
    assert node.records() == [(0, b"first"), (1, b"second")]


def test_followers_learn_the_high_watermark_and_serve_consumers() -> None:
    world = World()
    world.produce(1, b"x")
    world.wait(1)
    assert world.nodes[2].partition().log.high_watermark == 1
    got = fetched(world.fetch(2, version=11))
    assert got.error_code == Error.NONE
    assert got.high_watermark == 1
    assert world.nodes[2].replicas.partitions.high_watermarks("/disk-2") == {
        world.nodes[2].replicas.partitions.hosted[ID].key: 1
    }
    assert NAME in str(world.nodes[2].replicas.partitions.hosted[ID].name)


def test_no_replica_follows_when_none_leads() -> None:
    world = World()
    world.change(leader=-1)
    assert world.nodes[2].fetchers.sources == {}
    world.elect(2)
    world.produce(2, b"x")
    assert all(n.values() == [b"x"] for n in world.nodes.values())


def test_a_log_that_is_followed_again_from_where_it_was_is_known_to_its_leader() -> None:
    world = World()
    world.produce(1, b"x", partition=0, acks=1)
    world.wait(1)
    node = world.nodes[2]
    (hosted,) = node.replicas.partitions.hosted.values()
    node.replicas.changes.resume(hosted)
    assert not node.fetchers.has_answered(hosted.id)
    world.wait(1)
    assert node.fetchers.has_answered(hosted.id), "although there was nothing to report of it"
