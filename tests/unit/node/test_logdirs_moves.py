"""Moves between a broker's directories: real places, replicas and storage, stepped by hand."""

from __future__ import annotations

import errno
import random
import uuid
from typing import Any

import pytest
from tests.support.logdirs_world import World, key, name, pid, topic_id
from tests.support.moving import fill, is_a, moved, started

from spindle.core.logdirs.move import LogDirMoveState
from spindle.model import metadata_records as r
from spindle.model.copying_jobs import (
    AdoptCopied,
    CopyBytes,
    PlanCopy,
)
from spindle.model.errors import Failure, PeerFailed
from spindle.model.jobs import (
    CreateLog,
    Discard,
    Flush,
    Job,
    LogStart,
    Promote,
    Retain,
    SyncNames,
)
from spindle.node.logdirs.placement_registry import Stage


@pytest.mark.spec("K113-01", "K113-02", "K113-03", "K113-04")
def test_a_move_while_records_come() -> None:
    world = started()
    values = fill(world, 50)
    assert world.alter("/d2", "t") == [0]
    assert world.kinds("/d2") == ["t-0.-future"] or world.kinds("/d2") == []
    for number in range(30):
        world.produce("t", b"live %d" % number)
        values.append(b"live %d" % number)
        world.wait(0.005)
    world.until(moved(world))
    assert world.values("t") == values
    assert world.kinds("/d1") == ["t-0.-delete"]
    assert world.names("/d2") == ["t-0"]
    world.produce("t", b"after")
    world.step()
    assert world.values("t") == [*values, b"after"]
    world.wait(6)
    assert world.names("/d1") == []


@pytest.mark.spec("K858-16", "B-05")
def test_the_metadata_goes_from_old_to_new_once() -> None:
    world = started()
    fill(world, 20)
    world.controller.told.clear()
    world.alter("/d2", "t")
    world.until(moved(world))
    world.wait(20)
    assert world.controller.told == [(pid("t"), world.id_of("/d2"))]


@pytest.mark.spec("K858-16")
def test_nothing_is_swapped_before_the_commit_is_seen() -> None:
    world = started()
    values = fill(world, 20)
    world.controller.commits = False
    world.alter("/d2", "t")
    for number in range(20):
        world.produce("t", b"more %d" % number)
        values.append(b"more %d" % number)
        world.wait(0.1)
    move = world.logs.moves.under_way.of(pid("t"))
    assert move is not None
    assert move.state is LogDirMoveState.ASSIGNING
    assert move.end == len(values)
    assert world.place("t").directory == "/d1"
    world.controller.commits = True
    world.assign("t", world.id_of("/d2"))
    world.until(moved(world))
    assert world.values("t") == values


@pytest.mark.spec("K858-17")
def test_a_controller_that_does_not_answer_is_asked_again() -> None:
    world = started()
    fill(world, 5)
    world.controller.answers = False
    world.alter("/d2", "t")
    world.until(lambda: len(world.controller.asked) == 1)
    world.controller.asked.pop()[1](PeerFailed("hung up"))
    world.controller.answers = True
    world.until(moved(world))


@pytest.mark.spec("K113-12", "K858-16")
def test_the_target_dies_of_the_last_rename_and_the_source_gets_its_name_back() -> None:
    world = started()
    values = fill(world, 5)
    world.alter("/d2", "t")
    world.run_until_job(is_a(Promote))
    world.disk.fail("/d2", errno.EIO)
    world.resume()
    world.wait(2)
    assert (world.place("t").directory, world.place("t").stage) == ("/d1", Stage.READY)
    assert world.assigned("t") == world.id_of("/d1")
    assert world.values("t") == values


@pytest.mark.spec("B-32")
def test_appends_go_on_before_the_copys_name_is_on_the_medium() -> None:
    world = started()
    values = fill(world, 5)
    world.alter("/d2", "t")
    world.run_until_job(is_a(SyncNames))
    assert moved(world)()
    world.resume()
    world.produce("t", b"after")
    world.step()
    assert world.values("t") == [*values, b"after"]


@pytest.mark.spec("B-32", "K113-12")
def test_the_target_dies_of_its_names_after_the_swap() -> None:
    world = started()
    fill(world, 5)
    world.alter("/d2", "t")
    world.run_until_job(is_a(SyncNames))
    world.disk.fail("/d2", errno.EIO)
    world.resume()
    world.wait(2)
    assert not world.logs.directories.is_online("/d2")
    assert world.names("/d1") != []  # The renamed source waits for its end.


