"""`spindle balance` as an operator runs it: processes, exit codes, files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.conftest import Desk
from tests.support.commands import run
from tests.support.ports import free_port
from tests.support.processes import tied

TOPIC = "lopsided"


def balance(verb: str, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = run("spindle", "balance", verb, *arguments, "--json", seconds=150)
    assert done.code == code, done
    assert "Traceback" not in done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.timeout(500)  # Several times Spark, on machines that have more to do.
@pytest.mark.spec("P-04", "P-06", "P-07", "P-08", "V-07")
def test_a_lopsided_cluster_becomes_even_and_then_has_nothing_to_move(
    desk: Desk, tmp_path: Path
) -> None:
    desk.clear()
    desk.skewed(TOPIC, partitions=6, records=50, size=20_000)
    before = {b: desk.directories(b) for b in (1, 2)}
    file, page = tmp_path / "plan.json", tmp_path / "plan.html"
    home = ("--history", str(tmp_path / "history"))
    at = ("-b", desk.bootstrap)
    plan = balance("plan", *at, *home, "--output", str(file), "--report", str(page))
    own = plan["spindle"]
    assert {b: desk.directories(b) for b in (1, 2)} == before, "a plan moves nothing"
    assert own["moves"] > 0, own
    assert own["bytes"] >= own["boundBytes"] > 0
    assert json.loads(file.read_text()) == plan
    for wanted in plan["partitions"]:
        assert sorted(wanted["replicas"]) == [1, 2]
        assert len(wanted["log_dirs"]) == 2
    on_spark = balance("plan", *at, *home, "--spark")["spindle"]
    # Capacities are what is free on this machine's file system when the brokers are asked.
    for found in (own, on_spark):
        found["sampledAt"] = ""
        for directory in found["directories"]:
            assert directory.pop("capacity") > 0
    assert on_spark == own, "the same plan"
    text = page.read_text()
    assert text.count('class="is"') >= 4, "a picture of every disk"
    assert text.count("<path ") == 2, "what flows on each broker"
    assert "http" not in text.replace("http://www.w3.org", ""), "it fetches nothing"

    done = balance("apply", *at, str(file), "--throttle", str(50 << 20))
    assert done["failed"] == []
    assert done["done"] == own["moves"]
    for broker in desk.cluster.brokers:
        held = desk.directories(broker.node_id)
        counts = [len([n for n in held[str(d)] if n.startswith(TOPIC)]) for d in broker.log_dirs]
        assert counts == [3, 3]

    again = balance("plan", *at, *home, code=4)
    assert again["spindle"]["moves"] == 0
    assert again["partitions"] == []
    assert len(list((tmp_path / "history").glob("day=*/sample-*.parquet"))) == 3
    desk.drop(TOPIC)


def test_a_wrong_address_is_said_within_seconds(tmp_path: Path) -> None:
    done = run(
        "spindle", "balance", "plan", "--bootstrap-server", f"127.0.0.1:{free_port()}",
        "--history", str(tmp_path), seconds=15,
    )  # fmt: skip
    assert done.code == 6
    assert done.stderr.startswith("error: no broker answers at 127.0.0.1:")
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["plan", "apply", "watch", "cancel", "history", "forecast"])
def test_help_teaches(verb: str) -> None:
    done = run("spindle", "balance", verb, "--help")
    assert done.code == 0
    assert "--json" in done.stdout
    assert len(done.stdout.splitlines()) > 8


@pytest.mark.spec("V-07")
def test_a_plan_of_one_sample_loads_neither_spark_nor_pandas(desk: Desk, tmp_path: Path) -> None:
    code = (
        "import sys; from spindle.cli.app import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    line = ("balance", "plan", "-b", desk.bootstrap, "--history", str(tmp_path))
    done = subprocess.run(
        tied([sys.executable, "-c", code, *line]), capture_output=True, text=True, timeout=60
    )
    assert done.returncode in (0, 4), done
    assert list(tmp_path.glob("day=*/sample-*.parquet")), "the sample is kept"
    loaded = set(done.stderr.split())
    assert "pyarrow.parquet" in loaded, "it writes the sample"
    heavy = {"pyspark", "py4j", "pandas", "pyarrow.compute", "pyarrow.dataset", "jinja2"}
    assert not loaded & heavy
