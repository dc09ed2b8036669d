"""Test suites of client libraries, fetched and built once into a cache folder, and run by address.

Each is of a pinned version and comes from where its language's packages come from: franz-go and
sarama as modules of Go, kafka-python from PyPI, librdkafka, with its tests, inside the package of
its binding for Node.js. They go to `~/.cache/spindle/suites/NAME-VERSION`.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.processes import tied

_FETCH_LIMIT_S: Final = 300
_BUILD_LIMIT_S: Final = 1200
_RUN_LIMIT_S: Final = 240
_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")


_NOTHING_TO_START: Final = """
class ExternalService:
    def __init__(self, host, port):
        self.host, self.port = host, port

    def open(self):
        pass

    def close(self):
        pass


class SpawnedService:
    pass
"""

_FRESH_METADATA: Final = """
from kafka import KafkaConsumer

KafkaConsumer.DEFAULT_CONFIG["metadata_max_age_ms"] = 300
"""
"""kafka-python's consumer loses a subscription that falls into its first request for metadata, and
looks again after this time alone: five minutes by default, and its tests wait for 30 s, one of them
for 2 s. It does so with Apache Kafka's brokers, too, once in 200 consumers on a busy machine."""


class SuiteMissing(Exception):
    """A suite cannot be fetched or built; the text says which step failed, and its last words."""


class Verdict(NamedTuple):
    """What a suite said of a run."""

    passed: frozenset[str]
    failed: frozenset[str]
    words: str
    """All that it printed."""


class _Module(NamedTuple):
    """A module of Go: its tests become one program."""

    path: str
    version: str
    package: str
    tags: str = ""


FRANZ_GO: Final = _Module("github.com/twmb/franz-go", "v1.21.5", "./pkg/kgo")
SARAMA: Final = _Module("github.com/IBM/sarama", "v1.61.1", ".", "functional")


class _Package(NamedTuple):
    """A package of another language, by name, version, and SHA-256 of what is fetched."""

    name: str
    version: str
    checksum: str


LIBRDKAFKA: Final = _Package(
    "@confluentinc/kafka-javascript",
    "1.10.1",
    "ada7d703bb1d3237e2292bfabf438d663b6160c9f1ac2a2406b5dc4257c81b66",
)
"""It brings librdkafka 2.15.1."""
KAFKA_PYTHON: Final = _Package(
    "kafka-python",
    "3.0.12",
    "4ccda3616b9aa5c353d74a97f2770d6cd1b950890d77ab0e8890e09a48eeed65",
)


def franz_go(bootstrap: str, tests: Sequence[str], records: int, partitions: int) -> Verdict:
    """Run some of kgo's tests at a cluster with three brokers or more.

    Its chains of groups write so many records, to topics of so many partitions at most.
    """
    program = _program_of_go(FRANZ_GO)
    environment = {
        "KGO_SEEDS": bootstrap,
        "KGO_TEST_RECORDS": str(records),
        "KGO_TEST_MAX_TOPIC_PARTS": str(partitions),
        "KGO_TEST_RF": "3",
        "KGO_LOG_LEVEL": "none",
    }
    return _go(program, tests, environment)


def sarama(proxies: str, release: str, tests: Sequence[str]) -> Verdict:
    """Run some functional tests at brokers 1 to 5, on ports 29091 to 29095 of this machine.

    `proxies`: the address of what answers as toxiproxy does. `release`: Apache Kafka's.
    """
    environment = {"TOXIPROXY_ADDR": proxies, "KAFKA_VERSION": release}
    return _go(_program_of_go(SARAMA), tests, environment)


