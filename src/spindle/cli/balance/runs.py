"""`spindle balance runs`, `undo`, `pause`, `resume`, `pace`: what was and is carried out here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import typer

from spindle.cli import render
from spindle.cli.balance import report
from spindle.cli.balance.balance_journal import (
    BalanceRun,
    GivenOptions,
    RunJournal,
    RunOptions,
)
from spindle.cli.balance.broker_looks import LOOK_SECONDS
from spindle.cli.balance.cluster_look import verify
from spindle.cli.balance.options import DiskThrottle, Output, Throttle
from spindle.cli.connecting import AsJson, Bootstrap, with_admin, written
from spindle.cli.exits import End
from spindle.client.admin import AdminClient
from spindle.model.errors import Unusable
from spindle.pipeline.proposal import ClusterProposal, document, parse, parse_waves
from spindle.pipeline.replica_assignment import assigned
from spindle.pipeline.undoing import undoing
from spindle.planning.amounts import counted
from spindle.planning.reassignment_json import Brokers


def runs(bootstrap_server: Bootstrap, as_json: AsJson = False) -> None:
    """List the runs of `apply` on this machine: user, time, what was moved, how each ended.

    The last 20 are kept, below $SPINDLE_STATE_DIR (~/.local/state/spindle). Exit code 4: none.
    """
    found = _all(_journal(bootstrap_server))
    if as_json:
        print(json.dumps({"version": 1, "runs": [_document(run) for run in found]}))
    elif not found:
        render.say("This machine has not applied a plan to this cluster.")
    else:
        render.table(
            "Runs, the latest last",
            ("run", "began", "by", "moves", "bytes", "ended"),
            [_row(run) for run in found],
        )
    if not found:
        raise typer.Exit(End.NOTHING)


def undo(
    bootstrap_server: Bootstrap,
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN", help="As `runs` names it; by default the last that moved any."
        ),
    ] = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Plan to take back what a run has moved. Changes nothing: give the plan to `apply`.

    Each replica returns to the directory and broker that it came from; one that is elsewhere by now
    stays. Preferred leaders stay as they are. Exit code 4: there is nothing to take back.
    """
    journal = _journal(bootstrap_server)
    chosen = _chosen(journal, run)
    moved = parse_waves([] if chosen.ended is None else chosen.ended.get("moves", []))

    async def work(admin: AdminClient) -> tuple[ClusterProposal, Brokers]:
        plan = parse(chosen.plan)
        wrong = await verify(admin, [m for wave in moved for m in wave])
        told = await admin.describe_log_dirs(
            sorted({d.broker for d in plan.directories}), timeout=LOOK_SECONDS
        ).settled()
        census = {b: dirs for b, dirs in told.items() if not isinstance(dirs, Exception)}
        proposal = undoing(plan, moved, wrong, census)
        return proposal, (await assigned(admin)).replicas or {}

    proposal, replicas = with_admin(bootstrap_server, work)
    text = json.dumps(document(proposal, replicas))
    written(output, text + "\n")
    if as_json:
        print(text)
    else:
        report.show(proposal)
        if proposal.changes:
            file = "PLAN" if output is None else str(output)
            hint = "" if output is not None else " (write it with --output PLAN)"
            render.say(f"Apply it:  spindle balance apply {bootstrap_server.options} {file}{hint}")
    if not proposal.changes:
        raise typer.Exit(End.NOTHING)


def pause(bootstrap_server: Bootstrap, as_json: AsJson = False) -> None:
    """Let the run that is under way start no more moves. Those in progress go on to their end."""
    _ask(bootstrap_server, True, GivenOptions(), as_json)


def resume(bootstrap_server: Bootstrap, as_json: AsJson = False) -> None:
    """Let the run that was paused start moves again."""
    _ask(bootstrap_server, False, GivenOptions(), as_json)


