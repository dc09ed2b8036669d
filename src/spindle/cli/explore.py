"""`spindle explore`, `explore-transactions`, `explore-groups`: every order of what may happen.

Prints how much was explored and which promises held, or the way to the situation that broke one.
Decides nothing: `spindle.sim.exhaustive` does.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Annotated, Final

import typer

from spindle.cli.render import fail, say, table

if TYPE_CHECKING:
    from spindle.sim.exhaustive.state_space import SearchReport

SHOWN_EVERY: Final = 0.5
"""Seconds between two words of progress."""


def explore(
    directories: Annotated[int, typer.Option(min=1, max=4, help="Directories of the broker.")] = 2,
    moves: Annotated[int, typer.Option(min=0, help="Number of moves.")] = 1,
    cancels: Annotated[int, typer.Option(min=0, help="Number of cancelled moves.")] = 0,
    failures: Annotated[int, typer.Option(min=0, help="Number of directories that fail.")] = 1,
    restarts: Annotated[int, typer.Option(min=0, help="Number of kills of the broker.")] = 1,
    losses: Annotated[
        int, typer.Option(min=0, help="Messages lost, late, or without an answer.")
    ] = 0,
    elections: Annotated[int, typer.Option(min=0, help="Number of changes of the controller.")] = 0,
    produces: Annotated[int, typer.Option(min=0, help="Number of records that are written.")] = 0,
    limit: Annotated[int, typer.Option(min=1, help="Stop after so many states.")] = 1 << 40,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Explore every order of events of one replica, and check its safety properties.

    The machines that a broker and a controller run, on disks in memory, are taken through every
    order of events within the bounds: each job of each disk, each message to the controller (lost,
    late, repeated or unanswered ones, too), changes of the controller, each batch of metadata,
    moves, disk failures, kills. A situation that was met before is not explored again.

    Exit code 1 if a promise is broken, with the way there, or if the limit ended the search.
    """
    from spindle.sim.exhaustive.situation import PROMISES, ExplorationBounds
    from spindle.sim.exhaustive.state_space import explore as search

    bounds = ExplorationBounds(
        directories, moves, cancels, failures, restarts, losses, elections, produces
    )
    began = time.monotonic()
    progress = _Progress(began)
    report = search(bounds, limit, progress.look)
    progress.clear()
    _tell(report, time.monotonic() - began, PROMISES, limit, json_output)


