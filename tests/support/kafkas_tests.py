"""Apache Kafka's own published tests, run against Spindle clusters.

Maven fetches the test jars once, beside Kafka's jars; `tests/support/java` is compiled and stands
before the test jars on the class path, so that each test gets a Spindle cluster
(`kafkas_cluster`). JUnit's console launcher runs one class. `python -m tests.support.kafkas_tests
CLASS...` runs whole classes by hand, one after the other, and prints what failed.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.support import class_data, resident_tools
from tests.support.apache_kafka import JVM, archive, class_path
from tests.support.java_classes import compiled
from tests.support.kafka_jars import VERSION, JarsMissing, kafka_jars
from tests.support.processes import tied
from tests.support.waiting import TimeIsUp

ROOT = Path(__file__).parents[2]
JAVA = Path(__file__).parent / "java"
_TEST_JARS = (
    "kafka-tools", "kafka_2.13", "kafka-clients", "kafka-server", "kafka-server-common",
    "kafka-group-coordinator", "kafka-metadata",
)  # fmt: skip
_PLAIN_JARS = (
    "kafka-test-common-internal-api", "kafka-test-common-runtime", "kafka-test-common-util",
)  # fmt: skip
_OTHER_JARS = (
    ("org.junit.platform", "junit-platform-console-standalone", "1.13.1"),
    ("org.mockito", "mockito-core", "5.20.0"),
    ("org.mockito", "mockito-junit-jupiter", "5.20.0"),
    ("net.bytebuddy", "byte-buddy", "1.17.7"),
    ("net.bytebuddy", "byte-buddy-agent", "1.17.7"),
    ("org.objenesis", "objenesis", "3.3"),
)
_LAUNCHER = "org.apache.kafka.common.test.junit.SpindleLauncher"
_FETCH_LIMIT_S = 900
BY_HAND_S = 3600
_CAUSE = re.compile(r"^ +=> (.+)$", re.M)
"""How JUnit tells why a test failed, in its list of failures."""
_LATE = re.compile(
    r"(org\.opentest4j\.AssertionFailedError: Condition not met within timeout"
    r"|(java\.util\.concurrent\.ExecutionException: )?"
    r"(java\.util\.concurrent|org\.apache\.kafka\.common\.errors)\.TimeoutException)"
)
"""What Apache Kafka's waiting helpers and clients throw when their time is up."""


@dataclass(frozen=True)
class Outcome:
    """What became of a class's tests; `text` is all that JUnit printed."""

    successful: int
    failed: int
    text: str

    def hold(self) -> None:
        """TimeIsUp where each failure is that a state did not come within a test's own deadline."""
        causes = _CAUSE.findall(self.text)
        if self.failed and causes and all(_LATE.match(cause) for cause in causes):
            raise TimeIsUp(self.text)

    @property
    def failures(self) -> set[str]:
        """The methods that failed, of a class whose tests ask for a cluster."""
        return set(re.findall(r"─ (\w+) \[\d+\] on Spindle.* \N{HEAVY BALLOT X} ", self.text))


def fetched_tests(beside: Path) -> Path:
    """The folder with the test jars, fetched if need be. `beside`: the folder of Kafka's jars."""
    folder = beside.parent / "test-jars"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / "test-jars.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _complete(folder):
            _fetch(folder)
    return folder


def run_class(
    name: str,
    jars: Path,
    seconds: int,
    methods: Sequence[str] = (),
    without: Collection[str] = (),
) -> Outcome:
    """Run one of Kafka's test classes to its end: all of it, these methods, or all but some."""
    chosen = ["-c", name] if not methods else []
    for method in methods:
        chosen += ["-m", f"{name}#{method}"]
    if without:
        chosen.append(f"--exclude-methodname=.*#({'|'.join(sorted(without))})")
    words = (_LAUNCHER, "execute", "--disable-banner", "--disable-ansi-colors", "--details=tree")
    _, stdout, stderr = resident_tools.answer(_java(jars), (*words, *chosen), "", seconds)
    text = stdout + stderr
    return Outcome(_count(text, "successful"), _count(text, "failed"), text)


