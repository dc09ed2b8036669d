"""Many committed records are decoded in turns, and count as a whole."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from tests.unit.node.quorum_hosts import Hosts

from spindle.model import metadata_records as r
from spindle.model.batches import Record
from spindle.model.errors import Corrupt
from spindle.model.outbox import Outbox
from spindle.node.quorum.metadata_log import Cached
from spindle.node.quorum.metadata_snapshots import metadata_level
from spindle.node.quorum.record_decoding import Decoding, records_of
from spindle.storage.formatting import DEFAULT_LEVELS
from spindle.wire import batch as codec
from spindle.wire.metadata import encode_record

ID = uuid.UUID(int=1001)


def partition(n: int) -> r.PartitionRegistration:
    return r.PartitionRegistration(
        partition_id=n,
        topic_id=ID,
        replicas=(1,),
        isr=(1,),
        leader=1,
        leader_epoch=0,
        partition_epoch=0,
        directories=(uuid.UUID(int=500),),
    )


@cache
def level() -> int:
    """Of a cluster that was just formatted."""
    return metadata_level(Hosts(voters=1).await_leader().metadata.image)


def batch(base: int, count: int, damaged: bool = False) -> Cached:
    values = [
        Record(base + n, 0, None, b"?" if damaged else encode_record(partition(base + n), level()))
        for n in range(count)
    ]
    return Cached(codec.build(values, base_offset=base), None)


class Desk:
    """Decoding by hand."""

    def __init__(self, at_once: int) -> None:
        self.out = Outbox(random.Random(1))
        self.decoding = Decoding(self.out)
        self.decoding.at_once = at_once
        self.given: list[Cached] = []

    def turns(self, *batches: Cached) -> int:
        """Decode them; in how many turns."""
        assert self.decoding.in_turns(batches, self.given.extend)
        count = 1
        while self.out.wake_at is not None:
            assert not self.given
            self.out.tick()
            count += 1
        return count


@pytest.mark.spec("S-08")
def test_many_records_are_decoded_in_turns_and_given_together() -> None:
    desk = Desk(4)
    assert desk.turns(batch(0, 6), batch(6, 5)) == 3
    found = [record for cached in desk.given for record in cached.records or ()]
    assert found == [partition(n) for n in range(11)]
    assert [cached.batch.base_offset for cached in desk.given] == [0, 6]


def test_few_records_and_those_that_are_known_need_no_turns() -> None:
    desk = Desk(4)
    known = batch(4, 9)
    known = Cached(known.batch, tuple(records_of(known.batch)))
    assert not desk.decoding.in_turns([batch(0, 4), known], desk.given.extend)
    assert desk.out.wake_at is None


def test_a_damaged_batch_is_left_to_the_part_that_applies_it() -> None:
    desk = Desk(4)
    desk.turns(batch(0, 6), batch(6, 5, damaged=True))
    assert desk.given[1].records is None
    with pytest.raises(Corrupt):
        tuple(records_of(desk.given[1].batch))


def test_a_node_goes_on_after_a_batch_that_was_decoded_on_the_spot() -> None:
    hosts = Hosts(voters=1, observers=1)
    leader, observer = hosts.await_leader(), hosts[2]

    def on_the_spot(batches: Sequence[Cached], then: Callable[[list[Cached]], None]) -> bool:
        then(list(batches))
        return True

    observer.quorum.loader.decoding.in_turns = on_the_spot  # type: ignore[method-assign]
    for n in range(1, 4):
        hosts.append(leader, r.NoOp())
        hosts.until(lambda n=n: observer.metadata.offset >= len(DEFAULT_LEVELS) + n)


@pytest.mark.spec("S-08")
def test_a_node_shows_all_of_a_large_batch_or_nothing() -> None:
    hosts = Hosts(voters=1, observers=1)
    leader, observer = hosts.await_leader(), hosts[2]
    hosts.until(lambda: observer.metadata.offset == leader.metadata.offset)
    observer.quorum.loader.decoding.at_once, observer.quorum.loader.decoding.rest = 2, 0.1
    seen: list[int] = []

    def look(_: object) -> None:
        state = observer.metadata.image.topics.get(ID)
        seen.append(len(state.partitions) if state is not None else -1)

    hosts.world.watchers.append(look)
    begun, before = hosts.world.time.now, leader.metadata.offset
    hosts.append(leader, r.Topic(name="t", topic_id=ID), *(partition(n) for n in range(9)))
    hosts.append(leader, r.NoOp())
    hosts.until(lambda: observer.metadata.offset == before + 11)
    assert set(seen) == {-1, 9}
    assert hosts.world.time.now >= begun + 0.4
    assert observer.metadata.image.topics == leader.metadata.image.topics