def explore_transactions(
    level: Annotated[int, typer.Option(min=0, max=2, help="transaction.version.")] = 2,
    zombies: Annotated[
        int, typer.Option(min=0, max=1, help="Second producers of the same transactional id.")
    ] = 0,
    others: Annotated[
        int, typer.Option(min=0, max=2, help="Producers with an id of their own.")
    ] = 0,
    offsets: Annotated[
        int, typer.Option(min=0, max=1, help="1: a group's offset is committed, too.")
    ] = 0,
    coordinators: Annotated[int, typer.Option(min=0, help="Changes of the coordinator.")] = 0,
    leaders: Annotated[int, typer.Option(min=0, help="Changes of the data's leader.")] = 0,
    losses: Annotated[
        int, typer.Option(min=0, help="Messages lost, late, or without an answer.")
    ] = 0,
    waits: Annotated[
        int, typer.Option(min=0, help="How often a timer overtakes what could happen.")
    ] = 2,
    aborts: Annotated[
        int, typer.Option(min=0, max=1, help="0: the first producer only commits.")
    ] = 1,
    commits: Annotated[
        int, typer.Option(min=1, help="Transactions that the first producer commits.")
    ] = 1,
    strays: Annotated[
        int, typer.Option(min=0, help="Questions to a broker that coordinates no longer.")
    ] = 0,
    limit: Annotated[int, typer.Option(min=1, help="Stop after so many states.")] = 1 << 40,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Explore every order of events of two brokers' transactions, and check their promises.

    A producer aborts a transaction and commits the next; a zombie, producers beside it, changes of
    the coordinator and of the leader, lost and late messages come in between, in every order. Run
    are the machines of a broker: coordinator, markers, enlisting, partitions, groups.

    Exit code 1 if a promise is broken, with the way there, or if the limit ended the search.
    """
    from spindle.sim.exhaustive.state_space import explore as search
    from spindle.sim.exhaustive.transacting import TransactionSituation
    from spindle.sim.exhaustive.transaction_bounds import PROMISES, TransactionBounds

    bounds = TransactionBounds(
        level, zombies, others, offsets, coordinators, leaders, losses, waits, aborts,
        commits, strays,
    )  # fmt: skip
    began = time.monotonic()
    progress = _Progress(began)
    report = search(bounds, limit, progress.look, begin=TransactionSituation)
    progress.clear()
    _tell(report, time.monotonic() - began, PROMISES, limit, json_output)


def explore_groups(
    members: Annotated[int, typer.Option(min=1, max=3, help="Members of the group.")] = 2,
    partitions: Annotated[int, typer.Option(min=1, max=4, help="Partitions of the topic.")] = 2,
    leaves: Annotated[int, typer.Option(min=0, help="Number of members that leave.")] = 0,
    losses: Annotated[int, typer.Option(min=0, help="Answers that members miss.")] = 0,
    coordinators: Annotated[int, typer.Option(min=0, help="Changes of the coordinator.")] = 0,
    growths: Annotated[int, typer.Option(min=0, help="How often the topic grows.")] = 0,
    limit: Annotated[int, typer.Option(min=1, help="Stop after so many states.")] = 1 << 40,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Explore every order of events of a KIP-848 group, and check its promises.

    Members join, beat, take and give up partitions; batches of the coordinator's log are committed,
    or lost with the coordinator; answers are missed, members leave, the topic grows, in every
    order. Run are the machines of a coordinator.

    Exit code 1 if a promise is broken, with the way there, or if the limit ended the search.
    """
    from spindle.sim.exhaustive.membership import MembershipSituation
    from spindle.sim.exhaustive.membership_bounds import PROMISES, MembershipBounds
    from spindle.sim.exhaustive.state_space import explore as search

    bounds = MembershipBounds(members, partitions, leaves, losses, coordinators, growths)
    began = time.monotonic()
    progress = _Progress(began)
    report = search(bounds, limit, progress.look, begin=MembershipSituation)
    progress.clear()
    _tell(report, time.monotonic() - began, PROMISES, limit, json_output)


class _Progress:
    """A line that counts, on a terminal."""

    def __init__(self, began: float) -> None:
        self._next = began
        self._shown = False

    def look(self, report: SearchReport) -> None:
        """Called now and then by the search."""
        now = time.monotonic()
        if now >= self._next and sys.stderr.isatty():
            self._next, self._shown = now + SHOWN_EVERY, True
            print(f"\r{report.states} states, {report.steps} steps ", end="", file=sys.stderr)

    def clear(self) -> None:
        """The line has done its work."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr)


def _tell(
    report: SearchReport, seconds: float, promises: tuple[str, ...], limit: int, json_output: bool
) -> None:
    """What the search has found, and the exit code that goes with it."""
    if json_output:
        print(json.dumps(_as_json(report, seconds, promises)))
    else:
        _print(report, seconds, promises)
    if report.broken is not None:
        fail(f"a promise is broken: {report.broken[0]}")
    if not report.complete:
        fail(f"not complete: stopped at --limit {limit} states")


def _as_json(report: SearchReport, seconds: float, promises: tuple[str, ...]) -> dict[str, object]:
    return {
        "states": report.states,
        "steps": report.steps,
        "settled": report.rests,
        "deepest": report.deepest,
        "choices": dict(report.kinds),
        "complete": report.complete,
        "seconds": round(seconds, 1),
        "promises": list(promises),
        "broken": None if report.broken is None else report.broken[0],
        "way": [] if report.broken is None else [str(choice) for choice in report.broken[1]],
    }


def _print(report: SearchReport, seconds: float, promises: tuple[str, ...]) -> None:
    say(
        f"{report.states} states, {report.steps} steps, {report.rests} ends in which all settles, "
        f"{report.deepest} choices deep, in {seconds:.1f} s"
    )
    table("", ["choice", "times"], [[kind, str(n)] for kind, n in sorted(report.kinds.items())])
    if report.broken is not None:
        for number, choice in enumerate(report.broken[1], 1):
            say(f"{number:4}  {choice}")
    elif report.complete:
        say("held everywhere:")
        for promise in promises:
            say(f"  - {promise}")