@pytest.mark.spec("K113-12", "B-21")
def test_without_its_source_a_copy_serves_once_its_name_is_on_the_medium() -> None:
    """A source whose disk has failed has kept its name: it may come back with it."""
    world = started()
    fill(world, 5)
    world.alter("/d2", "t")
    world.run_until_job(is_a(Discard))
    world.disk.fail("/d1", errno.EIO)
    asked: list[Job[Any]] = []

    def only_seen(job: Job[Any]) -> bool:
        asked.append(job)
        return False

    world.stop_before, world.stopped_at = only_seen, None
    world.wait(2)
    (promoted,) = [job for job in asked if isinstance(job, Promote)]
    assert promoted.synced
    assert not [job for job in asked if isinstance(job, SyncNames)]


@pytest.mark.spec("B-11")
def test_a_clock_set_back_does_not_keep_a_copy_for_longer_than_the_grace() -> None:
    world = started(log_dir_move_keep_ms="60000")
    fill(world, 30)
    world.alter("/d2", "t")
    world.run_until_job(is_a(AdoptCopied))
    world.resume()
    assert world.alter("/d1", "t") == [0]
    world.wait(1)
    assert world.names("/d2") != []
    world.clock_error_ms = -3_600_000
    world.restart()
    world.wait(70)
    assert world.names("/d2") == []


@pytest.mark.spec("K113-09")
def test_redirected_to_a_third_directory() -> None:
    world = started(3, log_dir_move_keep_ms="0")
    values = fill(world, 30)
    world.alter("/d2", "t")
    world.run_until_job(is_a(PlanCopy))
    world.resume()
    assert world.alter("/d3", "t") == [0]
    world.until(moved(world, to="/d3"))
    world.wait(6)
    assert world.values("t") == values
    assert world.names("/d1") == []
    assert world.names("/d2") == []


@pytest.mark.spec("K113-09")
def test_the_same_target_again_changes_nothing() -> None:
    world = started(replica_alter_log_dirs_io_max_bytes_per_second="100")
    fill(world, 20)
    world.alter("/d2", "t")
    world.wait(2)
    before = world.logs.moves.under_way.of(pid("t"))
    assert world.alter("/d2", "t") == [0]
    assert world.logs.moves.under_way.of(pid("t")) is before


@pytest.mark.spec("K113-05", "B-10")
def test_only_so_many_copy_at_once_and_the_others_are_shown() -> None:
    world = started(
        3,
        partitions=9,
        num_replica_alter_log_dirs_threads="2",
        log_dir_move_copies_max="2",
        replica_alter_log_dirs_io_max_bytes_per_second="200",
    )
    for partition in range(9):
        fill(world, 10, partition)
    on = {p: world.place("t", p).directory for p in range(9)}
    targets = {p: "/d1" if on[p] != "/d1" else "/d2" for p in range(9)}
    for p, target in targets.items():
        assert world.alter(target, "t", p) == [0]
    world.wait(1)
    states = [m.state for m in world.logs.moves.under_way.all()]
    assert states.count(LogDirMoveState.COPYING) == 2
    futures = [
        entry
        for d in world.describe().values()
        for topic in d.topics
        for entry in topic.partitions
        if entry.is_future_key
    ]
    assert len(futures) == 9
    copying = [m for m in world.logs.moves.under_way.all() if m.state is LogDirMoveState.COPYING]
    assert len({m.source for m in copying}) == 2
    most = 0
    while any(world.logs.moves.under_way.all()):
        world.wait(1)
        now = [m.state for m in world.logs.moves.under_way.all()]
        most = max(most, now.count(LogDirMoveState.COPYING))
    assert most == 2
    assert {p: world.place("t", p).directory for p in range(9)} == targets


@pytest.mark.spec("K113-07")
def test_one_rate_for_all_moves_changed_while_they_run() -> None:
    world = started(2, partitions=4, replica_alter_log_dirs_io_max_bytes_per_second="1000")
    for partition in range(4):
        fill(world, 200, partition)
    for partition in range(4):
        target = "/d2" if world.place("t", partition).directory == "/d1" else "/d1"
        world.alter(target, "t", partition)
    world.wait(10)
    assert 8_000 <= world.logs.moves.tools.figures.copied_bytes <= 11_500
    world.broker.settings.set_dynamic(
        {"replica.alter.log.dirs.io.max.bytes.per.second": str(1 << 40)}
    )
    world.logs.on_settings()
    world.wait(2)
    assert not list(world.logs.moves.under_way.all())


