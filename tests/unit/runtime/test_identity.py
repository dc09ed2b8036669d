"""A node's identity, from its directories; contradictions refused, a missing disk survived."""

import pytest
from tests.support.storage import put

from spindle.model.config import NodeConfig, node_config
from spindle.model.errors import Unusable
from spindle.runtime.identity import advice, read_identity
from spindle.sim.memory_disk import MemoryDisk
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


def test_all_directories_name_this_node() -> None:
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


@pytest.mark.spec("B-15", "B-16")
@pytest.mark.parametrize(
    ("cluster", "node", "why"),
    [
        ("c1", 9, "/d2/meta.properties belongs to node 9, not 1: mount the right disk"),
        ("c2", 1, "/d2/meta.properties belongs to cluster c2 and not to c1: mount the right disk"),
    ],
)
def test_a_disk_of_another_node_or_cluster_is_left_out(cluster: str, node: int, why: str) -> None:
    disk = formatted("/d1", "/m")
    format_blank(disk, ["/d2"], cluster, node, 0)
    identity = read_identity(disk, config())
    assert (identity.cluster_id, set(identity.directory_ids)) == ("c1", {"/d1", "/m"})
    assert identity.missing == {"/d2": why}


def test_a_metadata_directory_of_another_node_is_refused() -> None:
    disk = formatted("/d1", "/d2")
    format_blank(disk, ["/m"], "c1", 9, 0)
    with pytest.raises(Unusable, match=r"/m belongs to node 9, but node\.id is 1"):
        read_identity(disk, config())


@pytest.mark.spec("K858-03")
def test_two_directories_with_one_id_are_refused() -> None:
    disk = formatted("/d1", "/m")
    own = meta.read(disk, "/d1")
    assert own is not None
    disk.make_dirs("/d2")
    meta.write(disk, "/d2", own)
    with pytest.raises(Unusable, match=r"have the same directory\.id"):
        read_identity(disk, config())


@pytest.mark.spec("B-23")
def test_a_metadata_directory_among_the_log_directories_is_warned_of() -> None:
    assert list(advice(config())) == []
    (text,) = advice(config(metadata_log_dir="/d1"))
    assert "a disk of its own" in text
    assert list(advice(config(metadata_log_dir="/d1", log_dirs="/d1"))) == []


@pytest.mark.spec("B-15")
@pytest.mark.parametrize("data", [b"version=9\n", b"\xbd\xff noise", b"version=1\nnode.id=x\n"])
def test_a_broken_file_costs_its_directory_and_that_of_the_metadata_the_node(data: bytes) -> None:
    disk = formatted("/d1", "/d2", "/m")
    put(disk, "/d1/meta.properties", data)
    identity = read_identity(disk, config())
    assert set(identity.directory_ids) == {"/d2", "/m"}
    assert identity.missing["/d1"].startswith("/d1/meta.properties is damaged: ")
    put(disk, "/m/meta.properties", data)
    with pytest.raises(Unusable, match=r"metadata directory /m: /m/meta\.properties is damaged"):
        read_identity(disk, config())