def end(jars: Path) -> None:
    """End the process that `run_class` keeps, and with it that of the clusters."""
    resident_tools.end(_java(jars))


def _java(jars: Path) -> list[str]:
    return [
        "java", *JVM, "-Xmx512m", *class_data.options(archive(jars)),
        f"-Dspindle.cluster={sys.executable} -m tests.support.kafkas_cluster",
        f"-Dspindle.folder={ROOT}", "-cp", _class_path(jars),
    ]  # fmt: skip


@cache
def _class_path(jars: Path) -> str:
    """All that Kafka's tests need: its jars, our classes, its tests."""
    tests = sorted(fetched_tests(jars).glob("*.jar"))
    # Kafka's own jars come first: the archive of their classes is bound to that order.
    before, after = class_path(jars), os.pathsep.join(map(str, tests))
    ours = compiled("tests", JAVA.glob("*/**/*.java"), f"{before}{os.pathsep}{after}")
    return os.pathsep.join([before, str(ours), after])


def _count(text: str, what: str) -> int:
    found = re.search(rf"\[\s*(\d+) tests {what}\s*\]", text)
    assert found, text[-3000:]
    return int(found[1])


def _artifacts() -> list[tuple[str, str, str, str]]:
    """Group, name, version and classifier of all that is fetched."""
    return [
        *(("org.apache.kafka", name, VERSION, "test") for name in _TEST_JARS),
        *(("org.apache.kafka", name, VERSION, "") for name in _PLAIN_JARS),
        *((group, name, version, "") for group, name, version in _OTHER_JARS),
    ]


def _complete(folder: Path) -> bool:
    names = ("-".join(filter(None, parts[1:])) for parts in _artifacts())
    return all((folder / f"{name}.jar").is_file() for name in names)


def _fetch(folder: Path) -> None:
    """Let Maven copy everything to a folder beside, then move what is new to its place.

    What is there already stays as it is: another process may be running it.
    """
    if not shutil.which("mvn") or not shutil.which("javac"):
        raise JarsMissing(f"Apache Kafka's tests are not in {folder}, and there is no mvn or javac")
    pom = folder.parent / "test-pom.xml"
    pom.write_text(_pom())
    partial = folder.with_name("test-jars.partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = [
        "mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies",
        f"-DoutputDirectory={partial}", "-DexcludeTransitive=true",
    ]  # fmt: skip
    done = subprocess.run(tied(command), capture_output=True, text=True, timeout=_FETCH_LIMIT_S)
    if done.returncode or not _complete(partial):
        raise JarsMissing(
            f"mvn could not fetch Kafka's tests: {(done.stdout + done.stderr)[-2000:]}"
        )
    folder.mkdir(exist_ok=True)
    for jar in partial.iterdir():
        if not (folder / jar.name).exists():
            jar.rename(folder / jar.name)
    shutil.rmtree(partial)


def _pom() -> str:
    def dependency(group: str, name: str, version: str, classifier: str) -> str:
        kind = f"<classifier>{classifier}</classifier>" if classifier else ""
        return (
            f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId>"
            f"<version>{version}</version>{kind}</dependency>"
        )

    dependencies = "".join(dependency(*one) for one in _artifacts())
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>spindle.tests</groupId><artifactId>kafkas-tests</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>\n"
    )


def main(names: Sequence[str]) -> int:
    """Run these classes; 1 where a test has failed."""
    failed = 0
    for name in names:
        begun = time.monotonic()
        outcome = run_class(name, kafka_jars(), BY_HAND_S)
        for line in outcome.text.splitlines():
            if "\N{HEAVY BALLOT X}" in line:
                print(line)
        seconds = time.monotonic() - begun
        passed = f"{outcome.successful} passed, {outcome.failed} failed"
        print(f"{name}: {passed}, {seconds:.0f} s", flush=True)
        failed += outcome.failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
