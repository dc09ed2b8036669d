"""The same code on this machine, through Spark Connect, and by spark-submit on a cluster."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.conftest import Desk
from tests.pipeline.made_logs import some_batches, write
from tests.support import commands, spark_class_data
from tests.support.processes import tied
from tests.support.spark_cluster import SparkCluster

from spindle.pipeline import history
from spindle.pipeline.forensics import examine
from spindle.pipeline.session import Session
from spindle.pipeline.shipping import archive
from spindle.pipeline.sources import FORMAT, LogDirs

pytestmark = pytest.mark.timeout(600)

_SAMPLE = """
import sys
from spindle.pipeline import directory_loads, history
from spindle.pipeline.session import session
from spindle.pipeline.sources import FORMAT, LogDirs

spark = session("sampled elsewhere", sys.argv[3])
spark.dataSource.register(LogDirs)
reader = spark.read.format(FORMAT).option("bootstrap", sys.argv[1])
for _ in range(int(sys.argv[4])):
    history.append(reader.load(), sys.argv[2])
now = directory_loads.latest(history.read(spark, sys.argv[2]))
for row in directory_loads.directories(now).orderBy("broker", "directory").collect():
    print(row.broker, row.directory, row.online, row.used)
spark.stop()
"""
"""What a user's own program does."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    with SparkCluster(tmp_path_factory.mktemp("spark")) as running:
        yield running


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log directory with three logs, one of them damaged."""
    home = tmp_path_factory.mktemp("disk")
    for number in range(3):
        write(home, f"t-{number}", some_batches(number, 20))
    hurt = home / "t-1" / "00000000000000000000.log"
    raw = bytearray(hurt.read_bytes())
    raw[500] ^= 1
    hurt.write_bytes(raw)
    os.utime(hurt, (1, 1))
    return home


def logs(text: str) -> Any:
    """What `spindle forensics --json` tells of each log."""
    return json.loads(text.splitlines()[-1])["logs"]


def program(*arguments: str, environment: dict[str, str] | None = None) -> list[str]:
    """The lines that a user's own program prints."""
    done = subprocess.run(
        tied([sys.executable, "-c", _SAMPLE, *arguments]), capture_output=True, text=True,
        timeout=500, env=environment or commands.environment(), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


@pytest.mark.spec("P-11")
def test_a_command_by_connect_and_by_submit_tells_what_it_tells_here(
    cluster: SparkCluster, disk: Path, spark: Session
) -> None:
    here = examine(spark, [str(disk)])
    expected = {(log.log, log.well.batches, log.well.records, log.verdict) for log in here.logs}
    assert here.damages_in_all == 1
    connected = commands.run(
        "spindle", "forensics", str(disk), "--json", "--spark-remote", cluster.connect, seconds=280
    )
    assert connected.code == 1, connected.stderr[-3000:]
    told = logs(connected.stdout)
    assert {(g["log"], g["batches"], g["records"], g["verdict"]) for g in told} == expected
    submitted = cluster.submit("forensics", str(disk), "--json")
    assert submitted.returncode == 1, submitted.stderr[-3000:]
    assert logs(submitted.stdout) == told
    ran = [p.name for p in (cluster.home / "work").iterdir()]
    assert len(ran) >= 2, f"both were applications of the cluster: {ran}"


def test_its_jvms_map_the_archive_of_classes(cluster: SparkCluster) -> None:
    """Each start takes twice the processor time without; where it is not made, nothing is held."""
    archive = str(spark_class_data.archive())
    found = {process.pid: {m.path for m in process.memory_maps()} for process in cluster.jvms()}
    assert len(found) >= 3
    assert all(archive in paths for paths in found.values()) or not spark_class_data.options()


@pytest.mark.spec("P-11", "P-01", "P-02")
def test_a_cluster_samples_brokers_and_keeps_the_history(
    cluster: SparkCluster, desk: Desk, spark: Session, tmp_path: Path
) -> None:
    desk.skewed("elsewhere", partitions=2, records=5, size=1000)
    home = (tmp_path / "history").as_uri()
    lines = program(desk.bootstrap, home, cluster.connect, "2")
    assert len(lines) == 4
    assert all(line.split()[2] == "True" for line in lines)
    assert len({line.split()[1] for line in lines}) == 4
    assert len(history.files(home)) == 2
    spark.dataSource.register(LogDirs)
    live = spark.read.format(FORMAT).option("bootstrap", desk.bootstrap).load()
    mine = live.where("topic = 'elsewhere'").select("broker", "directory", "partition", "size")
    kept = history.read(spark, home).where("topic = 'elsewhere'").select(*mine.columns)
    assert kept.distinct().exceptAll(mine).count() == 0
    assert kept.count() == 2 * mine.count() == 8
    desk.drop("elsewhere")


@pytest.mark.spec("P-11")
def test_a_cluster_whose_driver_is_this_process(
    cluster: SparkCluster, desk: Desk, tmp_path: Path
) -> None:
    environment = {
        **commands.environment(), "PYSPARK_PYTHON": str(cluster.python),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": shlex.join([*cluster.settings()[2:], "pyspark-shell"]),
    }  # fmt: skip
    arguments = (desk.bootstrap, str(tmp_path), cluster.master, "1")
    lines = program(*arguments, environment=environment)
    assert len(lines) == 4


def test_the_package_as_one_file_is_the_same_for_the_same_code(tmp_path: Path) -> None:
    packed = archive(tmp_path)
    before = packed.stat().st_mtime_ns
    assert archive(tmp_path) == packed
    assert packed.stat().st_mtime_ns == before
    names = zipfile.ZipFile(packed).namelist()
    assert "spindle/pipeline/sources.py" in names
    assert not [name for name in names if "__pycache__" in name]
    assert archive(tmp_path / "other").read_bytes() == packed.read_bytes()


def test_the_package_as_one_file_can_be_imported(tmp_path: Path) -> None:
    """With no other copy of the code in reach: -S, and the libraries' folder by hand."""
    libraries = sysconfig.get_paths()["platlib"]
    packed = archive(tmp_path)
    code = (
        f"import sys; sys.path[:0] = [{str(packed)!r}, {libraries!r}]; "
        "import spindle.pipeline.sources as s, spindle.cli.app as m; print(s.__file__, m.__file__)"
    )
    done = subprocess.run(
        tied([sys.executable, "-S", "-c", code]), capture_output=True, text=True, timeout=60,
        check=False, cwd=tmp_path, env={"PATH": os.defpath},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.count(str(packed)) == 2
