"""Committed offsets, plain and in transactions: the log's order decides, also after a reload."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.support.cluster_image import topic_id
from tests.support.group_broker import PARTITIONS, GroupBroker

from spindle.core.groups.group_values import Committed, MemberIdentity
from spindle.core.groups.subscription import partition_for
from spindle.model import metadata_records as r
from spindle.model.batches import CONTROL, TRANSACTIONAL, EndTransactionMarker
from spindle.model.errors import Error
from spindle.model.ids import PartitionId, TopicPartition
from spindle.node.topic_creation import OFFSETS_TOPIC
from spindle.wire.apis import Key
from spindle.wire.batch import records, split
from spindle.wire.control import control_record

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
PLACE = PartitionId(topic_id(OFFSETS_TOPIC), partition_for("g", PARTITIONS))


class World(GroupBroker):
    """One group, producers by id, and the markers that their coordinator sends."""

    def commit(self, offset: int, where: TopicPartition = T0, producer: int | None = None) -> Any:
        told: dict[TopicPartition, Error] = {}
        value = Committed(offset=offset, metadata="", commit_ms=self.out.wall_ms)
        by = None if producer is None else (producer, 0)
        self.groups.coordinator("g").commit(
            MemberIdentity(group_id="g"), {where: value}, told.update, by
        )
        return told

    def end(self, producer: int, committed: bool = True) -> None:
        marker = control_record(EndTransactionMarker(committed, 0), 0)
        assert marker.key is not None
        at = self.replicas.write(
            PLACE,
            [(marker.key, marker.value)],
            attributes=TRANSACTIONAL | CONTROL,
            producer_id=producer,
            producer_epoch=0,
        )
        self.groups.on_marker(PLACE, producer, at, committed)

    def reload(self) -> None:
        """Another broker leads for a while."""
        self.lead(False)
        self.lead()

    def compact(self) -> None:
        """Only the last record of each key stays, below what is undecided."""
        batches = [split(data)[0] for data in self.replicas.logs.get(PLACE, ())]
        undecided: dict[int, int] = {}
        for batch in batches:
            if batch.is_control:
                undecided.pop(batch.producer_id, None)
            elif batch.is_transactional:
                undecided.setdefault(batch.producer_id, batch.base_offset)
        limit = min(undecided.values(), default=1 << 60)
        aborted, dropped = self._aborted(batches), set()
        last: dict[Any, int] = {}
        for batch in batches:
            if batch.is_control or batch.base_offset >= limit:
                continue
            (record,) = records(batch)
            if batch.base_offset in aborted:
                dropped.add(batch.base_offset)
            elif (before := last.get(record.key)) is not None:
                dropped.add(before)
            if batch.base_offset not in aborted:
                last[record.key] = batch.base_offset
        self.replicas.logs[PLACE] = [
            data
            for data, batch in zip(self.replicas.logs.get(PLACE, ()), batches, strict=True)
            if batch.base_offset not in dropped
        ]

    @staticmethod
    def _aborted(batches: list[Any]) -> set[int]:
        found: set[int] = set()
        held: dict[int, list[int]] = {}
        for batch in batches:
            if batch.is_control:
                (record,) = records(batch)
                mine = held.pop(batch.producer_id, [])
                found.update(mine if record.key == b"\0\0\0\0" else ())
            elif batch.is_transactional:
                held.setdefault(batch.producer_id, []).append(batch.base_offset)
        return found

    def offsets(self) -> dict[TopicPartition, int]:
        found = self.groups.coordinator("g").fetch("g", None)
        return {p: value.offset for p, value in found.items() if value is not None}

    def undecided(self) -> set[TopicPartition]:
        return set(self.groups.coordinator("g").offsets.pending.of("g"))

    def delete(self, *partitions: TopicPartition) -> None:
        self.groups.coordinator("g").delete_offsets("g", partitions, lambda errors: None)


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.parametrize("reloads", [False, True])
def test_a_plain_commit_behind_a_transactions_outlives_its_marker(
    world: World, reloads: bool
) -> None:
    world.commit(5, producer=7)
    world.commit(9)
    world.end(7)
    if reloads:
        world.reload()
    assert world.offsets() == {T0: 9}


@pytest.mark.parametrize("reloads", [False, True])
def test_a_transactions_commit_behind_a_plain_one_counts_at_its_marker(
    world: World, reloads: bool
) -> None:
    world.commit(9)
    world.commit(5, producer=7)
    assert world.offsets() == {T0: 9}
    if reloads:
        world.reload()
    assert (world.offsets(), world.undecided()) == ({T0: 9}, {T0})
    world.end(7)
    assert (world.offsets(), world.undecided()) == ({T0: 5}, set())
    world.reload()
    assert world.offsets() == {T0: 5}


@pytest.mark.parametrize("reloads", [False, True])
def test_what_is_aborted_never_counts(world: World, reloads: bool) -> None:
    world.commit(9)
    world.commit(5, producer=7)
    if reloads:
        world.reload()
    world.end(7, committed=False)
    assert (world.offsets(), world.undecided()) == ({T0: 9}, set())
    world.commit(6, producer=7)
    world.end(7)
    world.reload()
    assert (world.offsets(), world.undecided()) == ({T0: 6}, set())


def test_of_two_transactions_the_later_commit_counts_whichever_ends_last(world: World) -> None:
    world.commit(5, producer=7)
    world.commit(6, producer=8)
    world.end(8)
    world.end(7)
    assert world.offsets() == {T0: 6}
    world.reload()
    assert world.offsets() == {T0: 6}


@pytest.mark.parametrize("reloads", [False, True])
def test_deleted_offsets_do_not_come_back_with_a_marker(world: World, reloads: bool) -> None:
    world.commit(5, producer=7)
    world.commit(3, T1, producer=7)
    assert world.undecided() == {T0, T1}
    world.delete(T0)
    if reloads:
        world.reload()
    assert world.undecided() == {T1}
    world.end(7)
    assert world.offsets() == {T1: 3}
    world.compact()
    world.reload()
    assert world.offsets() == {T1: 3}


def test_a_deleted_group_takes_its_undecided_offsets_along(world: World) -> None:
    world.commit(5, producer=7)
    answer = world.ask(Key.DELETE_GROUPS, 2, groups_names=("g",))
    assert [result.error_code for result in answer.results] == [Error.NONE]
    world.end(7)
    for _ in range(2):
        assert world.offsets() == {}
        assert world.groups.coordinator("g").describe("g") is None
        world.reload()


def test_a_deleted_topic_takes_undecided_offsets_along(world: World) -> None:
    world.commit(5, producer=7)
    world.groups.coordinator("g").on_topics_deleted(["t"])
    world.end(7)
    assert world.offsets() == {}
    world.reload()
    assert world.offsets() == {}


def test_a_topic_that_is_deleted_while_the_coordinator_loads_takes_its_offsets_along(
    world: World,
) -> None:
    """A topic of that name is another one: its readers would begin at the old one's offset."""
    world.commit(5)
    world.lead(False)
    world.replicas.held_reads = []
    world.lead()
    world.image.take_delta()
    world.image.apply(r.RemoveTopic(topic_id=topic_id("t")))
    world.groups.on_metadata(world.image.take_delta())
    while world.replicas.held_reads:
        world.replicas.held_reads.pop(0)()
    world.replicas.held_reads = None
    assert world.offsets() == {}
    world.reload()
    assert world.offsets() == {}


