"""The JSON form of each command that needs neither Spark nor minutes prints JSON and nothing else.

One cluster with a broker of two directories; the commands run in their order, so that each finds
what it needs, and leave the cluster whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.commands import call, call_tool
from tests.support.local import Local
from tests.support.waiting import eventually
from tests.unit.cli.test_json import WITHOUT, every_command

from spindle.cli.kafka_features import features

SPARK = "starts Spark"
NOT_HERE = {
    "up": "runs a cluster until it is ended",
    "disks offline": "takes the only broker's disk away",
    "disks online": "needs a disk that is away",
    "disks replace": "needs a blank disk",
    "replicas repair": "needs a damaged replica",
    "replicas accept-loss": "needs a damaged replica",
    "storage info": "asks no cluster: a unit test has it",
    "profile list": "asks no cluster: a unit test has it",
    "profile show": "asks no cluster: a unit test has it",
    "balance forecast": SPARK,
    "balance what-if": "has nothing to move here",
    "balance plan": "has nothing to move here",
    "balance apply": "needs a plan",
    "balance cancel": "needs a run",
    "balance pause": "needs a run",
    "balance resume": "needs a run",
    "balance pace": "needs a run",
    "balance undo": "needs a run that is over",
    "balance runs": "has none here, and ends with 4",
    "spark status": "ends with 4 where none runs",
    "spark stop": "ends with 4 where none runs",
    "audit": SPARK,
    "forensics": SPARK,
    "explore": "takes long",
    "explore-transactions": "takes long",
    "explore-groups": "takes long",
}
"""What is not run here, and why."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Local]:
    """One broker with two directories, and a topic."""
    with Local(tmp_path_factory.mktemp("json"), brokers=1) as cluster:
        cluster.start()
        cluster.create("t", [[1]])
        yield cluster


def plan(cluster: Local, folder: Path) -> str:
    """A plan that leaves the only replica where it is."""
    home = cluster.log_dirs(1)[cluster.disk_of("t", 0, 1)]
    entry = {"topic": "t", "partition": 0, "replicas": [1], "log_dirs": [home]}
    file = folder / "plan.json"
    file.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    return str(file)


@pytest.mark.spec("N-06")
def test_what_the_json_form_prints_is_one_object(
    cluster: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPINDLE_STATE_DIR", str(tmp_path / "state"))
    file, path = plan(cluster, tmp_path), cluster.log_dirs(1)[1]
    lines: dict[str, list[str]] = {
        "doctor": [],
        "log-dirs": [],
        "disks": [],
        "disks history": [],
        "disks probe": ["1", path],
        "disks cordon": ["1", path],
        "disks uncordon": ["1", path],
        "disks drain": ["1", path, "--cancel"],
        "replicas": [],
        "reassign generate": ["--topics", "t", "--brokers", "1"],
        "reassign execute": [file],
        "reassign watch": [file],
        "reassign verify": [file],
        "reassign cancel": [file],
        "reassign list": [],
        "balance watch": [],
        "balance history": ["--history", str(tmp_path / "history")],
    }
    at = ("-b", cluster.bootstrap)
    eventually(lambda: call("doctor", *at).code == 0, "all is well in the new cluster")
    told: dict[str, Any] = {}
    for name, more in lines.items():
        done = call(*name.split(), *at, "--json", *more)
        assert done.code == 0, (name, done)
        told[name] = json.loads(done.stdout)
        assert isinstance(told[name], dict), name
    seeded = call("sim", "--seed", "1", "--json")
    assert seeded.code == 0, seeded
    json.loads(seeded.stdout)
    assert told["disks cordon"] == {"broker": 1, "cordoned": [path]}
    assert told["disks uncordon"] == {"broker": 1, "cordoned": []}
    assert [entry["topic"] for entry in told["reassign generate"]["partitions"]] == ["t"]
    assert told["reassign verify"]["complete"] is True
    assert every_command().keys() == {*lines, "sim", *NOT_HERE, *WITHOUT}, "none is forgotten"


@pytest.mark.parametrize(
    "line",
    [
        "describe",
        "upgrade --feature group.version=1 --dry-run",
        "version-mapping",
        "feature-dependencies --feature group.version=1",
    ],
)
def test_kafka_features_has_it_too(cluster: Local, line: str) -> None:
    done = call_tool(features, "--bootstrap-server", cluster.bootstrap, *line.split(), "--json")
    assert done.code == 0, done
    assert json.loads(done.stdout)["version"] == 1
