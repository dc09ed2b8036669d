"""What an operator orders for a damaged replica that heals by itself no more, or never could."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.support.logdirs_world import World, pid
from tests.support.moving import fill, started

from spindle.model.errors import Error, LogFailed, Refusal
from spindle.model.ids import LOST, TopicPartition
from spindle.node.logdirs.orders import RescueAction
from spindle.node.logdirs.placement_registry import Stage
from spindle.storage import layout
from spindle.wire.apis import Key

NAME = TopicPartition("t", 0)


def damaged(world: World, number: int = 1) -> None:
    """A bit flips in the only copy, and is found."""
    path = f"/d1/t-0/{[n for n in world.disk.list('/d1/t-0') if n.endswith('.log')][number]}"
    world.disk.rot(path, 100, 4)
    hosted = world.replicas.partitions.hosted[pid("t")]
    world.replicas.changes.on_failure(hosted, LogFailed("/d1", "t-0", "bad CRC at 39"))
    world.wait(2)
    assert world.place("t").stage is Stage.OFFLINE
    assert world.assigned("t") == LOST


def mend(world: World) -> None:
    """The same bit flips back."""
    path = f"/d1/t-0/{[n for n in world.disk.list('/d1/t-0') if n.endswith('.log')][1]}"
    world.disk.rot(path, 100, 4)


def order(world: World, action: RescueAction) -> list[str]:
    told: list[str] = []
    world.logs.orders.rescue.carry_out(
        NAME, action, told.append, lambda why: told.append(f"! {why}")
    )
    world.wait(2)
    return told


def refused(world: World, action: RescueAction = RescueAction.ACCEPT_LOSS) -> Refusal:
    with pytest.raises(Refusal) as refusal:
        order(world, action)
    return refusal.value


@pytest.mark.spec("K589-02", "B-28")
def test_a_single_copy_stays_offline_and_says_what_can_be_done() -> None:
    world = started(1)
    fill(world, 20)
    damaged(world)
    world.wait(100)
    assert world.place("t").stage is Stage.OFFLINE
    assert world.place("t").why == "bad CRC at 39", "what names it stands beside it"
    outlook = world.logs.repairs.outlook(world.place("t"))
    assert "no other broker has it" in outlook
    assert "accept-loss" in outlook


@pytest.mark.spec("K589-04", "B-28")
def test_a_loss_is_accepted_and_all_that_is_good_is_served() -> None:
    world = started(1)
    values = fill(world, 20)
    damaged(world)
    (words,) = order(world, RescueAction.ACCEPT_LOSS)
    assert "of" in words
    assert "bytes" in words
    left = world.values("t")
    assert len(left) == 19
    assert set(left) < set(values)
    assert world.assigned("t") == world.id_of("/d1")
    (copy,) = world.logs.repairs.bad_copies.in_directory("/d1")
    assert copy.why.endswith("bad CRC at 39")
    world.produce("t", b"after")
    world.step()
    world.restart()
    world.wait(1)
    assert world.values("t") == [*left, b"after"]
    assert refused(world).error is Error.INVALID_REQUEST


@pytest.mark.spec("K589-04", "B-28")
@pytest.mark.parametrize("number", [0, 1, -1])
def test_a_repair_of_the_only_copy_throws_nothing_away(number: int) -> None:
    world = started(1)
    values = fill(world, 20)
    damaged(world, number)
    before = contents(world)
    (words,) = order(world, RescueAction.REPAIR)
    assert words.startswith("! t-0 is damaged still, and left as it is in /d1: segment "), words
    assert words.count("t-0") == 1
    assert " good record" in words
    assert "accept-loss" in words
    assert contents(world) == before
    assert world.place("t").stage is Stage.OFFLINE
    world.restart()
    world.wait(1)
    assert contents(world) == before
    assert world.place("t").stage is Stage.OFFLINE
    (words,) = order(world, RescueAction.ACCEPT_LOSS)
    assert words.startswith("lost: segment ")
    assert len(world.values("t")) == len(values) - 1


def contents(world: World) -> dict[str, bytes]:
    """The records' files, byte for byte."""
    found = {}
    for name in world.disk.list("/d1/t-0"):
        if name.endswith(".log"):
            file = world.disk.open(f"/d1/t-0/{name}")
            found[name] = bytes(file.read(0, file.size()))
            file.close()
    return found


