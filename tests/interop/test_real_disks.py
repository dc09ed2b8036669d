"""Disks that really fail: the kernel fills, freezes, kills and unmounts them, no double of a test.

The tests share one cluster; its first broker has one directory on a small tmpfs and one on an ext4
image. Each test breaks one of the two under a load with acks=all and leaves it whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.support.clients import audit, produce, values
from tests.support.commands import call
from tests.support.real_disks import MountNamespace, RealDisks
from tests.support.waiting import eventually

from spindle.cli.demo.demo_load import DemoLoad, longest_gap

pytestmark = pytest.mark.timeout(300)
RATE = 200
IO_TIMEOUT_S = 3
SETTINGS = {
    "log.dir.io.timeout.ms": str(IO_TIMEOUT_S * 1000),
    "replica.lag.time.max.ms": "5000",
    "metadata.log.max.snapshot.interval.ms": "0",
}
HERE, THERE = RealDisks.BROKER, 2


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealDisks]:
    """Three brokers; two disks of the first are file systems of their own."""
    folder = tmp_path_factory.mktemp("real")
    with MountNamespace() as space, RealDisks(folder, space, SETTINGS) as cluster:
        cluster.start()
        yield cluster


def state_of(cluster: RealDisks, disk: int) -> str:
    """What `spindle disks` says of one of the first broker's disks."""
    done = call("disks", "-b", cluster.bootstrap, "--broker-list", str(HERE), "--json")
    rows: list[dict[str, Any]] = json.loads(done.stdout)["disks"]
    return str(rows[disk]["state"])


@contextmanager
def loaded(cluster: RealDisks, topic: str, disk: int) -> Iterator[Callable[[str, int], None]]:
    """A topic led from the disk, on another broker as well, with a load; then audited.

    Gives a function that waits until the topic is led by a broker, and that records flow.
    """
    cluster.create_on(topic, disk, [HERE, THERE])
    load = DemoLoad(cluster.bootstrap, topic, [1.0], RATE, settings={"message.timeout.ms": 120_000})
    load.start()

    def more(what: str, leader: int) -> None:
        cluster.until(lambda: cluster.state(topic)[0][0] == leader, f"{leader} leads: {what}", 60)
        wanted = len(load.acknowledged) + RATE
        cluster.until(lambda: len(load.acknowledged) >= wanted, f"records flow: {what}", 60)

    try:
        more("at first", HERE)
        yield more
    finally:
        load.finish()
    assert audit(load, cluster.bootstrap, topic) == load.sent
    gap, _ = longest_gap(load.acknowledged.at, load.acknowledged.at[0], load.acknowledged.at[-1])
    print(f"{topic}: {load.sent} records, longest time without an acknowledgement {gap:.2f} s")


def in_sync(cluster: RealDisks, topic: str) -> None:
    """Wait until both replicas are, and their files the same."""
    cluster.until(lambda: cluster.state(topic)[0][1] == {HERE, THERE}, f"{topic} is in sync", 60)


@pytest.mark.spec("B-12")
def test_a_disk_that_is_full_keeps_every_record_and_goes_on_once_there_is_room(
    cluster: RealDisks,
) -> None:
    """The kernel takes a part of the last batch: it is not there when room comes back."""
    filler = cluster.space.seen(cluster.memory) / "filler"
    cluster.create_on("alone", RealDisks.MEMORY, [HERE])
    produce(cluster.bootstrap, "alone", [b"before"])
    with loaded(cluster, "full", RealDisks.MEMORY) as more:
        with filler.open("wb") as file:
            left = 24 << 20
            while left > 4096:  # To the last page: a batch finds room for a part of itself.
                try:
                    left = min(left, 1 << 20)
                    file.write(b"\0" * left)
                    file.flush()
                except OSError:
                    left //= 2
        cluster.until(lambda: "full" in state_of(cluster, RealDisks.MEMORY), "the disk is full", 30)
        more("while the disk is full", THERE)
        assert cluster.disks(HERE)[RealDisks.MEMORY].online
        assert values(cluster.bootstrap, "alone") == [b"before"]
        filler.unlink()
        cluster.until(
            lambda: state_of(cluster, RealDisks.MEMORY) == "online", "there is room again", 30
        )
        in_sync(cluster, "full")
    produce(cluster.bootstrap, "alone", [b"after"])
    assert values(cluster.bootstrap, "alone") == [b"before", b"after"]
    same = lambda: (  # noqa: E731
        cluster.log_of(HERE, RealDisks.MEMORY, "full-0")
        == cluster.log_of(THERE, RealDisks.MEMORY, "full-0")
    )
    eventually(same, "both copies have the same bytes")


