"""Who a node is, from its directories; contradictions refused, a missing disk survived."""

import pytest

from spindle.model.config import NodeConfig, node_config
from spindle.model.errors import Unusable
from spindle.runtime.identity import advice, read_identity
from spindle.sim.disk import MemoryDisk
from spindle.storage import meta
from spindle.storage.formatting import format_blank


def config(**changes: str) -> NodeConfig:
    return node_config(
        {
            "process.roles": "broker",
            "node.id": "1",
            "listeners": "PLAINTEXT://127.0.0.1:9092",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": "100@127.0.0.1:9093",
            "log.dirs": "/d1,/d2",
            "metadata.log.dir": "/m",
            **{name.replace("_", "."): value for name, value in changes.items()},
        }
    )


def formatted(*directories: str, cluster: str = "c1", node: int = 1) -> MemoryDisk:
    disk = MemoryDisk()
    format_blank(disk, directories, cluster, node, 0)
    return disk


def test_all_directories_say_who_we_are() -> None:
    identity = read_identity(formatted("/d1", "/d2", "/m"), config())
    assert identity.cluster_id == "c1"
    assert set(identity.directory_ids) == {"/d1", "/d2", "/m"}
    assert not identity.missing


@pytest.mark.spec("B-16")
def test_a_directory_that_is_not_formatted_or_cannot_be_read_is_left_out() -> None:
    identity = read_identity(formatted("/d1", "/m"), config())
    assert "not formatted" in identity.missing["/d2"]
    disk = formatted("/d1", "/d2", "/m")
    disk.fail("/d2", 5)
    assert "/d2" in read_identity(disk, config()).missing


def test_without_the_metadata_directory_nothing_starts() -> None:
    with pytest.raises(Unusable, match="metadata directory /m"):
        read_identity(formatted("/d1", "/d2"), config())


def test_a_disk_of_another_node_or_cluster_is_named() -> None:
    disk = formatted("/d1", "/m")
    format_blank(disk, ["/d2"], "c1", 9, 0)
    with pytest.raises(Unusable, match="/d2 belongs to node 9"):
        read_identity(disk, config())
    disk = formatted("/d1", "/m")
    format_blank(disk, ["/d2"], "c2", 1, 0)
    with pytest.raises(Unusable, match="different clusters"):
        read_identity(disk, config())


@pytest.mark.spec("K858-03")
def test_two_directories_with_one_id_are_refused() -> None:
    disk = formatted("/d1", "/m")
    own = meta.read(disk, "/d1")
    assert own is not None
    disk.make_dir("/d2")
    meta.write(disk, "/d2", own)
    with pytest.raises(Unusable, match=r"have the same directory\.id"):
        read_identity(disk, config())


@pytest.mark.spec("B-23")
def test_a_metadata_directory_among_the_log_directories_is_warned_of() -> None:
    assert list(advice(config())) == []
    (text,) = advice(config(metadata_log_dir="/d1"))
    assert "a disk of its own" in text
    assert list(advice(config(metadata_log_dir="/d1", log_dirs="/d1"))) == []


def test_a_broken_file_is_named_with_its_place() -> None:
    disk = formatted("/d1", "/d2", "/m")
    file = disk.open("/d1/meta.properties")
    file.truncate(0)
    file.write(0, [b"version=7\n"])
    with pytest.raises(Unusable, match=r"/d1/meta\.properties"):
        read_identity(disk, config())