def pace(
    bootstrap_server: Bootstrap,
    throttle: Throttle = None,
    disk_throttle: DiskThrottle = None,
    moves_per_disk: Annotated[int | None, typer.Option(min=1, help="Moves of a disk.")] = None,
    moves_per_broker: Annotated[
        int | None, typer.Option(min=0, help="Moves of a broker; 0: no limit.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change how fast the run goes that is under way: throttles, and moves at the same time.

    --throttle holds at once, for the moves in progress, too; the others for moves that start from
    now on. A run that is paused stays paused.
    """
    given = GivenOptions(moves_per_disk, moves_per_broker, throttle, disk_throttle)
    if given == GivenOptions():
        raise Unusable("name what is to change: --throttle, --disk-throttle, --moves-per-...")
    _ask(bootstrap_server, None, given, as_json)


def _ask(cluster: Bootstrap, paused: bool | None, given: GivenOptions, as_json: bool) -> None:
    journal = _journal(cluster)
    run = journal.read()
    if run is None or not journal.is_held():
        raise Unusable("no run is under way on this machine in this cluster")
    asked = journal.pace()
    before = run.options if asked is None else RunOptions(*asked["options"])
    was_paused = asked is not None and asked["paused"]
    options, pauses = given.over(before), was_paused if paused is None else paused
    journal.ask(pauses, options)
    if as_json:
        print(json.dumps({"version": 1, "paused": pauses, "options": vars(options)}))
        return
    for line in asked_in_words(paused, was_paused, given, options, cluster.options):
        render.say(line)
    render.say(f"See the run with: spindle balance watch {cluster.options}")


def asked_in_words(
    paused: bool | None, was_paused: bool, given: GivenOptions, options: RunOptions, at: str
) -> Iterator[str]:
    """What a run does now, and from when a new pace holds.

    `paused`: asked for, None where only the pace is another; `at`: names the cluster to commands.
    """
    resume = f"spindle balance resume {at}"
    if paused is not None:
        if paused == was_paused:
            yield f"The run was {'paused' if paused else 'not paused'}: nothing changes."
        elif paused:
            yield (
                "The run pauses: nothing new starts, the moves in progress go on to their end. "
                f"Let it start moves again with: {resume}"
            )
        else:
            yield "The run starts moves again."
        return
    yield f"The pace is now: {options.in_words}."
    if given.throttle is not None:
        yield "The throttle holds at once, for the moves in progress, too."
    if replace(given, throttle=None) != GivenOptions():
        when = "once the run goes on" if was_paused else "for moves that start from now on"
        yield f"The other limits hold {when}."
    if was_paused:
        yield f"The run stays paused. Let it start moves again with: {resume}"


def _journal(cluster: Bootstrap) -> RunJournal:
    return RunJournal(with_admin(cluster, lambda admin: admin.describe_cluster()).cluster_id)


def _all(journal: RunJournal) -> list[BalanceRun]:
    open_ = journal.read()
    return [*journal.over(), *([] if open_ is None else [open_])]


def _chosen(journal: RunJournal, name: str | None) -> BalanceRun:
    if journal.read() is not None:
        raise Unusable("a run has not ended: wait for it, or end it with `spindle balance cancel`")
    found = journal.over()
    for run in reversed(found):
        if run.name == name or (name is None and _has_moved(run)):
            return run
    if name is None and found:
        return found[-1]
    known = ", ".join(run.name for run in found) or "none"
    raise Unusable(f"there is no run {name or 'yet'}; the runs kept here are: {known}")


def _has_moved(run: BalanceRun) -> bool:
    """Whether any replica was not in place before."""
    return run.ended is not None and any(run.ended.get("moves", []))


def _row(run: BalanceRun) -> tuple[str, ...]:
    moves = [move for wave in run.waves for move in wave]
    began = f"{datetime.fromtimestamp(run.began, UTC):%Y-%m-%d %H:%M:%S}"
    size = render.size(sum(move.size for move in moves))
    return run.name, began, run.by or "-", str(len(moves)), size, _end(run)


def _end(run: BalanceRun) -> str:
    if run.ended is None:
        return "not yet"
    if run.ended["complete"]:
        return "complete" if _has_moved(run) or not run.ended["done"] else "complete: all was there"
    halted = ", ".join(run.ended.get("halted", {}))
    stopped = f"; broker {halted} stopped" if halted else ""
    return f"not complete: {counted(run.ended['done'], 'move')} done{stopped}"


def _document(run: BalanceRun) -> dict[str, object]:
    ended = None if run.ended is None else {k: v for k, v in run.ended.items() if k != "moves"}
    return {
        "run": run.name, "began": run.began, "by": run.by, "replanned": run.replanned,
        "moves": sum(map(len, run.waves)), "options": vars(run.options), "ended": ended,
    }  # fmt: skip
