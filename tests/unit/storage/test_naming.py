"""Every job has words, so that no reason of a failed directory names a class of Spindle's."""

from __future__ import annotations

from typing import Any

from spindle.model.errors import DiskFailed
from spindle.model.jobs import BesideJob, Job, LogJob, MeasureUsage
from spindle.storage.naming import ACTIVITIES, activity_of


def kinds(base: type[Job[Any]]) -> set[type[Job[Any]]]:
    """All classes of jobs below one."""
    return {k for below in base.__subclasses__() for k in ({below} | kinds(below))}


def named(kind: type[Any]) -> str:
    return f"{kind.__module__}.{kind.__name__}"


def test_every_kind_of_job_has_words_of_its_own() -> None:
    # By name: a dataclass with slots leaves its first self behind until it is collected.
    ours = {named(kind) for kind in kinds(Job) if kind.__module__.startswith("spindle.model.")}
    assert {named(kind) for kind in ACTIVITIES} == ours - {named(LogJob), named(BesideJob)}
    assert len(set(ACTIVITIES.values())) == len(ACTIVITIES)


def test_a_reason_says_what_was_done() -> None:
    failure = DiskFailed("/d1", activity_of(MeasureUsage("/d1")), 5, "Input/output error")
    assert str(failure) == "/d1: reading its free space failed: Input/output error (5)"