@pytest.mark.spec("K589-04")
def test_a_log_whose_files_are_well_again_is_taken_up_as_it_is() -> None:
    world = started(1)
    values = fill(world, 20)
    damaged(world)
    mend(world)
    (words,) = order(world, RescueAction.REPAIR)
    assert words == "it is whole, and serves again from 0 to 20"
    assert world.values("t") == values
    assert world.kinds("/d1") == ["t-0"]
    world.restart()
    world.wait(1)
    assert world.values("t") == values


def test_what_others_have_is_not_given_up_but_fetched_again() -> None:
    world = started(1)
    fill(world, 20)
    there = (world.directory_id(0), uuid.UUID(int=99_999))
    world.change("t", leader=2, replicas=(1, 2), isr=(1, 2), directories=there)
    for _ in range(4):
        hosted = world.replicas.partitions.hosted[pid("t")]
        world.replicas.changes.on_failure(hosted, LogFailed("/d1", "t-0", "bad CRC"))
        world.change("t", isr=(2,))
        world.wait(5)
    assert world.place("t").stage is Stage.OFFLINE
    assert "fetched again 3 times" in world.logs.repairs.outlook(world.place("t"))
    assert "nothing is lost" in refused(world).message
    (words,) = order(world, RescueAction.REPAIR)
    assert "fetched again" in words
    world.wait(3)
    assert world.place("t").stage is Stage.READY


def test_what_an_offline_broker_has_is_not_given_up() -> None:
    world = started(1)
    fill(world, 20)
    damaged(world)
    there = (LOST, uuid.UUID(int=99_999))
    world.change("t", replicas=(1, 2), isr=(2,), leader=-1, directories=there)
    assert "broker 2 has more" in refused(world).message


THERE = (LOST, uuid.UUID(int=99_999))
"""Our copy is bad; broker 2's directory is online."""


@pytest.mark.spec("B-28")
def test_what_an_eligible_leader_has_is_not_given_up() -> None:
    world = started(1)
    fill(world, 20)
    damaged(world)
    world.change("t", replicas=(1, 2), isr=(1,), elr=(2,), leader=-1, directories=THERE)
    assert "broker 2 has more" in refused(world).message
    world.change("t", isr=(), elr=(1, 2))
    assert "broker 2 has more" in refused(world).message


@pytest.mark.spec("B-28")
def test_what_the_last_known_leader_has_is_not_given_up() -> None:
    world = started(1)
    fill(world, 20)
    damaged(world)
    nobody: dict[str, Any] = {"isr": (), "elr": (), "leader": -1, "directories": THERE}
    world.change("t", replicas=(1, 2), last_known_elr=(2,), **nobody)
    assert refused(world).error is Error.INVALID_REQUEST
    assert "broker 2 led t-0 last and has more of it: bring it back" in refused(world).message
    outlook = world.logs.repairs.outlook(world.place("t"))
    assert outlook == "waits: broker 2 led t-0 last and has more of it: bring it back"
    world.change("t", last_known_elr=(1,))
    assert order(world, RescueAction.ACCEPT_LOSS)[0].startswith("lost: ")


@pytest.mark.parametrize("unknown", [(), (-1,)])
def test_where_no_leader_is_known_the_replicas_that_may_have_more_are_named(
    unknown: tuple[int, ...],
) -> None:
    """Apache Kafka's controller writes -1 where the leader had gone before eligibility began."""
    world = started(1)
    fill(world, 20)
    damaged(world)
    nobody: dict[str, Any] = {"isr": (), "elr": (), "leader": -1, "last_known_elr": unknown}
    there = (*THERE, uuid.UUID(int=99_998))
    world.change("t", replicas=(1, 2, 3), directories=there, **nobody)
    assert "brokers 2, 3 may have more of t-0" in refused(world).message
    world.change("t", directories=(LOST, LOST, there[2]))
    assert "broker 3 may have more of t-0" in refused(world).message
    world.change("t", directories=(LOST, LOST, LOST))
    assert order(world, RescueAction.ACCEPT_LOSS)[0].startswith("lost: ")


def test_orders_for_what_is_not_there_or_not_damaged_are_refused() -> None:
    world = started(2)
    fill(world, 20)
    assert "it serves" in refused(world).message
    assert refused(world, RescueAction.REPAIR).error is Error.INVALID_REQUEST
    damaged(world)
    world.fail_now("/d1")
    assert refused(world).error is Error.INVALID_REQUEST
    world.create_topic("u")
    with pytest.raises(Refusal) as refusal:
        world.logs.orders.rescue.carry_out(
            TopicPartition("v", 0), RescueAction.REPAIR, print, print
        )
    assert refusal.value.error is Error.UNKNOWN_TOPIC_OR_PARTITION


