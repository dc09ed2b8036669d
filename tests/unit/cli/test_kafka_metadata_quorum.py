"""`kafka-metadata-quorum`: what it prints of a quorum, and what it reads of a controller."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.commands import call_tool

from spindle.cli import kafka_metadata_quorum as tool
from spindle.client.results import QuorumDescription, QuorumMember
from spindle.model.errors import Unusable
from spindle.model.ids import Endpoint, id_to_text

pytestmark = pytest.mark.spec("C-05")

DISK = uuid.UUID(int=1 << 100)
QUORUM = QuorumDescription(
    leader_id=1,
    leader_epoch=7,
    high_watermark=90,
    voters=(
        QuorumMember(2, DISK, 80, 500, 400),
        QuorumMember(1, DISK, 100, 1000, 1000),
    ),
    observers=(QuorumMember(5, None, 60, -1, -1),),
    endpoints={1: (Endpoint("CONTROLLER", "::1", 9093),)},
)
AT = ("--bootstrap-server", "127.0.0.1:1")


def test_the_status_names_the_slowest_voter_and_all_members() -> None:
    disk = id_to_text(DISK)
    assert tool.status_lines("abc", QUORUM) == [
        "ClusterId:              abc",
        "LeaderId:               1",
        "LeaderEpoch:            7",
        "HighWatermark:          90",
        "MaxFollowerLag:         20",
        "MaxFollowerLagTimeMs:   600",
        f'CurrentVoters:          [{{"id": 2, "directoryId": "{disk}"}},'
        f' {{"id": 1, "directoryId": "{disk}", "endpoints": ["CONTROLLER://[::1]:9093"]}}]',
        'CurrentObservers:       [{"id": 5}]',
    ]


def test_the_lag_in_time_is_unknown_where_a_voter_never_caught_up() -> None:
    late = replace(QUORUM.voters[0], last_caught_up_ms=-1)
    lines = tool.status_lines("abc", replace(QUORUM, voters=(late, QUORUM.voters[1])))
    assert lines[5] == "MaxFollowerLagTimeMs:   -1"
    alone = replace(QUORUM, voters=QUORUM.voters[1:])
    assert tool.status_lines("abc", alone)[5] == "MaxFollowerLagTimeMs:   0"


def test_replication_begins_with_the_leader() -> None:
    rows = [line.split("\t") for line in tool.replication_lines(QUORUM, 1100)]
    assert [[cell.strip() for cell in row] for row in rows[1:]] == [
        ["1", id_to_text(DISK), "100", "0", "100 ms ago", "100 ms ago", "Leader", ""],
        ["2", id_to_text(DISK), "80", "20", "600 ms ago", "700 ms ago", "Follower", ""],
        ["5", "A" * 22, "60", "40", "-1", "-1", "Observer", ""],
    ]
    assert len({len(line) for line in tool.replication_lines(QUORUM)}) == 1
    with pytest.raises(Unusable, match="set the clocks"):
        tool.replication_lines(QUORUM, 900)


def test_a_leader_whose_vote_is_gone_is_among_the_observers() -> None:
    gone = replace(
        QUORUM, voters=QUORUM.voters[:1], observers=(*QUORUM.observers, QUORUM.voters[1])
    )
    last = [line.split("\t")[6].strip() for line in tool.replication_lines(gone)[1:]]
    assert last == ["Leader", "Follower", "Observer"]
    with pytest.raises(Unusable, match="no leader"):
        tool.status_lines("abc", replace(QUORUM, leader_id=9))


def test_the_document_has_both_views() -> None:
    found = tool.document("abc", QUORUM)
    assert json.loads(json.dumps(found)) == found
    assert found["clusterId"] == "abc"
    replicas = found["replicas"]
    assert isinstance(replicas, list)
    assert [(r["id"], r["lag"], r["status"]) for r in replicas] == [
        (1, 0, "Leader"),
        (2, 20, "Follower"),
        (5, 40, "Observer"),
    ]


@pytest.fixture
def properties(tmp_path: Path) -> Path:
    """Those of a controller that is formatted."""
    (tmp_path / "meta.properties").write_text(
        f"version=1\ncluster.id=abc\nnode.id=3\ndirectory.id={id_to_text(DISK)}\n"
    )
    file = tmp_path / "controller.properties"
    file.write_text(
        f"node.id=3\nprocess.roles=controller\nlog.dirs={tmp_path}\n"
        "listeners=controller://:9093,CONTROLLER_TLS://c3:9094\n"
        "advertised.listeners=CONTROLLER_TLS://[::1]:9095\n"
        "controller.listener.names=controller,CONTROLLER_TLS\n"
    )
    return file


def test_a_dry_run_says_what_would_be_done_and_asks_no_cluster(properties: Path) -> None:
    line = (*AT, "--command-config", str(properties), "add-controller", "--dry-run")
    told = call_tool(tool.metadata_quorum, *line)
    assert (told.code, told.stderr) == (0, "")
    assert told.stdout == (
        f"DRY RUN of adding controller 3 with directory id {id_to_text(DISK)} and endpoints:"
        " CONTROLLER://localhost:9093, CONTROLLER_TLS://[::1]:9095\n"
    )
    found = json.loads(call_tool(tool.metadata_quorum, *line, "--json").stdout)
    assert (found["change"], found["id"], found["dryRun"]) == ("add", 3, True)
    words = ("remove-controller", "-i", "3", "-d", id_to_text(DISK), "--dry-run")
    told = call_tool(tool.metadata_quorum, *AT, *words)
    assert told.stdout == (
        f"DRY RUN of removing  KRaft controller 3 with directory id {id_to_text(DISK)}\n"
    )
    found = json.loads(call_tool(tool.metadata_quorum, *AT, *words, "--json").stdout)
    assert (found["change"], found["directoryId"]) == ("remove", id_to_text(DISK))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("node.id=3", "node.id=-3", "node.id was negative"),
        ("node.id=3", "node.id=x", "node.id='x' is not a number"),
        ("=controller\n", "=broker\n", "did not contain 'controller'"),
        ("log.dirs=", "log.dirs.not=", "Neither metadata.log.dir nor log.dirs"),
        ("controller.listener.names=controller", "controller.listener.names=X", "name: X"),
        ("controller.listener.names=", "x=", "controller.listener.names was not found"),
        ("listeners=controller://:9093", "listeners=controller", "write NAME://HOST:PORT"),
    ],
)
def test_a_file_that_is_no_controllers_is_refused(
    old: str, new: str, says: str, properties: Path
) -> None:
    properties.write_text(properties.read_text().replace(old, new, 1))
    line = (*AT, "--command-config", str(properties), "add-controller", "--dry-run")
    told = call_tool(tool.metadata_quorum, *line)
    assert (told.code, told.stdout) == (1, "")
    assert says in told.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [("version=1\ncluster.id=abc\nnode.id=3\n", "No directory id"), ("version=x\n", "version")],
)
def test_a_directory_that_has_no_id_is_refused(text: str, says: str, properties: Path) -> None:
    (properties.parent / "meta.properties").write_text(text)
    line = (*AT, "--command-config", str(properties), "add-controller", "--dry-run")
    told = call_tool(tool.metadata_quorum, *line)
    assert told.code == 1
    assert says in told.stderr
