"""pytest's plugin of `spindle.testing`: a cluster as a fixture, its logs in the report of failures.

pytest loads it by its entry point; nothing else imports it. It loads the rest of the package only
when a test wants a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from spindle.runtime.cluster_plan import QuorumKind
    from spindle.testing import ClusterInstance

FIXTURES = {"spindle_cluster", "spindle_cluster_factory"}
_USUAL = {"brokers": "3", "log_dirs": "2", "controllers": ""}
"""Without a number of controllers there is one, or there are as many as a folder has."""
_running = pytest.StashKey[list["ClusterInstance"]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The shape of clusters of which a test does not say another."""
    for name, usual in _USUAL.items():
        text = f"spindle.testing: {name.replace('_', ' ')} of a cluster (default: {usual or 1})"
        parser.addini(f"spindle_{name}", text, default=usual)
    text = "spindle.testing: settings of all nodes, a line NAME=VALUE for each"
    parser.addini("spindle_settings", text, type="linelist", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.stash[_running] = []
    config.addinivalue_line(
        "markers",
        "spindle_cluster(brokers=3, log_dirs=2, controllers=1, combined=False, settings={},"
        ' quorum="dynamic"):'
        " what the fixture spindle_cluster of this test is like",
    )


def pytest_collection_finish(session: pytest.Session) -> None:
    """Have the code of nodes loaded while the first tests run, if any test wants a cluster."""
    if session.config.option.collectonly:
        return
    wanted = (getattr(item, "fixturenames", ()) for item in session.items)
    if any(not FIXTURES.isdisjoint(names) for names in wanted):
        from spindle.testing import warm_up

        warm_up()


@pytest.fixture
def spindle_cluster(request: pytest.FixtureRequest) -> Iterator[ClusterInstance]:
    """A cluster of this test's own; `@pytest.mark.spindle_cluster(brokers=1)` says which."""
    marks = list(request.node.iter_markers("spindle_cluster"))
    wanted = {name: value for mark in reversed(marks) for name, value in mark.kwargs.items()}
    if any(mark.args for mark in marks):
        raise pytest.UsageError("spindle_cluster takes names: spindle_cluster(brokers=1)")
    with _watched(request.config, _maker(request.config)(**wanted)) as running:
        yield running


@pytest.fixture(scope="session")
def spindle_cluster_factory(
    request: pytest.FixtureRequest,
) -> Iterator[Callable[..., ClusterInstance]]:
    """Makes clusters that run until the session ends: call it in a fixture of yours.

    It takes what `spindle.testing.cluster` takes.
    """
    make = _maker(request.config)
    with ExitStack() as stack:
        yield lambda **wanted: stack.enter_context(_watched(request.config, make(**wanted)))


def _maker(config: pytest.Config) -> Callable[..., ClusterInstance]:
    """`spindle.testing.cluster`, for what is not given with what the options of the run say."""
    from spindle.testing import cluster

    given = {name: str(config.getini(f"spindle_{name}")) for name in _USUAL}
    usual = {name: int(number) for name, number in given.items() if number}
    lines: list[str] = config.getini("spindle_settings")
    usual_settings = dict(line.split("=", 1) for line in lines)

    def make(
        *,
        combined: bool = False,
        settings: Mapping[str, str] | None = None,
        folder: Path | None = None,
        quorum: QuorumKind | None = None,
        **shape: int,
    ) -> ClusterInstance:
        wanted = {**usual, **shape}
        return cluster(
            **wanted,
            combined=combined,
            settings={**usual_settings, **(settings or {})},
            folder=folder,
            quorum=quorum,
        )

    return make


@contextmanager
def _watched(config: pytest.Config, made: ClusterInstance) -> Iterator[ClusterInstance]:
    """Run a cluster, and have failures tell of it meanwhile."""
    with made as running:
        config.stash[_running].append(running)
        try:
            yield running
        finally:
            config.stash[_running].remove(running)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """A bug that has stopped a node fails the test that ran, whatever the test has found."""
    try:
        yield
    finally:
        for running in item.config.stash[_running]:
            running.check()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What the nodes said last stands in the report of a test that has failed."""
    report = yield
    if report.failed:
        for running in item.config.stash[_running]:
            report.sections += [(f"log of {name}", text) for name, text in running.logs().items()]
    return report