def test_what_a_transaction_is_about_to_change_does_not_expire() -> None:
    world = World(with_topic=True, **{"offsets.retention.minutes": "1"})
    world.commit(1)
    world.commit(2, T1)
    world.commit(3, producer=7)
    world.wait(3_600)
    assert world.offsets() == {T0: 1}
    world.end(7)
    assert world.offsets() == {T0: 3}
    world.wait(3_600)
    assert world.offsets() == {}
    assert world.groups.coordinator("g").describe("g") is None


def test_a_group_waits_for_the_transaction_that_may_give_it_an_offset() -> None:
    world = World(with_topic=True, **{"offsets.retention.minutes": "1"})
    world.commit(3, producer=7)
    world.wait(3_600)
    assert world.groups.coordinator("g").describe("g") is not None
    world.end(7)
    assert world.offsets() == {T0: 3}


def test_a_marker_behind_all_that_the_coordinator_has_read_counts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.commit(5, producer=7)
    world.lead(False)
    late: list[Callable[[], None]] = []
    read = world.replicas._read

    def read_and_wait(id: Any, offset: int, most: int, then: Callable[[Any], None]) -> None:
        read(id, offset, most, lambda result: late.append(lambda: then(result)))

    monkeypatch.setattr(world.replicas, "_read", read_and_wait)
    world.lead()
    world.end(7)
    while late:
        late.pop(0)()
    assert (world.offsets(), world.undecided()) == ({T0: 5}, set())


def test_markers_that_come_while_the_coordinator_loads_count_once(world: World) -> None:
    world.commit(5, producer=7)
    world.commit(6, T1, producer=8)
    world.lead(False)
    world.replicas.held_reads = []
    world.lead()
    world.end(7)
    world.end(8, committed=False)
    while world.replicas.held_reads:
        world.replicas.held_reads.pop(0)()
    world.replicas.held_reads = None
    assert (world.offsets(), world.undecided()) == ({T0: 5}, set())


def test_news_of_a_marker_leave_the_next_transactions_offsets_alone(world: World) -> None:
    world.replicas.held = []
    world.commit(5, producer=7)
    world.replicas.held.pop()()
    at = world.replicas.write(PLACE, [(b"\0\0\0\1", b"\0\0\0\0\0\0")], attributes=CONTROL)
    world.commit(6, producer=7)
    world.replicas.held.pop()()
    world.groups.on_marker(PLACE, 7, at, True)
    assert (world.offsets(), world.undecided()) == ({T0: 5}, {T0})


@pytest.mark.parametrize("seed", range(40))
def test_a_reloaded_coordinator_knows_what_the_one_before_knew(seed: int) -> None:
    """Offsets never go back: whatever was done, and whatever compaction has taken."""
    dice = random.Random(seed)
    world = World()
    for n in range(60):
        where = dice.choice((T0, T1))
        match dice.randrange(10):
            case 0 | 1 | 2:
                world.commit(n, where)
            case 3 | 4 | 5:
                world.commit(n, where, dice.randrange(3))
            case 6 | 7:
                world.end(dice.randrange(3), dice.random() < 0.6)
            case 8 if world.groups.coordinator("g").describe("g") is not None:
                world.delete(where)
            case 9:
                if dice.random() < 0.5:
                    world.compact()
                known = world.offsets(), world.undecided()
                world.reload()
                assert (world.offsets(), world.undecided()) == known, f"seed {seed}, step {n}"
