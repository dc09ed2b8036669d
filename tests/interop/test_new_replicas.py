"""Where new replicas go: away from what is written to, and from what is not well.

One cluster of one broker. Its two directories are file systems of their own and of the same size,
so that the figures of one say nothing of the other's, and no test beside these changes them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path

import pytest
from confluent_kafka.admin import NewTopic
from tests.support.local import Local
from tests.support.nursery import Nursery
from tests.support.ports import free_port
from tests.support.real_disks import MountNamespace

from spindle.cli.demo.demo_load import DemoLoad

pytestmark = pytest.mark.timeout(240)
BROKER = 1
SETTINGS = {
    "default.replication.factor": "1",
    "offsets.topic.replication.factor": "1",
    "log.dir.probe.interval.ms": "200",
    "log.dir.slow.ms": "20",
    "log.dir.slow.cordon": "true",
    "log.retention.check.interval.ms": "300",
    "log.initial.task.delay.ms": "300",
    "log.segment.delete.delay.ms": "200",
    "log.dir.move.keep.ms": "0",
}
MB = 1 << 20
IN_A_ROW = 3


class TwoDisks(Local):
    """A broker whose two directories are in memory, of 64 GiB each that no test fills."""

    def __init__(self, folder: Path, space: MountNamespace) -> None:
        nursery = Nursery(space.entrance)
        super().__init__(folder, brokers=1, directories=2, settings=SETTINGS, nursery=nursery)
        self._space = space
        self._numbers = count()
        self.placed: list[str] = []
        """Topics that `place` has made."""
        node = self.nodes[BROKER]
        node.settings["metrics.port"] = str(free_port())
        self.write_config(node)

    def format(self) -> None:
        """Format the directories, and mount what they are."""
        super().format()
        for path in self.nodes[BROKER].log_dirs:
            self._space.mount_memory(path, "64g")
            shutil.copy(path / "meta.properties", self._space.seen(path))
            (path / "meta.properties").unlink()
            # Free bytes count in parts of 64 MiB: figures of another moment must not be over one.
            (self._space.seen(path) / "lost+found").mkdir()
            (self._space.seen(path) / "lost+found" / "filler").write_bytes(bytes(32 * MB))

    def place(self, stem: str) -> list[int]:
        """Make a topic of two partitions; the directories where the cluster puts them."""
        topic = f"{stem}-{next(self._numbers)}"
        self.admin.create_topics([NewTopic(topic, 2, 1)])[topic].result(20)
        self.placed.append(topic)
        return [self.disk_of(topic, number, BROKER) for number in range(2)]

    def even_out(self) -> None:
        """Remove what was placed: one log here and one there, as before."""
        for gone in self.admin.delete_topics(self.placed).values():
            gone.result(20)
        self.placed.clear()
        self.until(lambda: [len(d.current) for d in self.disks(BROKER)] == [1, 1], "all is even")

    def named(self, word: str) -> list[int]:
        """Which directories are offline, or cordoned, by the broker's metrics."""
        told = self.metrics(BROKER)
        metric = f"kafka_log_logmanager_logdirectory{word}"
        paths = self.log_dirs(BROKER)
        return [n for n, p in enumerate(paths) if told[f'{metric}{{logDirectory="{p}"}}']]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoDisks]:
    """It has as many logs in one directory as in the other."""
    folder = tmp_path_factory.mktemp("new")
    with MountNamespace() as space, TwoDisks(folder, space) as cluster:
        cluster.start()
        for disk in (0, 1):
            kept = {"retention_bytes": str(4 * MB), "segment_bytes": str(MB)}
            cluster.create_on(f"loaded-{disk}", disk, [BROKER], **kept)
        yield cluster


@pytest.fixture(autouse=True)
def even(cluster: TwoDisks) -> Iterator[None]:
    """Each test finds the directories well, and with one log each."""
    yield
    for marker in cluster.nodes[BROKER].folder.glob("*.broken"):
        marker.unlink()
    cluster.even_out()


@contextmanager
def written_to(cluster: TwoDisks, disk: int, size: int) -> Iterator[DemoLoad]:
    """200 records a second for a topic in this directory."""
    load = DemoLoad(cluster.bootstrap, f"loaded-{disk}", [1.0], 200, size)
    load.start()
    try:
        cluster.until(lambda: len(load.acknowledged) > 1000, "records flow", 60)
        yield load
    finally:
        load.finish()
    assert not load.failed


@pytest.mark.spec("K113-27", "B-07")
@pytest.mark.parametrize("busy", [0, 1])
def test_among_equals_the_directory_that_is_written_to_less(cluster: TwoDisks, busy: int) -> None:
    """Both have the same room and as many logs; the busy one deletes what it writes."""
    wanted = [1 - busy, busy]  # The first of two; then the other has more room.
    with written_to(cluster, busy, 20_000):
        cluster.until(lambda: cluster.place("rate") == wanted, "the controller knows the rates", 60)
        assert [cluster.place("rate") for _ in range(IN_A_ROW)] == [wanted] * IN_A_ROW


@pytest.mark.spec("B-07", "B-12", "B-13", "B-19")
@pytest.mark.parametrize(
    ("fault", "word"),
    [("EIO", "offline"), ("ENOSPC", "cordoned"), ("slow 0.2 write", "cordoned")],
    ids=["failed", "full", "slow"],
)
@pytest.mark.parametrize("bad", [0, 1])
def test_none_into_a_directory_that_is_not_well(
    cluster: TwoDisks, fault: str, word: str, bad: int
) -> None:
    """When it is well again, it gets what the other one has more."""
    well = 1 - bad
    slow = fault.startswith("slow")
    with written_to(cluster, bad, 1000) if slow else nullcontext():
        cluster.break_disk(BROKER, bad, fault)
        cluster.until(lambda: cluster.named(word) == [bad], f"it is {word}", 60)
        cluster.until(lambda: cluster.place("first") == [well, well], "the controller hears of it")
        placed = [cluster.place("health") for _ in range(IN_A_ROW)]
        cluster.mend_disk(BROKER, bad)
        cluster.until(lambda: not cluster.named(word), f"it is {word} no more", 90)
    assert placed == [[well, well]] * IN_A_ROW
    cluster.until(lambda: cluster.place("again") == [bad, bad], "the controller knows")