def ask(world: World, key: Key, **fields: Any) -> Any:
    return world._ask(key, 0, **fields)


@pytest.mark.spec("K589-04", "B-28")
def test_both_apis_from_bytes_to_bytes() -> None:
    world = started(1)
    fill(world, 20)
    damaged(world)
    (directory,) = ask(world, Key.DESCRIBE_BAD_REPLICAS).log_dirs
    (bad,) = directory.replicas
    assert (bad.topic, bad.partition_index, bad.is_damaged) == ("t", 0, True)
    assert "bad CRC at 39" in bad.reason
    assert "accept-loss" in bad.outlook
    repair = {"topic": "t", "partition_index": 0}
    answer = ask(world, Key.REPAIR_REPLICA, action=7, **repair)
    assert (answer.error_code, answer.outcome) == (Error.INVALID_REQUEST, "")
    assert "2 ACCEPT_LOSS" in answer.error_message
    answer = ask(world, Key.REPAIR_REPLICA, action=2, topic="t", partition_index=9)
    assert answer.error_code == Error.UNKNOWN_TOPIC_OR_PARTITION
    answer = ask(world, Key.REPAIR_REPLICA, action=1, **repair)
    assert answer.error_code == Error.KAFKA_STORAGE_ERROR
    assert "is damaged still, and left as it is" in answer.error_message
    mend(world)
    answer = ask(world, Key.REPAIR_REPLICA, action=1, **repair)
    assert answer.error_code == Error.NONE
    assert "it is whole" in answer.outcome
    world.wait(1)
    (directory,) = ask(world, Key.DESCRIBE_BAD_REPLICAS).log_dirs
    assert directory.replicas == ()


@pytest.mark.spec("B-28")
def test_a_gap_that_may_be_a_loss_is_reported_by_the_replica_that_serves() -> None:
    world = started(1)
    fill(world, 20)
    world.disk.open(f"/d1/t-0/{layout.missing_file((3, 7))}", create=True).close()
    world.restart()
    world.wait(1)
    assert world.place("t").stage is Stage.READY
    (directory,) = world._ask(Key.DESCRIBE_BAD_REPLICAS, 1).log_dirs
    (gap,) = directory.gaps
    found = (gap.topic, gap.partition_index, gap.first_offset, gap.next_offset)
    assert found == ("t", 0, 3, 7)
    (older,) = ask(world, Key.DESCRIBE_BAD_REPLICAS).log_dirs
    assert not hasattr(older, "gaps")
    figures = {s.name: s.value for s in world.housekeeping.statistics()}
    assert figures["kafka_log_logmanager_doubtfulgaps"] == 1


@pytest.mark.spec("B-21", "B-28")
def test_a_gap_that_may_be_a_loss_is_reported_after_a_move() -> None:
    world = started(2)
    fill(world, 20)
    world.disk.open(f"/d1/t-0/{layout.missing_file((3, 7))}", create=True).close()
    world.restart()
    world.wait(1)
    assert world.alter("/d2", "t", 0) == [Error.NONE]
    world.until(lambda: world.kinds("/d2") == ["t-0"])
    for _ in range(2):
        world.wait(1)
        told = {d.log_dir: d.gaps for d in world._ask(Key.DESCRIBE_BAD_REPLICAS, 1).log_dirs}
        assert [(gap.topic, gap.first_offset, gap.next_offset) for gap in told["/d2"]] == [
            ("t", 3, 7)
        ]
        assert not told["/d1"]
        world.restart()


@pytest.mark.spec("B-28")
@pytest.mark.parametrize(("start", "told"), [(5, True), (7, False)])
def test_a_gap_that_retention_has_passed_is_reported_no_more(start: int, told: bool) -> None:
    world = started(1)
    fill(world, 20)
    world.disk.open(f"/d1/t-0/{layout.missing_file((3, 7))}", create=True).close()
    world.restart()
    world.wait(1)
    (hosted,) = world.replicas.partitions.hosted.values()
    world.replicas.writes.move_start(hosted, start, lambda: None)
    world.wait(1)
    assert hosted.partition.log.start == start
    (directory,) = world._ask(Key.DESCRIBE_BAD_REPLICAS, 1).log_dirs
    assert bool(directory.gaps) == told
    figures = {s.name: s.value for s in world.housekeeping.statistics()}
    assert figures["kafka_log_logmanager_doubtfulgaps"] == told
