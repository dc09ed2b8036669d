"""The scrubber in a broker: finds damage, resumes after restarts, and gives way."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from tests.support.logdirs_world import World, pid
from tests.support.moving import fill

from spindle.core.logdirs.scrub_schedule import STEP
from spindle.model.ids import LOST
from spindle.model.jobs import Append, Job
from spindle.model.scrub_jobs import Scrub
from spindle.node.logdirs.placement_registry import Stage
from spindle.node.logdirs.repairs import SCRUB_FILE

DELAY = "1000"


def world_of(directories: int = 1, partitions: int = 2, records: int = 30, **more: str) -> World:
    settings = {"log.initial.task.delay.ms": DELAY, "log.retention.ms": "-1"}
    settings |= {name.replace("_", "."): value for name, value in more.items()}
    world = World(directories, settings)
    world.open()
    world.create_topic("t", partitions, segment_bytes="400")
    world.wait(0.2)
    for partition in range(partitions):
        fill(world, records, partition)
    return world


def segments(world: World, partition: int = 0) -> list[str]:
    path = f"{world.place('t', partition).directory}/t-{partition}"
    return [f"{path}/{n}" for n in world.disk.list(path) if n.endswith(".log")]


def flip(world: World, path: str, at: int = 100) -> None:
    file = world.disk.open(path)
    file.write(at, [bytes([file.read(at, 1)[0] ^ 4])])
    file.close()


def events(world: World, name: str) -> list[dict[str, object]]:
    return [fields for _, event, fields in world.said if event == name]


@pytest.mark.spec("B-28", "K589-02")
@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_flipped_bit_costs_its_replica_before_any_client_has_read_it(number: int) -> None:
    world = world_of()
    flip(world, segments(world)[number])
    world.wait(5)
    assert world.place("t").stage is Stage.OFFLINE
    assert "found by the scrubber" in world.place("t").why
    assert world.assigned("t") == LOST
    assert world.place("t", 1).stage is Stage.READY
    assert world.logs.scrubbing.progress("/d1").bad == 1
    assert len(events(world, "directory scrubbed")) == 1


@pytest.mark.spec("B-28")
def test_damage_in_a_later_round_is_found_an_interval_later() -> None:
    world = world_of(log_dir_scrub_interval_ms="60000")
    world.wait(5)
    assert world.logs.scrubbing.progress("/d1").rounds == 1
    flip(world, segments(world)[1])
    world.wait(40)
    assert world.place("t").stage is Stage.READY
    world.wait(30)
    assert world.place("t").stage is Stage.OFFLINE


@pytest.mark.spec("B-28")
def test_it_reads_no_faster_than_it_may_and_each_disk_by_itself() -> None:
    world = world_of(2, 4, log_dir_scrub_max_bytes_per_second="500")
    sizes = {path: world.logs.places.bytes_in(path) for path in world.paths}
    assert all(size > 3000 for size in sizes.values())
    world.wait(4)
    for path in world.paths:
        # The least piece is a batch, and the pieces' ends are rounded up to one.
        assert 500 < world.logs.scrubbing.progress(path).seen < 3.5 * 500
    world.wait(sum(sizes.values()) / 500)
    for path, size in sizes.items():
        found = world.logs.scrubbing.progress(path)
        assert (found.rounds, found.seen) == (1, size)


@pytest.mark.spec("B-28")
def test_it_goes_on_after_a_restart_where_it_was() -> None:
    world = world_of(log_dir_scrub_max_bytes_per_second="50")
    size = world.logs.places.bytes_in("/d1")
    world.wait(50)
    world.restart()
    world.wait(0.5)
    taken_up = world.logs.scrubbing.progress("/d1")
    assert taken_up.place is not None
    assert taken_up.seen > 1000
    world.wait(size / 50 - 15)
    assert world.logs.scrubbing.progress("/d1").rounds == 1
    world.restart()
    world.wait(100)
    assert world.logs.scrubbing.progress("/d1").rounds == 1


def test_an_orderly_stop_remembers_how_far_it_was() -> None:
    world = world_of(log_dir_scrub_max_bytes_per_second="500")
    world.wait(5)
    before = world.logs.scrubbing.progress("/d1").seen
    assert before > 0
    world.logs.stop_moving(lambda: None)
    world.wait(5)
    world.restart()
    world.wait(0.5)
    assert world.logs.scrubbing.progress("/d1").seen == before


@pytest.mark.parametrize("data", [b"", b"{}", b"\x00\xff"])
def test_progress_that_cannot_be_read_costs_a_warning(data: bytes) -> None:
    world = world_of()
    world.kill()
    file = world.disk.open(f"/d1/{SCRUB_FILE}", create=True)
    file.truncate(0)
    file.write(0, [data])
    file.close()
    world.open()
    world.wait(5)
    assert events(world, "scrubbing starts again")
    assert world.logs.scrubbing.progress("/d1").rounds == 1


@pytest.mark.spec("B-28")
def test_it_gives_way_to_appends_on_a_slow_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_of(records=100, log_dir_scrub_max_bytes_per_second="100000000")
    steps: list[float] = []
    run = world.directories["/d1"].run_group

    def slow(group: Sequence[Job[Any]]) -> list[Any]:
        if isinstance(group[0], Scrub):
            assert group[0].max_bytes <= STEP
            world.now += 0.5
            steps.append(world.now)
        return list(run(group))

    monkeypatch.setattr(world.directories["/d1"], "run_group", slow)
    world.wait(20)
    apart = [b - a for a, b in pairwise(steps)]
    assert all(rest >= 0.5 * 4 for rest in apart)
    world.produce("t", b"on")
    world.step()
    assert world.values("t")[-1] == b"on"


def test_switched_off_it_does_nothing() -> None:
    world = world_of(log_dir_scrub_max_bytes_per_second="0")
    flip(world, segments(world)[0])
    world.wait(100)
    assert world.place("t").stage is Stage.READY
    world.broker.settings.set_dynamic({"log.dir.scrub.max.bytes.per.second": "1000000"})
    world.wait(15)
    assert world.place("t").stage is Stage.OFFLINE


@pytest.mark.spec("B-28")
def test_switched_off_during_a_step_it_goes_on_once_it_is_switched_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = world_of(log_dir_scrub_max_bytes_per_second="2000")
    run = world.directories["/d1"].run_group

    def switched_off(group: Sequence[Job[Any]]) -> list[Any]:
        if isinstance(group[0], Scrub):
            world.broker.settings.set_dynamic({"log.dir.scrub.max.bytes.per.second": "0"})
        return list(run(group))

    monkeypatch.setattr(world.directories["/d1"], "run_group", switched_off)
    world.wait(30)
    assert 0 < world.logs.scrubbing.progress("/d1").seen < world.logs.places.bytes_in("/d1")
    monkeypatch.undo()
    world.broker.settings.set_dynamic({"log.dir.scrub.max.bytes.per.second": "1000000"})
    world.wait(15)
    assert world.logs.scrubbing.progress("/d1").rounds == 1


def test_a_directory_that_fails_ends_it_and_one_that_is_back_goes_on() -> None:
    world = world_of(2, 2, log_dir_scrub_max_bytes_per_second="500")
    world.wait(2)
    world.fail_now("/d1")
    before = world.logs.scrubbing.progress("/d2").seen
    world.wait(3)
    assert world.logs.scrubbing.progress("/d1").place is None
    assert world.logs.scrubbing.progress("/d2").seen > before


@pytest.mark.spec("B-15")
def test_want_of_descriptors_makes_no_log_bad() -> None:
    world = world_of()
    fault = world.disk.fail("/d1/t-0", errno.EMFILE, "open")
    world.wait(5)
    assert world.place("t").stage is Stage.READY
    world.disk.mend(fault)
    world.wait(20)
    assert world.logs.scrubbing.progress("/d1").rounds == 1
    assert world.logs.scrubbing.progress("/d1").bad == 0


def test_figures_tell_of_it() -> None:
    world = world_of(log_dir_scrub_max_bytes_per_second="500")
    world.wait(3)
    figures = {s.name: s.value for s in world.housekeeping.statistics()}
    prefix = "kafka_log_logmanager_scrub"
    assert 0 < figures[prefix + "roundbytes"] < figures[prefix + "roundtotalbytes"]
    assert figures[prefix + "rounds_total"] == 0
    world.wait(60)
    figures = {s.name: s.value for s in world.housekeeping.statistics()}
    assert figures[prefix + "rounds_total"] == 1
    assert figures[prefix + "roundbytes"] == figures[prefix + "roundtotalbytes"]
    assert figures[prefix + "lastroundms"] > 0


def test_appends_between_its_steps_go_on() -> None:
    world = world_of(log_dir_scrub_max_bytes_per_second="2000")
    for n in range(40):
        world.produce("t", b"%d" % n)
        world.wait(0.2)
    assert not any(isinstance(a.job, Append) for q in world.queues.values() for a in q)
    assert world.logs.scrubbing.progress("/d1").bad == 0
    assert world.replicas.partitions.bounds(pid("t")) is not None
