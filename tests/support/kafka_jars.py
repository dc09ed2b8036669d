"""Apache Kafka's jars, fetched once by Maven into a cache folder, of 4.3 or of another release.

`$SPINDLE_KAFKA_JARS` names a folder which already holds those of 4.3; else they go to
`~/.cache/spindle/kafka-<version>/jars`. Where Maven fetches from is Maven's own configuration.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.support.processes import tied

VERSION = "4.3.0"
_LOG4J_1, _LOG4J_2 = (
    ("org.slf4j", "slf4j-reload4j", "1.7.36"),
    ("org.apache.logging.log4j", "log4j-slf4j-impl", "2.25.4"),
)
_OWN = ("org.apache.kafka",)
_ZOOKEEPER = ("org.apache.zookeeper", "zookeeper", "3.5.10")
"""For 2.4: the one that it brings does not find its server under Java 14 and later."""
_FETCH_LIMIT_S = 900

Artifact = tuple[str, str, str]


class JarsMissing(Exception):
    """The jars are not there and cannot be fetched; the text says what is lacking."""


def kafka_jars(version: str = VERSION) -> Path:
    """The folder with a release's jars, fetched if need be (by one process, others wait)."""
    given = os.environ.get("SPINDLE_KAFKA_JARS")
    if given and version == VERSION:
        folder = Path(given)
        if not _complete(folder, version):
            lacking = ", ".join(_needed(version))
            raise JarsMissing(f"$SPINDLE_KAFKA_JARS={given} lacks one of {lacking}")
        return folder
    folder = Path.home() / ".cache" / "spindle" / f"kafka-{version}" / "jars"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _complete(folder, version):
            _fetch(folder, version)
    return folder


def artifacts(version: str) -> Sequence[Artifact]:
    """What Maven is to fetch for a release, with all that it depends on."""
    release = tuple(map(int, version.split(".")[:2]))
    found: list[Artifact] = [("org.apache.kafka", "kafka_2.13", version)]
    if release >= (3, 0):
        found.append(("org.apache.kafka", "kafka-tools", version))
    if version == VERSION:
        found.append(("org.apache.kafka", "kafka-shell", version))
    if release < (2, 5):
        found.append(_ZOOKEEPER)
    return [*found, _LOG4J_2 if release >= (4, 0) else _LOG4J_1]


def _needed(version: str) -> list[str]:
    own = [name for group, name, _ in artifacts(version) if group in _OWN]
    return [f"{name}-{version}.jar" for name in (*own, "kafka-clients")]


def _complete(folder: Path, version: str) -> bool:
    return all((folder / name).is_file() for name in _needed(version))


def _fetch(folder: Path, version: str) -> None:
    """Let Maven copy everything to a folder beside, then move what is new to its place.

    What is there already stays as it is: another process may be running it.
    """
    if not shutil.which("mvn") or not shutil.which("java"):
        raise JarsMissing(f"Apache Kafka's jars are not in {folder}, and there is no mvn or java")
    pom = folder.parent / "pom.xml"
    pom.write_text(_pom(artifacts(version)))
    partial = folder.with_name("jars.partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = [
        "mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies",
        f"-DoutputDirectory={partial}", "-DincludeScope=runtime",
    ]  # fmt: skip
    done = subprocess.run(tied(command), capture_output=True, text=True, timeout=_FETCH_LIMIT_S)
    if done.returncode or not _complete(partial, version):
        raise JarsMissing(
            f"mvn could not fetch Apache Kafka: {(done.stdout + done.stderr)[-2000:]}"
        )
    folder.mkdir(exist_ok=True)
    needed = _needed(version)
    for jar in sorted(partial.iterdir(), key=lambda jar: jar.name in needed):
        if not (folder / jar.name).exists():
            jar.rename(folder / jar.name)
    shutil.rmtree(partial)


def _pom(wanted: Sequence[Artifact]) -> str:
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
        f"<version>{version}</version></dependency>"
        for group, name, version in wanted
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>spindle.tests</groupId><artifactId>kafka</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>\n"
    )
