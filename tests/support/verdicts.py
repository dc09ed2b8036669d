"""Why a test failed: because its time was up, or because something is wrong.

Two workers share the machine's cores with JVMs and Spark, so a state may come too late there and
in time alone. Nothing else is ever a matter of time: a lost record, a wrong answer, a node that
reports a bug, a failed assertion stay what they are.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.support.waiting import TimeIsUp

LATE = "ran out of time"
_TIMEOUT = "from pytest-timeout"
_SIGNS_OF_A_FAULT = ("a bug:", "Traceback", "is lost", "are lost", "doubled", "out of order")
"""What a node's log or a checker may have said in the meantime: then time explains nothing."""


def ran_out_of_time(error: BaseException) -> bool:
    """Whether a test failed for no other reason than its deadline."""
    chain = list(_causes(error))
    if any(sign in str(link) for link in chain for sign in _SIGNS_OF_A_FAULT):
        return False
    return any(_is_deadline(link) for link in chain)


def _is_deadline(error: BaseException) -> bool:
    """Whether an error says that a deadline has passed: a test's, a command's or a client's."""
    # Only here: most tests need neither client.
    from confluent_kafka import KafkaError, KafkaException

    from spindle.client.failures import OutOfTime

    if isinstance(error, TimeIsUp | subprocess.TimeoutExpired | TimeoutError | OutOfTime):
        return True
    if isinstance(error, KafkaException):
        late = (KafkaError._TIMED_OUT, KafkaError._MSG_TIMED_OUT, KafkaError._TIMED_OUT_QUEUE)
        return isinstance(error.args[0], KafkaError) and error.args[0].code() in late
    return _TIMEOUT in str(error)


def _causes(error: BaseException) -> Iterator[BaseException]:
    yield error
    for member in error.exceptions if isinstance(error, BaseExceptionGroup) else ():
        yield from _causes(member)
    if error.__cause__ is not None:
        yield from _causes(error.__cause__)


def mark(report: pytest.TestReport, call: pytest.CallInfo[None]) -> None:
    """Write into a failed test's report that its time was up, where that is so."""
    if report.failed and call.excinfo is not None and ran_out_of_time(call.excinfo.value):
        report.user_properties.append((LATE, report.when))


def is_late(report: pytest.TestReport) -> bool:
    """Whether `mark` has said so."""
    return any(name == LATE for name, _ in report.user_properties)
