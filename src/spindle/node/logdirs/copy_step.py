"""One step of a move's copying, as a chain of jobs over the threads of both directories.

Knows how the jobs hang together (`model.jobs`, "One step of a move") and no more. Called by the
node's moves, which decide when, how much, and what a failure means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from spindle.model.copying_jobs import (
    AdoptCopied,
    CopiedBytes,
    CopyBytes,
    CopyMark,
    CopyPlan,
    CopyProgress,
    MarkCopy,
    PlanCopy,
)
from spindle.model.errors import Failure
from spindle.model.ids import LogDir
from spindle.model.log_values import LogKey
from spindle.model.outbox import Outbox

T = TypeVar("T")

Then = Callable[[CopyProgress | Failure], None]


def copy_step(
    out: Outbox,
    key: LogKey,
    source: LogDir,
    target: LogDir,
    mark: CopyMark | None,
    limit: int,
    max_bytes: int,
    then: Then,
    still: Callable[[], bool] = lambda: False,
    share: float = 1.0,
) -> None:
    """Copy at most about `max_bytes` up to offset `limit` of `key`'s log; `then(progress)`.

    `mark`: the last progress's; None at the start of a move and after anything else has changed the
    future log. `still`: whether appends and cuts of the source are blocked; asked at the beginning
    and once more when all is copied. Then `progress.whole` tells that nothing is missing. `share`:
    of its time that the copying may take.
    """
    current, future = key._replace(future=False), key._replace(future=True)

    def marked(found: CopyMark) -> None:
        planning = PlanCopy(source, current, found, limit, max_bytes, still())
        out.run(planning, _if_well(planned, then))

    def planned(plan: CopyPlan) -> None:
        if plan.pieces:
            copying = CopyBytes(target, future, source, plan, share)
            out.run(copying, _if_well(lambda copied: adopt(plan, copied), then))
        else:
            adopt(plan, CopiedBytes())

    def adopt(plan: CopyPlan, copied: CopiedBytes) -> None:
        if plan.still and not still():
            plan = replace(plan, still=False)
        out.run(AdoptCopied(target, future, plan, copied), then)

    if mark is None:
        out.run(MarkCopy(target, future), _if_well(marked, then))
    else:
        marked(mark)


def _if_well(go_on: Callable[[T], None], then: Then) -> Callable[[T | Failure], None]:
    """Go on with a result; give a failure to whoever waits for the step."""

    def answered(result: T | Failure) -> None:
        if isinstance(result, Failure):
            then(result)
        else:
            go_on(result)

    return answered