def librdkafka(bootstrap: str, release: str, tests: Sequence[str]) -> Verdict:
    """Run some tests by their numbers, as "0012". `release`: which Apache Kafka to expect."""
    folder = _kept("librdkafka", LIBRDKAFKA.version, _have_librdkafka) / "source" / "tests"
    with tempfile.TemporaryDirectory() as scratch:
        report, config = Path(scratch) / "report.json", Path(scratch) / "test.conf"
        config.write_text(
            f"bootstrap.servers={bootstrap}\ntest.topic.random=true\ntest.timeout.multiplier=3\n"
        )
        environment = {
            "TESTS": ",".join(tests),
            "TEST_KAFKA_VERSION": release,
            "TEST_REPORT": str(report),
            "RDKAFKA_TEST_CONF": str(config),
            "LD_LIBRARY_PATH": f"{folder.parent / 'src'}:{folder.parent / 'src-cpp'}",
        }
        words = _run([str(folder / "test-runner"), "-Q", "-E"], folder, _RUN_LIMIT_S, environment)
        if not report.exists():
            return Verdict(frozenset(), frozenset(tests), words)
        found: dict[str, dict[str, str]] = json.loads(report.read_text())["tests"]
    names = {name: test["state"] for name, test in found.items() if name != "<MAIN>"}
    return Verdict(
        frozenset(name for name, state in names.items() if state == "PASSED"),
        frozenset(name for name, state in names.items() if state == "FAILED"),
        _COLOURS.sub("", words),
    )


def kafka_python(address: str, release: str, tests: Sequence[str]) -> Verdict:
    """Run some files of integration tests, by pytest's own words for tests."""
    folder = _kept("kafka-python", KAFKA_PYTHON.version, _have_kafka_python)
    with tempfile.TemporaryDirectory() as plugins:
        (Path(plugins) / "fresh_metadata.py").write_text(_FRESH_METADATA)
        words = _of_kafka_python(folder, plugins, address, release, tests)
    return Verdict(
        frozenset(re.findall(r"^(\S+::\S+) PASSED", words, re.M)),
        frozenset(re.findall(r"^(\S+::\S+) (?:FAILED|ERROR)", words, re.M)),
        words,
    )


def _of_kafka_python(
    folder: Path, plugins: str, address: str, release: str, tests: Sequence[str]
) -> str:
    environment = {
        "KAFKA_URI": f"kafka://{address}",
        "KAFKA_VERSION": release,
        "KAFKA_ROOT": str(folder),  # Any folder that is there: it starts no broker.
        "PYTHONPATH": f"{folder}{os.pathsep}{plugins}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    options = (
        "-p",
        "no:cacheprovider",
        "-p",
        "fresh_metadata",
        "-c",
        os.devnull,
        "--rootdir",
        str(folder),
        "-v",
        "--tb=short",
    )
    command = [sys.executable, "-m", "pytest", *options, "--timeout", "100", *tests]
    return _run(command, folder, _RUN_LIMIT_S, environment)


