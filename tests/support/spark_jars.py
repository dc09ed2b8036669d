"""Jars that tests of the pipeline need, fetched once by Maven into cache folders.

Spark's own Kafka connector: `$SPINDLE_SPARK_KAFKA_JARS` names a folder which already holds it; else
it goes to `~/.cache/spindle/spark-kafka-<version>`. Hadoop's small HDFS cluster, in the version of
the client that Spark brings: `~/.cache/spindle/hdfs-<version>`. And the connectors of files that
Kafka Connect's tests use: `~/.cache/spindle/connect-file-<version>`.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pyspark

from tests.support.kafka_jars import VERSION, JarsMissing
from tests.support.processes import tied

Artifact = tuple[str, str, str]
"""Group, name, version."""
_CONNECTOR: Sequence[Artifact] = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.1.0-preview1"),
    ("org.apache.kafka", "kafka-clients", "3.9.2"),
    ("org.apache.commons", "commons-pool2", "2.13.1"),
)
"""No newer ones are needed: they run on Spark 4.2 and 4.3."""
_FETCH_LIMIT_S = 600
SPARKS_OWN = Path(pyspark.__file__).parent / "jars"


def spark_kafka_jars() -> list[Path]:
    """Those of the connector, fetched if need be (by one process, others wait)."""
    given = os.environ.get("SPINDLE_SPARK_KAFKA_JARS")
    if given:
        jars = _named(Path(given), _CONNECTOR)
        if not all(jar.is_file() for jar in jars):
            raise JarsMissing(f"$SPINDLE_SPARK_KAFKA_JARS={given} lacks one of {jars}")
        return jars
    return _cached(f"spark-kafka-{_CONNECTOR[0][2]}", _CONNECTOR)


def connect_file_jar() -> Path:
    """That of the connectors which read and write files, fetched if need be."""
    (jar,) = _cached(f"connect-file-{VERSION}", (("org.apache.kafka", "connect-file", VERSION),))
    return jar


def hdfs_jars() -> list[Path]:
    """Those of a small HDFS cluster beside Spark's own, fetched if need be."""
    client = next(SPARKS_OWN.glob("hadoop-client-api-*.jar")).stem
    version = client.removeprefix("hadoop-client-api-")
    return _cached(
        f"hdfs-{version}",
        (
            ("org.apache.hadoop", "hadoop-client-minicluster", version),
            ("org.junit.jupiter", "junit-jupiter-api", "5.12.2"),
            ("org.junit.platform", "junit-platform-commons", "1.12.2"),
            ("org.opentest4j", "opentest4j", "1.3.0"),
        ),
    )


def _named(folder: Path, artifacts: Sequence[Artifact]) -> list[Path]:
    return [folder / f"{name}-{version}.jar" for _, name, version in artifacts]


def _cached(name: str, artifacts: Sequence[Artifact]) -> list[Path]:
    folder = Path.home() / ".cache" / "spindle" / name
    jars = _named(folder, artifacts)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not all(jar.is_file() for jar in jars):
            _fetch(folder, artifacts)
    return jars


def _fetch(folder: Path, artifacts: Sequence[Artifact]) -> None:
    if not shutil.which("mvn") or not shutil.which("java"):
        raise JarsMissing(f"{artifacts[0][1]} is not in {folder}: there is no mvn or java")
    pom = folder / "pom.xml"
    pom.write_text(_pom(artifacts))
    command = [
        "mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies",
        f"-DoutputDirectory={folder}",
    ]  # fmt: skip
    done = subprocess.run(tied(command), capture_output=True, text=True, timeout=_FETCH_LIMIT_S)
    if done.returncode:
        raise JarsMissing(f"mvn could not fetch it: {(done.stdout + done.stderr)[-2000:]}")


def _pom(artifacts: Sequence[Artifact]) -> str:
    all_else = (
        "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>"
        "</exclusions>"
    )
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
        f"<version>{version}</version>{all_else}</dependency>"
        for group, name, version in artifacts
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>spindle.tests</groupId><artifactId>jars</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>\n"
    )
