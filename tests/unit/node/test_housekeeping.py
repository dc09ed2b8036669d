"""What is done to logs by the clock."""

from __future__ import annotations

import pytest
from tests.support.logdirs_world import World, pid
from tests.support.moving import fill, started

from spindle.model import metadata_records as r
from spindle.model.jobs import (
    Flush,
    Job,
)


def test_retention_deletes_what_a_topic_need_not_keep_and_spares_compacted_ones() -> None:
    world = World(
        1, {"log.initial.task.delay.ms": "1000", "log.retention.check.interval.ms": "1000"}
    )
    world.open()
    world.create_topic("t", segment_bytes="400", retention_bytes="800")
    world.create_topic("c", segment_bytes="400", retention_bytes="800", cleanup_policy="compact")
    world.wait(0.1)
    for number in range(40):
        world.produce("t", b"%d" % number)
        world.produce("c", b"%d" % number)
    world.wait(0.5)
    assert world.replicas.partitions.bounds(pid("t")) == (0, 40, 40)
    world.wait(3)
    start = world.replicas.partitions.hosted[pid("t")].partition.log.start
    assert 20 < start < 40
    assert world.replicas.partitions.hosted[pid("t")].size < 1300
    assert world.replicas.partitions.hosted[pid("c")].partition.log.start == 0


def test_retention_waits_for_the_initial_delay() -> None:
    world = World(1, {"log.initial.task.delay.ms": "30000"})
    world.open()
    world.create_topic("t", segment_bytes="400", retention_bytes="0")
    world.wait(0.1)
    for number in range(40):
        world.produce("t", b"%d" % number)
    world.wait(25)
    assert world.replicas.partitions.hosted[pid("t")].partition.log.start == 0
    world.wait(6)
    assert world.replicas.partitions.hosted[pid("t")].partition.log.start > 0


def test_high_watermarks_survive_a_kill_once_they_were_checkpointed() -> None:
    world = started(2)
    fill(world, 10)
    world.wait(6)
    text = bytes(world.disk.open("/d1/replication-offset-checkpoint").read(0, 1000))
    assert b"t 0 10" in text
    world.restart()
    world.wait(0.1)
    assert world.replicas.partitions.bounds(pid("t")) == (0, 10, 10)


def test_flush_ms_puts_records_on_the_medium() -> None:
    world = World(1, {"log.initial.task.delay.ms": "0"})
    world.open()
    world.create_topic("t", flush_ms="200")
    world.create_topic("u")
    world.wait(0.1)
    flushed: list[str] = []

    def note(job: Job[object]) -> bool:
        if isinstance(job, Flush):
            flushed.append(job.key.topic)
        return False

    world.stop_before = note
    world.wait(5)
    assert set(flushed) == {"t"}
    assert 8 <= len(flushed) <= 11
    world.apply(r.DynamicConfig(resource_type=2, resource_name="t", key="flush.ms", value=None))
    flushed.clear()
    world.wait(5)
    assert flushed == []


def figures(world: World) -> dict[tuple[str, str], float]:
    return {
        (s.name, s.labels.get("logDirectory", "")): s.value for s in world.housekeeping.statistics()
    }


@pytest.mark.spec("K858-08", "B-18")
def test_figures_under_kafkas_names() -> None:
    world = started(2, partitions=4)
    world.controller.answers = False
    world.create_topic("u", 3)
    world.wait(1)
    told = figures(world)
    queued = "kafka_server_assignmentsmanager_queuedreplicatodirassignments"
    assert told[queued, ""] == 3
    assert told["kafka_log_logmanager_offlinelogdirectorycount", ""] == 0
    world.fail_now("/d1")
    told = figures(world)
    assert told["kafka_log_logmanager_offlinelogdirectorycount", ""] == 1
    assert told["kafka_log_logmanager_logdirectoryoffline", "/d1"] == 1
    assert told["kafka_log_logmanager_logdirectoryoffline", "/d2"] == 0
    lost = sum(p.directory == "/d1" for p in world.logs.places.all.values())
    assert lost > 0
    assert told["kafka_server_replicamanager_offlinereplicacount", ""] == lost


def test_a_clean_stop_begins_no_new_copying() -> None:
    world = started(2, replica_alter_log_dirs_io_max_bytes_per_second="100")
    fill(world, 50)
    world.alter("/d2", "t")
    world.wait(1)
    world.logs.stop_moving(lambda: None)
    before = world.logs.moves.tools.figures.copied_bytes
    done: list[bool] = []
    world.housekeeping.checkpoint(lambda: done.append(True))
    world.wait(5)
    assert done == [True]
    assert world.logs.moves.tools.figures.copied_bytes <= before + 200
