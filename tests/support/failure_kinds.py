"""Why a test failed: its time was up, it is unsteady beside others, or something is wrong.

Two workers share the machine's cores with JVMs and Spark, so a state may come too late there and
in time alone; and a test of real processes may look before its state is there, or after it. A lost
record, a node that reports a bug, and whatever fails in tests without processes is wrong for sure.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from enum import StrEnum

import pytest

from tests.support.waiting import TimeIsUp


class FailureKind(StrEnum):
    """What a failure of a test means."""

    LATE = "late"
    """Its time was up, and that is all."""
    UNSTEADY = "unsteady"
    """A test of real processes saw what it did not expect: perhaps a race, its own or Spindle's."""
    WRONG = "wrong"
    """Nothing that a second try could explain."""


_PROPERTY = "failure kind"
_TIMEOUT = "from pytest-timeout"
_SIGNS_OF_A_FAULT = ("a bug:", "Traceback", "is lost", "are lost", "doubled", "out of order")
"""What a node's log or a checker may have said in the meantime: then nothing explains it away."""
_OF_PROCESSES = ("tests/interop/", "tests/pipeline/")


def failure_kind(test: str, error: BaseException) -> FailureKind:
    """What it means that this test failed with this error."""
    chain = list(_causes(error))
    if any(sign in str(link) for link in chain for sign in _SIGNS_OF_A_FAULT):
        return FailureKind.WRONG
    if any(
        isinstance(link, TimeIsUp | subprocess.TimeoutExpired) or _TIMEOUT in str(link)
        for link in chain
    ):
        return FailureKind.LATE
    return FailureKind.UNSTEADY if test.startswith(_OF_PROCESSES) else FailureKind.WRONG


def _causes(error: BaseException) -> Iterator[BaseException]:
    yield error
    for member in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from _causes(member)
    if error.__cause__ is not None:
        yield from _causes(error.__cause__)


def mark(report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    """Write into a failed test's report what that means."""
    if report.failed and call.excinfo is not None:
        kind = failure_kind(report.nodeid, call.excinfo.value)
        report.user_properties.append((_PROPERTY, str(kind)))


def kind_of(report: object) -> FailureKind:
    """What `mark` has said; of reports without a word: something is wrong."""
    if not isinstance(report, pytest.TestReport):
        return FailureKind.WRONG
    told = [FailureKind(str(value)) for name, value in report.user_properties if name == _PROPERTY]
    return max(told, key=list(FailureKind).index, default=FailureKind.WRONG)


def by_kind(reports: Iterator[tuple[str, object]]) -> dict[str, list[str]]:
    """Failed tests by the worst that any of their reports means, sorted."""
    worst: dict[str, FailureKind] = {}
    order = list(FailureKind)
    for test, report in reports:
        kinds = (worst.get(test, FailureKind.LATE), kind_of(report))
        worst[test] = max(kinds, key=order.index)
    return {v.value: sorted(t for t, found in worst.items() if found is v) for v in order}
