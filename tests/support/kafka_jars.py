"""Apache Kafka's jars, fetched once by Maven into a cache folder.

`$SPINDLE_KAFKA_JARS` names a folder which already holds them; else they go to
`~/.cache/spindle/kafka-<version>/jars`. Where Maven fetches from is Maven's own configuration.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from tests.support.processes import tied

VERSION = "4.3.0"
_NEEDED = (
    f"kafka_2.13-{VERSION}.jar",
    f"kafka-tools-{VERSION}.jar",
    f"kafka-shell-{VERSION}.jar",
    f"kafka-clients-{VERSION}.jar",
)
_ARTIFACTS = (
    ("org.apache.kafka", "kafka_2.13", VERSION),
    ("org.apache.kafka", "kafka-tools", VERSION),
    ("org.apache.kafka", "kafka-shell", VERSION),
    ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.25.4"),
)
_FETCH_LIMIT_S = 900


class JarsMissing(Exception):
    """The jars are not there and cannot be fetched; the text says what is lacking."""


def kafka_jars() -> Path:
    """The folder with Apache Kafka's jars, fetched if need be (by one process, others wait)."""
    given = os.environ.get("SPINDLE_KAFKA_JARS")
    if given:
        folder = Path(given)
        if not _complete(folder):
            raise JarsMissing(f"$SPINDLE_KAFKA_JARS={given} lacks one of {', '.join(_NEEDED)}")
        return folder
    folder = Path.home() / ".cache" / "spindle" / f"kafka-{VERSION}" / "jars"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _complete(folder):
            _fetch(folder)
    return folder


def _complete(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _NEEDED)


def _fetch(folder: Path) -> None:
    """Let Maven copy everything to a folder beside, then move what is new to its place.

    What is there already stays as it is: somebody may be running it.
    """
    if not shutil.which("mvn") or not shutil.which("java"):
        raise JarsMissing(f"Apache Kafka's jars are not in {folder}, and there is no mvn or java")
    pom = folder.parent / "pom.xml"
    pom.write_text(_pom())
    partial = folder.with_name("jars.partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = [
        "mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies",
        f"-DoutputDirectory={partial}", "-DincludeScope=runtime",
    ]  # fmt: skip
    done = subprocess.run(tied(command), capture_output=True, text=True, timeout=_FETCH_LIMIT_S)
    if done.returncode or not _complete(partial):
        raise JarsMissing(
            f"mvn could not fetch Apache Kafka: {(done.stdout + done.stderr)[-2000:]}"
        )
    folder.mkdir(exist_ok=True)
    for jar in sorted(partial.iterdir(), key=lambda jar: jar.name in _NEEDED):
        if not (folder / jar.name).exists():
            jar.rename(folder / jar.name)
    shutil.rmtree(partial)


def _pom() -> str:
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
        f"<version>{version}</version></dependency>"
        for group, name, version in _ARTIFACTS
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>spindle.tests</groupId><artifactId>kafka</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>\n"
    )