class ProxiesOfSarama(BaseHTTPRequestHandler):
    """Answers as toxiproxy does where its five proxies are there: all that sarama asks at first.

    No test that is run here has the proxies do anything.
    """

    def do_GET(self) -> None:
        """`/proxies/kafka1`."""
        body = json.dumps({"name": self.path.rpartition("/")[2], "enabled": True}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """`/reset`: all proxies pass everything again."""
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of each request."""


def _go(program: Path, tests: Sequence[str], environment: Mapping[str, str]) -> Verdict:
    wanted = "^(" + "|".join(tests) + ")$"
    limit = f"-test.timeout={_RUN_LIMIT_S - 10}s"
    command = [str(program), "-test.v", "-test.run", wanted, limit]
    words = _run(command, program.parent, _RUN_LIMIT_S, environment)
    return Verdict(
        frozenset(re.findall(r"^\s*--- PASS: (\S+)", words, re.M)),
        frozenset(re.findall(r"^\s*--- FAIL: (\S+)", words, re.M))
        | frozenset(test for test in tests if f"--- PASS: {test} " not in words),
        words,
    )


def _program_of_go(module: _Module) -> Path:
    def have(scratch: Path, into: Path) -> None:
        whole = f"{module.path}@{module.version}"
        told = _must(["go", "mod", "download", "-json", whole], scratch, _FETCH_LIMIT_S)
        source = into / "source"
        shutil.copytree(json.loads(told)["Dir"], source, copy_function=shutil.copyfile)
        _writable(source)
        program = source / module.package / "suite.test"
        words = ["go", "test", "-c", "-tags", module.tags, "-o", str(program), module.package]
        _must(words, source, _BUILD_LIMIT_S)

    folder = _kept(module.path.rpartition("/")[2], module.version, have)
    return folder / "source" / module.package / "suite.test"


def _have_librdkafka(scratch: Path, into: Path) -> None:
    name, version, checksum = LIBRDKAFKA
    _must(["npm", "pack", f"{name}@{version}"], scratch, _FETCH_LIMIT_S)
    package = _unpacked(scratch, checksum)
    source = into / "source"
    shutil.copytree(package / "deps" / "librdkafka", source)
    _must(["bash", "./configure", "--disable-syslog", "--disable-optimization"], source, 300)
    _must(["make", "-j2", "libs"], source, _BUILD_LIMIT_S)
    _must(["make", "-j2", "-C", "tests", "test-runner"], source, _BUILD_LIMIT_S)


def _have_kafka_python(scratch: Path, into: Path) -> None:
    name, version, checksum = KAFKA_PYTHON
    fetch = ["-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
    _must([sys.executable, *fetch, f"{name}=={version}"], scratch, _FETCH_LIMIT_S)
    shutil.copytree(_unpacked(scratch, checksum), into, dirs_exist_ok=True)
    # The archive lacks two files: one without which Python takes a package of its own of that name
    # instead, and one with what starts brokers, of which there is nothing to start here.
    (into / "test" / "__init__.py").touch()
    (into / "test" / "service.py").write_text(_NOTHING_TO_START)


def _unpacked(scratch: Path, checksum: str) -> Path:
    """The folder in the one archive that lies there, if it is the one that is pinned."""
    (archive,) = [path for path in scratch.iterdir() if path.name.endswith(("gz", "tgz"))]
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != checksum:
        raise SuiteMissing(f"{archive.name} has the SHA-256 {found}, and {checksum} is pinned")
    folder = scratch / "unpacked"
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    (inside,) = folder.iterdir()
    return inside


def _kept(name: str, version: str, have: Callable[[Path, Path], None]) -> Path:
    """The folder of a suite, made if need be (by one process, others wait)."""
    folder = Path.home() / ".cache" / "spindle" / "suites" / f"{name}-{version}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                # Built where it stays: programs of C and Go remember their places.
                half = folder.with_name(f"{folder.name}.half")
                shutil.rmtree(half, ignore_errors=True)
                half.mkdir()
                have(Path(scratch), half)
                half.rename(folder)
    return folder


def _writable(folder: Path) -> None:
    """Go's cache of modules has folders in which nothing may be made."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _must(command: Sequence[str], folder: Path, seconds: float) -> str:
    """What a command printed to its output. SuiteMissing where it failed."""
    if shutil.which(command[0]) is None:
        raise SuiteMissing(f"{command[0]} is not on this machine: install it, or name no such test")
    try:
        done = subprocess.run(
            tied(command), cwd=folder, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as late:
        raise SuiteMissing(f"{' '.join(command)} took more than {seconds:.0f} s") from late
    if done.returncode:
        raise SuiteMissing(f"{' '.join(command)} failed: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def _run(
    command: Sequence[str], folder: Path, seconds: float, environment: Mapping[str, str]
) -> str:
    """All that a suite printed, or what it had printed when its time was over."""
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        process = subprocess.Popen(
            tied(command), cwd=folder, stdout=said, stderr=said, env={**os.environ, **environment}
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            said.write(f"\nended after {seconds:.0f} s\n")
        said.seek(0)
        return said.read()
