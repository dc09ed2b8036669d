"""Fixtures for every test: ports, Apache Kafka's jars, a running Apache Kafka."""

from __future__ import annotations

import gc
import json
import os
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import amounts, idle_time
from tests.support.apache_kafka import ApacheKafka
from tests.support.kafka_jars import JarsMissing
from tests.support.kafka_jars import kafka_jars as fetch_kafka_jars
from tests.support.ports import free_port
from tests.support.spindle_cluster import SpindleCluster
from tests.support.spread import Spread, in_order
from tests.support.verdicts import is_late, mark

# A loaded machine is slow, not wrong.
settings.register_profile(
    "spindle",
    settings.get_profile("default"),
    deadline=None,
    derandomize=amounts.repeatable(),
    max_examples=amounts.cases(amounts.USUAL),
)
settings.load_profile("spindle")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell has what it runs in the background ignore it, and what we start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["LC_ALL"] = "C.UTF-8"  # Commands draw their tables by the locale.
os.environ["SPINDLE_SPARK_MINUTES"] = "0"  # Else commands leave a Spark session behind for others.

GARBAGE_THRESHOLDS = (20_000, 20, 20)
"""When Python looks for garbage, more seldom than by default: tests are short."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--verdicts`: what the runner of the whole suite reads afterwards."""
    parser.addoption("--verdicts", help="file for the failed tests: out of time, or wrong")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Read all tests without a look for garbage, and never look again at what has been read.

    Else a third of the processor time of quick tests is spent on walks through modules and items.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        gc.set_threshold(*GARBAGE_THRESHOLDS)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order in which processes get them."""
    in_order(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Spread | None:
    """Ours in place of `--dist loadfile`."""
    return Spread(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Tell tests that ran out of time from those that found something wrong."""
    report = yield
    mark(report, call)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the verdicts, where one process hears of all tests."""
    path = session.config.getoption("--verdicts")
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if path is None or reporter is None or hasattr(session.config, "workerinput"):
        return
    failed = [*reporter.getreports("failed"), *reporter.getreports("error")]
    late = {r.nodeid for r in failed if isinstance(r, pytest.TestReport) and is_late(r)}
    wrong = {r.nodeid for r in failed if not (isinstance(r, pytest.TestReport) and is_late(r))}
    verdicts = {"late": sorted(late - wrong), "wrong": sorted(wrong)}
    Path(path).write_text(json.dumps(verdicts), encoding="utf-8")


@pytest.fixture
def port() -> int:
    """One free loopback port."""
    return free_port()


@pytest.fixture
def only_idle_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """`asyncio.run` whose clock stands while there is something to do."""
    monkeypatch.setattr("asyncio.run", idle_time.run)


@pytest.fixture(scope="session")
def ports() -> Callable[[], int]:
    """A function that gives free loopback ports."""
    return free_port


@pytest.fixture(scope="session")
def kafka_jars() -> Path:
    """The folder with Apache Kafka's jars."""
    try:
        return fetch_kafka_jars()
    except JarsMissing as missing:
        pytest.fail(str(missing))


@pytest.fixture(scope="session")
def apache_cluster(
    kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[ApacheKafka]:
    """A running Apache Kafka: a combined node 1 and broker 2, two log directories each.

    Give other arguments of ApacheKafka by indirect parametrisation:
    `@pytest.mark.parametrize("apache_cluster", [{"brokers": 3}], indirect=True)`.
    """
    arguments = {"brokers": 2, "directories": 2, **getattr(request, "param", {})}
    with ApacheKafka(tmp_path_factory.mktemp("kafka"), kafka_jars, **arguments) as kafka:
        kafka.start()
        yield kafka


@pytest.fixture(scope="session")
def spindle_cluster(
    kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApacheKafka]:
    """The same cluster of our own nodes."""
    with SpindleCluster(
        tmp_path_factory.mktemp("spindle"), kafka_jars, brokers=2, directories=2
    ) as spindle:
        spindle.start()
        yield spindle


@pytest.fixture(scope="session", params=["apache", "spindle"])
def cluster(request: pytest.FixtureRequest) -> ApacheKafka:
    """Every cluster that our tools must work with: two brokers, two directories each.

    Shared by a session's tests: each makes topics of its own and leaves settings as they were.
    """
    found = request.getfixturevalue(f"{request.param}_cluster")
    assert isinstance(found, ApacheKafka)
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how much was tried by the tests that try everything, however quiet the run is."""
    lines = [
        str(value)
        for report in terminalreporter.getreports("passed")
        for name, value in report.user_properties
        if name == "tried"
    ]
    if lines:
        terminalreporter.section("tried")
        for line in lines:
            terminalreporter.write_line(line)