@pytest.mark.spec("K113-12", "K858-16")
@pytest.mark.parametrize("state", [LogDirMoveState.COPYING, LogDirMoveState.ASSIGNING])
def test_target_dies_the_current_log_serves_on(state: LogDirMoveState) -> None:
    world = started(3)
    values = fill(world, 30)
    if state is LogDirMoveState.COPYING:
        _slow(world)
    else:
        world.controller.commits = False
    world.alter("/d2", "t")
    world.until(lambda: _state(world) is state)
    world.controller.commits = True
    if state is LogDirMoveState.ASSIGNING:
        # The controller had taken it: the metadata names the dead directory.
        world.hung = {"/d1"}
        world.assign("t", world.id_of("/d2"))
        assert _state(world) is LogDirMoveState.SETTLING
    world.fail_now("/d2")
    world.hung.clear()
    world.wait(1)
    assert world.logs.moves.under_way.of(pid("t")) is None
    assert world.assigned("t") == world.id_of("/d1")
    world.produce("t", b"after")
    world.step()
    assert world.values("t") == [*values, b"after"]
    assert world.lifecycle.failed == [world.directory_id(1)]


def _state(world: World) -> LogDirMoveState | None:
    move = world.logs.moves.under_way.of(pid("t"))
    return move.state if move is not None else None


def _slow(world: World) -> None:
    world.broker.settings.set_dynamic({"replica.alter.log.dirs.io.max.bytes.per.second": "100"})
    world.logs.on_settings()


@pytest.mark.spec("K113-12", "K113-17")
def test_source_dies_while_copying_the_copy_is_left_untouched() -> None:
    world = started(3)
    fill(world, 30)
    _slow(world)
    world.alter("/d2", "t")
    world.wait(3)
    names = world.names("/d2")
    world.fail_now("/d1")
    world.wait(1)
    assert world.names("/d2") == names
    assert world.replicas.partitions.bounds(pid("t")) is None
    (entry,) = world.describe()["/d2"].topics[0].partitions
    assert entry.is_future_key
    assert entry.offset_lag == -1
    # The metadata names a directory of which the controller knows that it is dead: that is enough.
    assert world.assigned("t") == world.directory_id(0)


@pytest.mark.spec("K858-16")
def test_source_dies_after_the_report_to_the_controller_the_replica_is_lost() -> None:
    world = started(3)
    fill(world, 30)
    world.controller.commits = False
    world.alter("/d2", "t")
    world.until(lambda: _state(world) is LogDirMoveState.ASSIGNING)
    world.controller.commits = True
    world.hung = {"/d1"}
    world.assign("t", world.id_of("/d2"))
    world.fail_now("/d1")
    world.wait(1)
    assert world.assigned("t") == uuid.UUID(int=2)
    assert world.kinds("/d2") == ["t-0.-future"]


@pytest.mark.spec("B-06")
def test_one_dead_disk_does_not_forbid_moves_between_the_others() -> None:
    world = started(3)
    values = fill(world, 10)
    world.fail_now("/d3")
    assert world.alter("/d2", "t") == [0]
    world.until(moved(world))
    assert world.values("t") == values


@pytest.mark.spec("K113-14")
@pytest.mark.parametrize(
    "when", [CreateLog, PlanCopy, CopyBytes, AdoptCopied, Flush, Discard, Promote]
)
def test_topic_deleted_during_a_move_leaves_nothing(when: type[Job[Any]]) -> None:
    world = started()
    fill(world, 30)
    world.order("/d2", "t")
    world.run_until_job(is_a(when))
    world.resume()
    world.apply(r.RemoveTopic(topic_id=topic_id("t")))
    world.wait(10)
    assert world.names("/d1") == []
    assert world.names("/d2") == []
    assert world.halted is None
    assert len(world.logs.assignments.assigning.queue) == 0


@pytest.mark.spec("K113-14")
def test_reassigned_away_during_a_move() -> None:
    world = started()
    fill(world, 30)
    _slow(world)
    world.alter("/d2", "t")
    world.wait(1)
    world.change("t", replicas=(2,), isr=(2,), leader=2, directories=(uuid.UUID(int=99_999),))
    world.wait(10)
    assert world.names("/d1") == []
    assert world.names("/d2") == []
    assert world.replicas.partitions.find(pid("t")) is None