@pytest.mark.spec("K113-27", "B-07")
def test_new_replicas_go_where_the_file_system_has_room(cluster: RealDisks) -> None:
    """24 and 96 MiB beside a whole disk: the free bytes decide, not the number of logs."""
    cluster.create("placed", [[HERE]] * 9)
    at = [cluster.disk_of("placed", number, HERE) for number in range(9)]
    assert at == [0] * 9, at


@pytest.mark.spec("B-01", "B-13", "K858-10")
def test_a_file_system_that_dies_costs_its_directory_and_comes_back_with_what_it_kept(
    cluster: RealDisks,
) -> None:
    """Every call ends with EIO, and what was not synced is gone when it is mounted again."""
    with loaded(cluster, "dead", RealDisks.IMAGE) as more:
        cluster.space.shut_down(cluster.image)
        more("while the disk is dead", THERE)
        cluster.until(
            lambda: not cluster.disks(HERE)[RealDisks.IMAGE].online, "its directory is offline"
        )
        assert all(d.online for n, d in enumerate(cluster.disks(HERE)) if n != RealDisks.IMAGE)
        order(cluster, "offline")
        cluster.space.unmount(cluster.image)
        cluster.mount_image()
        order(cluster, "online")
        in_sync(cluster, "dead")
    copies = [cluster.log_of(b, RealDisks.IMAGE, "dead-0") for b in (HERE, THERE)]
    assert copies[0] == copies[1]


@pytest.mark.spec("B-13")
def test_a_file_system_that_hangs_costs_its_directory_and_comes_back_by_itself(
    cluster: RealDisks,
) -> None:
    with loaded(cluster, "hung", RealDisks.IMAGE) as more:
        cluster.space.freeze(cluster.image)
        try:
            more("while the disk hangs", THERE)
            cluster.until(
                lambda: state_of(cluster, RealDisks.IMAGE) in ("hung", "failed"), "it is seen", 30
            )
        finally:
            cluster.space.thaw(cluster.image)
        cluster.until(lambda: state_of(cluster, RealDisks.IMAGE) == "online", "it is back", 60)
        in_sync(cluster, "hung")


@pytest.mark.spec("B-16")
def test_a_disk_that_is_not_mounted_is_offline_and_nothing_is_written_below_its_mount_point(
    cluster: RealDisks,
) -> None:
    cluster.create_on("mounted", RealDisks.IMAGE, [HERE, THERE])
    produce(cluster.bootstrap, "mounted", [b"1"])
    cluster.stop_node(HERE)
    cluster.space.unmount(cluster.image)
    cluster.start_node(HERE)
    assert not cluster.disks(HERE)[RealDisks.IMAGE].online
    cluster.create("elsewhere", [[HERE, THERE]])
    produce(cluster.bootstrap, "mounted", [b"2"])
    assert [p.name for p in cluster.space.seen(cluster.image).iterdir()] == []
    cluster.mount_image()
    order(cluster, "online")
    in_sync(cluster, "mounted")
    assert values(cluster.bootstrap, "mounted") == [b"1", b"2"]


@pytest.mark.spec("B-16")
def test_a_disk_that_is_unmounted_under_a_running_broker_is_not_made_again(
    cluster: RealDisks,
) -> None:
    """The topic is made at once after: no directory may come into being below the mount point."""
    with loaded(cluster, "taken", RealDisks.IMAGE) as more:
        cluster.space.unmount(cluster.image, lazily=True)
        cluster.alter({("made-after", 0, HERE): RealDisks.IMAGE})
        cluster.create("made-after", [[HERE]])
        more("while nothing is mounted", THERE)
        assert [p.name for p in cluster.space.seen(cluster.image).iterdir()] == []
        order(cluster, "offline")
        cluster.mount_image()
        order(cluster, "online")
        in_sync(cluster, "taken")


def order(cluster: RealDisks, verb: str) -> None:
    """Take the image's directory offline, or have it opened."""
    done = call("disks", verb, "-b", cluster.bootstrap, str(HERE), str(cluster.image))
    assert done.code == 0, done
