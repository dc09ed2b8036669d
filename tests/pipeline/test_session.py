"""Spark without a Java of the machine's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
from tests.support.processes import tied

from spindle.pipeline.session import Session, prepare_java

_COUNT = """
import os, shutil
assert shutil.which("java") is None
from spindle.pipeline.session import session
spark = session()
print(spark.version, spark.range(7).count(), os.environ["JAVA_HOME"])
spark.stop()
"""


def without_java(tmp_path: Path) -> dict[str, str]:
    """An environment in which there is no java: every program of the PATH but that one."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*") if Path(folder).is_dir() else ():
            if not program.name.startswith("java") and not (tools / program.name).exists():
                (tools / program.name).symlink_to(program)
    kept = {k: v for k, v in os.environ.items() if k not in ("JAVA_HOME", "PYSPARK_PYTHON")}
    return {**kept, "PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache")}


def test_spark_starts_where_there_is_no_java(tmp_path: Path) -> None:
    done = subprocess.run(
        tied([sys.executable, "-c", _COUNT]),
        env=without_java(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    version, count, home = done.stdout.split()
    assert version.startswith("4.")
    assert count == "7"
    assert Path(home).parent == tmp_path / "cache" / "spindle"


def test_a_java_of_the_users_own_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "/somewhere/of/mine")
    prepare_java()
    assert os.environ["JAVA_HOME"] == "/somewhere/of/mine"


def test_a_wrapper_for_an_installation_that_is_gone_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", "")  # What is set now is put back, even where nothing was.
    for old in ("first", "gone"):
        monkeypatch.delenv("JAVA_HOME")
        prepare_java()
        java = Path(os.environ["JAVA_HOME"]) / "bin" / "java"
        assert os.access(java, os.X_OK)
        right = java.read_text()
        java.write_text(f"exec /{old}/java")
    monkeypatch.delenv("JAVA_HOME")
    prepare_java()
    assert java.read_text() == right
    assert [p.name for p in java.parent.iterdir()] == ["java"]
    assert shutil.which("java") is None


@pytest.mark.spec("V-07")
def test_workers_begin_with_what_they_need(spark: Session) -> None:
    def look(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        loaded = [name for name in sys.modules if name.startswith("spindle.pipeline.")]
        begun = psutil.Process(os.getppid()).cmdline()
        yield pa.RecordBatch.from_pydict({"words": [*loaded, *begun]})

    words = {row["words"] for row in spark.range(1).mapInArrow(look, "words string").collect()}
    assert {"spindle.pipeline.parallel_planning", "spindle.pipeline.spark_workers"} <= words
