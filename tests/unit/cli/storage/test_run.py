"""Formatting directories: what is written, and what is refused before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.cli.storage import storage_format as storage_run
from spindle.cli.storage.storage_format import StorageOptions, format_node, info
from spindle.model.errors import Unusable
from spindle.model.metadata_records import FeatureLevel
from spindle.runtime.os_disk import OsDisk
from spindle.storage import meta
from spindle.wire.checkpoint import decode_checkpoint

CLUSTER = "U3BpbmRsZVRlc3RzMDAwMQ"
pytestmark = pytest.mark.spec("K858-01")


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """Properties of a node with two log dirs and a metadata dir of its own."""
    path = tmp_path / "server.properties"
    path.write_text(
        "process.roles=broker,controller\nnode.id=4\n"
        "listeners=PLAINTEXT://:9092,CONTROLLER://:9093\n"
        "controller.quorum.voters=4@localhost:9093\n"
        f"log.dirs={tmp_path}/d1,{tmp_path}/d2\nmetadata.log.dir={tmp_path}/m\n"
    )
    return path


def directories(node: Path) -> list[str]:
    return [str(node.parent / name) for name in ("d1", "d2", "m")]


def test_every_directory_gets_an_id_of_its_own(node: Path) -> None:
    lines: list[str] = []
    assert format_node(node, CLUSTER, lines.append) == directories(node)
    metas = [meta.read(OsDisk(), d) for d in directories(node)]
    assert len({m.directory_id for m in metas if m is not None}) == 3
    for found in metas:
        assert found is not None
        assert (found.version, found.cluster_id, found.node_id) == (1, CLUSTER, 4)
    for directory in directories(node):
        checkpoint = decode_checkpoint(Path(directory, "bootstrap.checkpoint").read_bytes())
        assert checkpoint.records == (
            FeatureLevel(name="metadata.version", level=30),
            FeatureLevel(name="eligible.leader.replicas.version", level=1),
            FeatureLevel(name="group.version", level=1),
            FeatureLevel(name="share.version", level=1),
            FeatureLevel(name="transaction.version", level=2),
        )
    assert lines[1:] == [
        f"Formatting data directory {node.parent}/d1 with metadata.version 4.3-IV0.",
        f"Formatting data directory {node.parent}/d2 with metadata.version 4.3-IV0.",
        f"Formatting metadata directory {node.parent}/m with metadata.version 4.3-IV0.",
    ]
    assert info(node, lines.append) == 0


def test_only_what_needs_it_is_formatted(node: Path) -> None:
    format_node(node, CLUSTER, lambda line: None)
    before = Path(directories(node)[0], "meta.properties").read_bytes()
    with pytest.raises(Unusable, match=r"is already formatted\. Use --ignore-formatted"):
        format_node(node, CLUSTER, lambda line: None)
    Path(directories(node)[1], "meta.properties").unlink()
    formatted = format_node(node, CLUSTER, lambda line: None, ignore_formatted=True)
    assert formatted == [directories(node)[1]]
    assert format_node(node, CLUSTER, lambda line: None, ignore_formatted=True) == []
    assert Path(directories(node)[0], "meta.properties").read_bytes() == before


@pytest.mark.parametrize(
    ("wishes", "says"),
    [
        (StorageOptions(standalone=True), "You cannot specify controller.quorum.voters"),
        (StorageOptions(initial_controllers="1@h:1:id"), "You cannot specify controller.quorum"),
        (StorageOptions(scram=("x",)), "Failed to find equals sign in SCRAM argument"),
        (
            StorageOptions(release="3.4", scram=("SCRAM-SHA-256=[name=a,password=b]",)),
            "only supported in metadata.version 3.5-IV2 or later",
        ),
        (
            StorageOptions(release="3.2"),
            "Unknown metadata.version '3.2'. Supported .*: 3.3-IV3, 3.4-IV0",
        ),
        (StorageOptions(release="4.3", features=("metadata.version=30",)), "Use --release-version"),
        (StorageOptions(features=("metadata.version=31",)), "levels 7 to 30 are served"),
        (
            StorageOptions(features=("nix=1",)),
            "Unsupported feature: nix. Supported features are: elig",
        ),
        (StorageOptions(features=("nix",)), "equals sign not found"),
        (StorageOptions(features=("kraft.version=1",)), "Cannot set kraft.version to 1 unless"),
        (StorageOptions(features=("streams.version=1",)), "levels 0 to 0 are served here"),
        (
            StorageOptions(release="3.8", features=("eligible.leader.replicas.version=1",)),
            "could not be set to 1 because it depends on metadata.version level 23",
        ),
    ],
)
def test_what_we_do_not_write_is_refused_with_the_way_out(
    node: Path, wishes: StorageOptions, says: str
) -> None:
    with pytest.raises(Unusable, match=says):
        format_node(node, CLUSTER, lambda line: None, wishes=wishes)
    assert not any(Path(d).exists() for d in directories(node))


def test_features_can_be_asked_for(node: Path) -> None:
    wishes = StorageOptions(release="4.3", features=("group.version=0", "transaction.version=0"))
    format_node(node, CLUSTER, lambda line: None, wishes=wishes)
    data = Path(directories(node)[2], "bootstrap.checkpoint").read_bytes()
    assert decode_checkpoint(data).records == (
        FeatureLevel(name="metadata.version", level=30),
        FeatureLevel(name="eligible.leader.replicas.version", level=1),
        FeatureLevel(name="share.version", level=1),
    )


@pytest.mark.parametrize("text", ["", "  ", " x"])
def test_an_empty_cluster_id_is_refused(node: Path, text: str) -> None:
    with pytest.raises(Unusable, match="random-uuid"):
        format_node(node, text, lambda line: None)


def test_a_directory_that_cannot_be_read_is_left_out_and_reported(node: Path) -> None:
    Path(directories(node)[0]).write_text("no directory")
    lines: list[str] = []
    assert format_node(node, CLUSTER, lines.append) == directories(node)[1:]
    assert lines[0] == (
        f"I/O error trying to read log directory {directories(node)[0]}. Ignoring..."
    )
    lines.clear()
    assert info(node, lines.append) == 1
    assert f"  {directories(node)[0]} is not a directory" in lines


def test_no_directory_at_all_is_an_error(node: Path) -> None:
    for directory in directories(node):
        Path(directory).write_text("no directory")
    with pytest.raises(Unusable, match="No available log directories to format"):
        format_node(node, CLUSTER, lambda line: None)


def test_missing_properties_are_reported(tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="no-such"):
        format_node(tmp_path / "no-such.properties", CLUSTER, lambda line: None)


def test_ids_do_not_begin_with_a_dash() -> None:
    ids = [storage_run.random_id() for _ in range(300)]
    assert not [id for id in ids if id.startswith("-")]
    assert len(set(ids)) == 300
