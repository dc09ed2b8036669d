"""What the runner of all tests repeats, and what it never repeats."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException
from tests import suite
from tests.support.local import Local
from tests.support.spindle_cluster import SpindleCluster
from tests.support.verdicts import ran_out_of_time
from tests.support.waiting import TimeIsUp, eventually, eventually_async

from spindle.client.failures import OutOfTime


def late(text: str = "not within 30 s: t is led") -> TimeIsUp:
    return TimeIsUp(text)


def raised_from(cause: BaseException) -> BaseException:
    error = RuntimeError("the cluster did not start")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    "error",
    [
        late(),
        subprocess.TimeoutExpired("kafka-log-dirs", 60),
        raised_from(late()),
        ExceptionGroup("tasks", [late()]),
        Exception("Timeout (>300.0s) from pytest-timeout."),
        TimeoutError(),
        OutOfTime("broker 1 did not answer within 30 s"),
        KafkaException(KafkaError(KafkaError._MSG_TIMED_OUT)),
    ],
)
def test_only_a_deadline_is_a_matter_of_time(error: BaseException) -> None:
    assert ran_out_of_time(error)


@pytest.mark.parametrize(
    "error",
    [
        AssertionError("assert 1 == 2"),
        late("not within 30 s: t is led\nnode 1\n[error] a bug: IndexError"),
        raised_from(late("Traceback (most recent call last)")),
        AssertionError("record 17 is lost"),
        ConnectionRefusedError(),
        KafkaException(KafkaError(KafkaError.NOT_LEADER_FOR_PARTITION)),
    ],
)
def test_what_is_wrong_is_never_a_matter_of_time(error: BaseException) -> None:
    assert not ran_out_of_time(error)


def block(
    folder: Path, said: str, error: Exception | None, kind: type[SpindleCluster] = Local
) -> None:
    """A test with a cluster, one of whose nodes says something before the test fails."""
    with kind(folder, Path(), brokers=1) as cluster:
        cluster.nodes[1].log.write_text(f"{said}\n")
        if error is not None:
            raise error


@pytest.mark.parametrize(
    "error",
    [None, subprocess.TimeoutExpired("kafka-log-dirs", 60), late(), AssertionError("1 == 2")],
)
@pytest.mark.parametrize("kind", [SpindleCluster, Local])
def test_a_bug_of_a_node_is_what_a_test_fails_for_whatever_else_happens(
    tmp_path: Path, error: Exception | None, kind: type[SpindleCluster]
) -> None:
    with pytest.raises(AssertionError, match=r"node 1\n.* a bug: IndexError") as failed:
        block(tmp_path, "[error] a bug: IndexError", error, kind)
    assert failed.value.__cause__ is error
    assert not ran_out_of_time(failed.value)


def test_what_ran_out_of_time_without_a_bug_stays_that(tmp_path: Path) -> None:
    error = late()
    with pytest.raises(TimeIsUp) as failed:
        block(tmp_path, "[info] the broker serves", error)
    assert failed.value is error


def test_a_state_that_does_not_come_is_out_of_time() -> None:
    with pytest.raises(TimeIsUp, match="not within 0 s: never"):
        eventually(lambda: False, "never", 0)


class Runs:
    """Stands in for pytest: fails the first run with these verdicts, then ends well."""

    def __init__(self, **verdicts: list[str]) -> None:
        self.verdicts = verdicts
        self.calls: list[tuple[str, ...]] = []

    def __call__(self, *arguments: str) -> int:
        self.calls.append(arguments)
        if len(self.calls) > 1:
            return 0
        path = Path(arguments[arguments.index("--verdicts") + 1])
        path.write_text(json.dumps(self.verdicts), encoding="utf-8")
        return suite.FAILED


def test_what_ran_out_of_time_is_repeated_alone_and_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs(late=["a.py::slow"], wrong=[])
    monkeypatch.setattr(suite, "_pytest", runs)
    assert suite.main([]) == 0
    assert runs.calls[1:] == [("a.py",)]
    told = capsys.readouterr().out
    assert "out of time beside others: a.py::slow" in told
    assert "Repeated alone, in the order of their tests: a.py" in told


def test_files_are_repeated_whole_and_once_so_that_their_tests_keep_their_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last test of a module may break what it shares with those before it."""
    late = ["b.py::breaks", "b.py::shares[d::2]", "a.py::Kind::slow"]
    runs = Runs(late=late, wrong=[])
    monkeypatch.setattr(suite, "_pytest", runs)
    assert suite.main([]) == 0
    assert runs.calls[1:] == [("a.py", "b.py")]


@pytest.mark.parametrize(
    "verdicts",
    [
        {"late": ["a.py::slow"], "wrong": ["b.py::lost"]},
        {"late": [f"a.py::{n}" for n in range(suite.REPEATS_MAX + 1)], "wrong": []},
    ],
)
def test_a_failure_or_many_late_ones_end_the_run(
    monkeypatch: pytest.MonkeyPatch, verdicts: dict[str, list[str]]
) -> None:
    runs = Runs(**verdicts)
    monkeypatch.setattr(suite, "_pytest", runs)
    assert suite.main([]) == suite.FAILED
    assert len(runs.calls) == 1


def test_code_is_compiled_once_also_where_nothing_may_lie_beside_the_sources(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    apart = suite.environment()
    assert "PYTHONDONTWRITEBYTECODE" not in apart
    assert apart["PYTHONPYCACHEPREFIX"] == str(suite.BYTECODE)
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE")
    assert "PYTHONPYCACHEPREFIX" not in suite.environment()


def looks(errors: list[Exception]) -> Callable[[], bool]:
    """A look that meets these errors, one at a time, and then sees what it wants."""

    def look() -> bool:
        if errors:
            raise errors.pop(0)
        return True

    return look


def test_what_is_not_there_yet_or_no_longer_is_looked_for_again() -> None:
    met: list[Exception] = [FileNotFoundError("1.log"), ConnectionRefusedError()]
    assert eventually(looks(met), "it is there", 5, 0)
    with pytest.raises(TimeIsUp, match=r"it is there; last: FileNotFoundError\('1.log'\)"):
        eventually(looks([FileNotFoundError("1.log")]), "it is there", 0)


def test_any_other_error_of_a_look_ends_the_wait() -> None:
    with pytest.raises(KeyError):
        eventually(looks([KeyError("t")]), "it is there", 5)


def test_coroutines_look_in_the_same_way() -> None:
    look = looks([ConnectionResetError()])

    async def soon() -> bool:
        return look()

    assert asyncio.run(eventually_async(soon, "it is there", 5, 0))