@pytest.mark.spec("K113-13")
def test_truncation_applies_to_the_future_log_too() -> None:
    world = started()
    fill(world, 30)
    world.controller.commits = False
    world.alter("/d2", "t")
    world.until(lambda: _state(world) is LogDirMoveState.ASSIGNING)
    world.wait(0.2)
    hosted = world.replicas.partitions.hosted[pid("t")]
    world.change(
        "t",
        leader=2,
        replicas=(1, 2),
        isr=(1, 2),
        directories=(world.id_of("/d1"), uuid.UUID(int=99_999)),
    )
    world.replicas.writes.truncate(hosted, 10, lambda: None)
    world.wait(0.5)
    move = world.logs.moves.under_way.of(pid("t"))
    assert move is not None
    assert move.end == 10
    world.change("t", leader=1, isr=(1,))
    values = [b"%d" % n for n in range(10)]
    for number in range(15):
        world.produce("t", b"new %d" % number)
        values.append(b"new %d" % number)
    world.step()
    world.controller.commits = True
    world.assign("t", world.id_of("/d2"))
    world.until(moved(world))
    assert world.values("t") == values


@pytest.mark.spec("K113-13", "B-20")
def test_retention_applies_to_the_future_log_too() -> None:
    world = started()
    fill(world, 30)
    world.controller.commits = False
    world.alter("/d2", "t")
    world.until(lambda: _state(world) is LogDirMoveState.ASSIGNING)
    hosted = world.replicas.partitions.hosted[pid("t")]
    mark = hosted.partition.log.high_watermark

    def on_start(start: LogStart | Failure) -> None:
        assert isinstance(start, LogStart)
        world.replicas.writes.on_start(hosted, start)

    hosted.jobs.write(lambda path: Retain(path, hosted.key, -1, 800, mark, 0), on_start)
    world.wait(0.5)
    start = hosted.partition.log.start
    assert 10 < start < 30
    left = world.directories["/d1"].disk.list("/d1/t-0")
    assert not any(name.endswith(".log.deleted") for name in left)
    future = world.directories["/d2"].logs[key("t", future=True)]
    assert future.start == start
    world.controller.commits = True
    world.assign("t", world.id_of("/d2"))
    world.until(moved(world))
    assert world.directories["/d2"].logs[key("t")].start == start
    assert world.values("t") == [b"%d" % n for n in range(start, 30)]


@pytest.mark.spec("B-12")
def test_target_without_room_the_move_ends_and_the_copy_goes() -> None:
    world = started(2)
    values = fill(world, 50)
    world.disk.capacity["/d2"] = 1500
    world.alter("/d2", "t")
    world.wait(7)
    assert world.logs.moves.under_way.of(pid("t")) is None
    assert world.place("t").directory == "/d1"
    assert world.values("t") == values
    assert world.logs.directories.is_online("/d2")
    assert world.names("/d2") == []


def test_moves_there_and_back_many_times_keep_every_record() -> None:
    world = started()
    rng = random.Random(5)
    values: list[bytes] = []
    for number in range(12):
        target = "/d2" if world.place("t").directory == "/d1" else "/d1"
        for n in range(rng.randrange(10)):
            world.produce("t", b"%d-%d" % (number, n))
            values.append(b"%d-%d" % (number, n))
        world.alter(target, "t")
        world.until(moved(world, to=target))
    assert world.values("t") == values
    world.wait(6)
    assert sorted(world.names("/d1") + world.names("/d2")) == ["t-0"]
    assert name("t") == world.place("t").name


@pytest.mark.spec("K113-13", "B-21")
def test_a_stop_waits_for_what_is_being_copied() -> None:
    """A directory closed as clean must not be written to: its logs would have holes (seed 2463)."""
    world = started()
    fill(world, 50)
    world.hung = {"/d2"}
    world.order("/d2", "t")
    world.wait(0.5)
    assert world.logs.moves.under_way.copying_to == {"/d2"}
    stopped: list[bool] = []
    world.logs.stop_moving(lambda: stopped.append(True))
    world.wait(1)
    assert not stopped
    world.hung.clear()
    world.wait(0.5)
    assert stopped == [True]
    assert world.logs.moves.under_way.copying_to == set()
    assert world.logs.moves.under_way.of(pid("t")) is not None, "it goes on after the next start"


def test_a_stop_does_not_wait_for_ever_and_leaves_the_target_unclean() -> None:
    world = started()
    fill(world, 50)
    world.hung = {"/d2"}
    world.order("/d2", "t")
    world.wait(0.5)
    stopped: list[bool] = []
    world.logs.stop_moving(lambda: stopped.append(True))
    world.wait(6)
    assert stopped == [True]
    assert world.logs.moves.under_way.copying_to == {"/d2"}
