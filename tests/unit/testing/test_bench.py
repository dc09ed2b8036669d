"""The bench of a broker's parts: disks outlive processes, and nothing is done unasked."""

from __future__ import annotations

import uuid
from types import SimpleNamespace
from typing import Any

from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import PartitionId, TopicPartition
from spindle.model.jobs import CreateLog, LogSettings
from spindle.model.log_values import LogKey, OpenedDirectory
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.testing.bench import BrokerBench

NO_CONTROLLER: Any = SimpleNamespace(ask=None)


def bench_of(*paths: str) -> BrokerBench:
    bench = BrokerBench(paths=paths, settings={"num.partitions": "7"})
    for number, path in enumerate(paths):
        bench.format(path, uuid.UUID(int=number + 101))
    bench.boot(NO_CONTROLLER)
    return bench


def test_a_part_stands_on_the_bench_and_its_storage_is_real() -> None:
    bench = bench_of("/d1", "/d2")
    assert bench.context.settings.whole("num.partitions") == 7
    opened = bench.open()
    assert [identity_of(found) for found in opened.values()] == [101, 102]
    replicas = ReplicaManager(bench.context)
    topic, key = uuid.uuid4(), LogKey("t", 0)
    log = bench.perform(CreateLog("/d2", key, topic, LogSettings()))
    assert not isinstance(log, Failure)
    replicas.on_log_ready(PartitionId(topic, 0), TopicPartition("t", 0), "/d2", log)
    assert replicas.partitions.hosted[PartitionId(topic, 0)].directory == "/d2"
    assert bench.disk.list("/d2/t-0")


def test_disks_outlive_a_process_and_fail_by_one_call() -> None:
    bench = bench_of("/d1", "/d2")
    bench.open()
    bench.perform(CreateLog("/d1", LogKey("t", 0), uuid.uuid4(), LogSettings()))
    bench.disk.kill()
    bench.boot(NO_CONTROLLER, seed=2)
    assert identity_of(bench.open()["/d1"]) == 101
    assert bench.disk.list("/d1/t-0")
    bench.disk.fail("/d2", 5)
    bench.boot(NO_CONTROLLER, seed=3)
    failed = bench.open()["/d2"]
    assert isinstance(failed, DiskFailed)
    assert failed.errno == 5


def test_time_stands_still_between_inputs() -> None:
    bench = bench_of("/d1")
    bench.set_time(12.5)
    assert (bench.out.now, bench.out.wall_ms) == (12.5, 12_500)
    bench.set_time(13.0, clock_error_ms=-1000)
    assert (bench.out.now, bench.out.wall_ms) == (13.0, 12_000)
    assert bench.out.take() is None


def identity_of(found: object) -> int:
    assert isinstance(found, OpenedDirectory)
    assert found.directory_id is not None
    return found.directory_id.int
