"""One Spark session and one small cluster for all tests of the pipeline."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.support import spark_class_data
from tests.support.clients import produce
from tests.support.waiting import eventually

from spindle.client.admin import AdminClient
from spindle.client.results import NewTopic
from spindle.model.ids import LogDir
from spindle.pipeline.session import Session, session
from spindle.runtime.local import LocalCluster

T = TypeVar("T")
_ENDING = pytest.StashKey[ExitStack]()
"""What ends the cluster that tests share."""
_UNCOMPILED = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Spark compiles each new query to Java classes: of the few rows of a test it takes more time than
it saves. Commands that tests start have sessions of their own, which compile."""


@pytest.fixture(scope="session", autouse=True)
def class_data() -> None:
    """Spark's JVMs, those of commands as well, start in half the time."""
    spark_class_data.share()


@pytest.fixture(scope="session")
def spark(class_data: None) -> Session:
    """The session as the commands make it, but for the compiler. Ends with the process."""
    spark = session("spindle tests")
    for name, value in _UNCOMPILED.items():
        spark.conf.set(name, value)
    return spark


class Desk:
    """A running cluster of 2 brokers with 2 directories each, to be asked without a loop."""

    def __init__(self, cluster: LocalCluster, runner: asyncio.Runner) -> None:
        self.cluster = cluster
        self._runner = runner

    @property
    def bootstrap(self) -> str:
        """host:port of the brokers."""
        return self.cluster.bootstrap

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end."""
        return self._runner.run(work)

    def ask(self, call: str, *arguments: Any, **options: Any) -> Any:
        """Call a coroutine of the AdminClient, or all items of one that answers for many."""

        async def work() -> Any:
            async with AdminClient(self.bootstrap) as admin:
                answer = getattr(admin, call)(*arguments, **options)
                return await (answer.all() if hasattr(answer, "all") else answer)

        return self.run(work())

    def drop(self, topic: str) -> None:
        """Delete a topic, and wait until it troubles no disk."""
        self.ask("delete_topics", [topic])

        def is_gone() -> bool:
            told = self.ask("describe_log_dirs", [1, 2])
            return not any(n.topic == topic for ds in told.values() for d in ds for n in d.current)

        eventually(is_gone, f"{topic} is gone", 60)

    def clear(self) -> None:
        """Delete what other tests have left: their bytes would weigh in a plan."""
        told = self.ask("describe_log_dirs", [1, 2])
        left = {n.topic for dirs in told.values() for d in dirs for n in d.current}
        for topic in sorted(name for name in left if not name.startswith("__")):
            self.drop(topic)

    def directories(self, broker: int) -> dict[LogDir, set[str]]:
        """The names of the replicas in each of a broker's directories."""
        told = self.ask("describe_log_dirs", [broker])[broker]
        return {d.path: {str(name) for name in d.current} for d in told}

    def skewed(self, topic: str, partitions: int = 4, records: int = 60, size: int = 20_000) -> int:
        """Make a topic on both brokers, all of it in their first directories; its bytes."""
        every: dict[int, tuple[int, ...]] = {n: (1 + n % 2, 2 - n % 2) for n in range(partitions)}
        self.ask("create_topics", [NewTopic(topic, assignment=every)])
        values = [bytes([n % 251]) * size for n in range(records)]
        for partition in range(partitions):
            produce(self.bootstrap, topic, values, partition)
        self.gather(topic, partitions)
        return partitions * records * size

    def gather(self, topic: str, partitions: int) -> None:
        """Move all of a topic's replicas into their brokers' first directories."""
        from spindle.cli.balance.applying import carry_out
        from spindle.planning.load import PlannedMove

        moves = []
        for broker in self.cluster.brokers:
            first, second = map(str, broker.log_dirs)
            there = self.directories(broker.node_id)[second]
            moves += [
                PlannedMove(broker.node_id, topic, n, second, first, 1)
                for n in range(partitions)
                if f"{topic}-{n}" in there
            ]

        async def work() -> None:
            async with AdminClient(self.bootstrap) as admin:
                assert (await carry_out(admin, [moves])).complete

        if moves:
            self.run(work())


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config) -> Iterator[Desk]:
    """A cluster for all tests here; each makes topics of its own and deletes them."""
    cluster = LocalCluster(tmp_path_factory.mktemp("cluster"), brokers=2, dirs=2)
    with ExitStack() as ending:
        pytestconfig.stash[_ENDING] = ending
        runner = ending.enter_context(asyncio.Runner())
        ending.callback(lambda: runner.run(cluster.stop()))
        runner.run(cluster.start())
        yield Desk(cluster, runner)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End the cluster after the last test here: others of this process would find it idle."""
    ending = item.config.stash.get(_ENDING, None)
    if ending and (nextitem is None or Path(__file__).parent not in nextitem.path.parents):
        ending.close()
