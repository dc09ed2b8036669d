"""The jars of Spark's own Kafka connector, fetched once by Maven into a cache folder.

`$SPINDLE_SPARK_KAFKA_JARS` names a folder which already holds them; else they go to
`~/.cache/spindle/spark-kafka-<version>`.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from tests.support.kafka_jars import JarsMissing

_ARTIFACTS = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", "4.2.0"),
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.1.0-preview1"),
    ("org.apache.kafka", "kafka-clients", "3.9.2"),
    ("org.apache.commons", "commons-pool2", "2.13.1"),
)
"""No newer ones are needed: they run on Spark 4.2 and 4.3."""
_FETCH_LIMIT_S = 600


def spark_kafka_jars() -> list[Path]:
    """The jars, fetched if need be (by one process, others wait)."""
    given = os.environ.get("SPINDLE_SPARK_KAFKA_JARS")
    folder = Path(given or Path.home() / ".cache" / "spindle" / f"spark-kafka-{_ARTIFACTS[0][2]}")
    jars = [folder / f"{name}-{version}.jar" for _, name, version in _ARTIFACTS]
    if given:
        if not all(jar.is_file() for jar in jars):
            raise JarsMissing(f"$SPINDLE_SPARK_KAFKA_JARS={given} lacks one of {jars}")
        return jars
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not all(jar.is_file() for jar in jars):
            _fetch(folder)
    return jars


def _fetch(folder: Path) -> None:
    if not shutil.which("mvn") or not shutil.which("java"):
        raise JarsMissing(f"Spark's Kafka connector is not in {folder}: there is no mvn or java")
    pom = folder / "pom.xml"
    pom.write_text(_pom())
    command = [
        "mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies",
        f"-DoutputDirectory={folder}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=_FETCH_LIMIT_S)
    if done.returncode:
        raise JarsMissing(f"mvn could not fetch it: {(done.stdout + done.stderr)[-2000:]}")


def _pom() -> str:
    all_else = (
        "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion>"
        "</exclusions>"
    )
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
        f"<version>{version}</version>{all_else}</dependency>"
        for group, name, version in _ARTIFACTS
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>spindle.tests</groupId><artifactId>spark-kafka</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>\n"
    )
