"""`spindle reassign`: plans in Kafka's JSON - made, executed, watched, verified, cancelled, listed.

spindle reassign generate -b localhost:9092 --topics orders --brokers 1,2,3 > plan.json
spindle reassign execute  -b localhost:9092 plan.json --watch
spindle reassign watch    -b localhost:9092 plan.json
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Annotated, Final, TypeVar

import typer

from spindle.cli import render
from spindle.cli.connecting import (
    CONTROLLER_WAIT,
    AsJson,
    Bootstrap,
    ControllerWait,
    TimeLimit,
    outlasting,
    read_text,
    run_to_end,
    with_admin,
)
from spindle.cli.log_dirs import names
from spindle.cli.reassign import limits, view
from spindle.cli.reassign import reassigning as running
from spindle.cli.reassign.reassigning import Executed, ReassignOptions, Verified
from spindle.cli.reassign.reassignment_plan import ReassignmentPlan, parse_brokers, parse_plan
from spindle.cli.watching import complete_replicas, what_is_there
from spindle.cli.watching import watch as watch_plan
from spindle.client.admin import AdminClient
from spindle.client.results import Reassignment, Replica
from spindle.model.errors import Failure, Refusal, Unusable
from spindle.model.ids import TopicPartition

T = TypeVar("T")

_LOST: Final = "The watching has ended."

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help=__doc__.split("\n")[0]
)

PlanFile = Annotated[
    Path, typer.Argument(metavar="PLAN", help="The plan: JSON of kafka-reassign-partitions.")
]

KeepFactor = Annotated[
    bool,
    typer.Option(
        "--keep-replication-factor",
        "--disallow-replication-factor-change",
        help="Refuse a plan that changes it.",
    ),
]
WatchLimit = Annotated[
    float | None,
    typer.Option(
        "--watch-limit",
        min=0,
        metavar="SECONDS",
        help="Watch no longer: exit with 1, and leave what is under way as it is.",
    ),
]


@app.command()
def generate(
    bootstrap_server: Bootstrap,
    topics: Annotated[
        str, typer.Option(metavar="TOPIC,...", help="Topics to spread, e.g. orders,events.")
    ],
    brokers: Annotated[
        str, typer.Option(metavar="ID,...", help="Brokers to spread them over, e.g. 1,2,3.")
    ],
    rack_aware: Annotated[bool, typer.Option(help="Keep replicas on different racks.")] = True,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same plan.")] = None,
    _as_json: Annotated[
        bool, typer.Option("--json", help="As without it: a plan is JSON, its file as well.")
    ] = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Print a plan that spreads topics evenly over brokers. Changes nothing."""

    async def work(admin: AdminClient) -> str:
        _, proposed = await running.generate(
            admin, names(topics), parse_brokers(brokers), Random(seed), rack_aware=rack_aware
        )
        return proposed

    print(with_admin(bootstrap_server, work, timeout=request_timeout))


@app.command()
def execute(
    bootstrap_server: Bootstrap,
    plan: PlanFile,
    throttle: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="BYTES/S", help="Bytes/s between brokers, until it is complete."
        ),
    ] = None,
    move_throttle: Annotated[
        int | None,
        typer.Option(
            "--move-throttle",
            "--replica-alter-log-dirs-throttle",
            min=1,
            metavar="BYTES/S",
            help="Bytes/s between directories of a broker, until the plan is complete.",
        ),
    ] = None,
    additional: Annotated[
        bool, typer.Option("--additional", help="Also if other reassignments are in progress.")
    ] = False,
    keep_replication_factor: KeepFactor = False,
    timeout: Annotated[
        float,
        typer.Option(
            min=0, metavar="SECONDS", help="Seconds in which brokers must accept directories."
        ),
    ] = 10.0,
    watch: Annotated[bool, typer.Option("--watch", help="Show progress until it is done.")] = False,
    watch_limit: WatchLimit = None,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
    controller_wait: ControllerWait = CONTROLLER_WAIT,
) -> None:
    """Start a plan. Directories first, so that new replicas are created where they belong.

    With --watch the command waits until the plan is complete, restores the throttles and exits
    with 1 if a replica is not where the plan wants it. Ctrl-C ends only the watching, and so does
    --watch-limit: a move whose broker stays down would never end. Without --watch, use `spindle
    reassign watch` or `verify`; they restore throttles, too, also those of a run that was killed.
    """
    if watch_limit is not None and not watch:
        raise Unusable("--watch-limit goes with --watch")
    wanted = parse_plan(read_text(plan))
    options = ReassignOptions(
        watched=watch,
        additional=additional,
        throttle=throttle,
        move_throttle=move_throttle,
        timeout_ms=round(timeout * 1000),
        allow_replication_factor_change=not keep_replication_factor,
    )
    say: running.Say = (lambda line: None) if as_json else render.say
    lost = partial(_tell_how_to_go_on, _LOST, bootstrap_server, plan)

    async def work(admin: AdminClient) -> tuple[Executed, Verified | None]:
        await running.settle(admin, wanted, render.note)
        before = complete_replicas(await running.look(admin, wanted)) if watch else {}
        done = await running.execute(admin, wanted, options, say)
        if not watch:
            return done, None
        return done, await _watch(admin, wanted, lost, before, watch_limit)

    done, found = _interruptible(bootstrap_server, work, request_timeout, plan, controller_wait)
    if as_json:
        ended = view.document(found) if found is not None else {}
        print(json.dumps(view.executed_document(done) | ended))
    elif found is not None:
        view.show(found)
    else:
        view.show_executed(done)
        render.say(f"Follow it with {_command('watch', bootstrap_server, plan)}")
    if found is not None:
        _end_of_watch(found, bootstrap_server, plan)


@app.command()
def watch(
    bootstrap_server: Bootstrap,
    plan: Annotated[
        Path | None,
        typer.Argument(metavar="PLAN", help="The plan. Omit to watch everything in progress."),
    ] = None,
    watch_limit: WatchLimit = None,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
    controller_wait: ControllerWait = CONTROLLER_WAIT,
) -> None:
    """Show bytes, rate and time left of each disk until a plan is done; then restore throttles.

    Works for every earlier `execute`, also from another machine. Ctrl-C ends only the watching,
    and so does --watch-limit.
    """
    given = None if plan is None else parse_plan(read_text(plan))
    lost = partial(_tell_how_to_go_on, _LOST, bootstrap_server, plan)

    async def work(admin: AdminClient) -> Verified | None:
        wanted = given if given is not None else await what_is_there(admin)
        if wanted is None:
            return None
        await running.settle(admin, wanted, render.note)
        return await _watch(admin, wanted, lost, limit=watch_limit)

    found = _interruptible(bootstrap_server, work, request_timeout, plan, controller_wait)
    if as_json:
        nothing = {"version": 1, "complete": True, "partitions": [], "moves": []}
        print(json.dumps(nothing if found is None else view.document(found)))
    elif found is None:
        view.show_active({}, None)
    else:
        view.show(found)
    if found is not None:
        _end_of_watch(found, bootstrap_server, plan)


@app.command()
def verify(
    bootstrap_server: Bootstrap,
    plan: PlanFile,
    preserve_throttles: Annotated[
        bool, typer.Option("--preserve-throttles", help="Leave throttles as they are.")
    ] = False,
    clear_throttles: Annotated[
        bool, typer.Option("--clear-throttles", help="Remove all, also those of other runs.")
    ] = False,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Show the progress of a plan; if nothing is in progress, restore throttles.

    Restores those that `spindle reassign execute` set on this machine. --clear-throttles removes
    all, as kafka-reassign-partitions does. Exit code 0 if everything is where the plan wants
    it, else 1.
    """
    wanted = parse_plan(read_text(plan))
    lines: list[str] = []

    async def work(admin: AdminClient) -> Verified:
        await running.settle(admin, wanted, render.note)
        found = await running.look(admin, wanted)
        if not found.active and not preserve_throttles:
            lift = limits.clear if clear_throttles else limits.put_back
            await lift(admin, wanted, lines.append)
        return found

    found = with_admin(bootstrap_server, work, timeout=request_timeout)
    if as_json:
        print(json.dumps(view.document(found)))
    else:
        view.show(found)
        for line in lines:
            render.say(line)
    _exit(found)


@app.command()
def cancel(
    bootstrap_server: Bootstrap,
    plan: PlanFile,
    preserve_throttles: Annotated[
        bool, typer.Option("--preserve-throttles", help="Leave throttles as they are.")
    ] = False,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Cancel the moves of a plan that are in progress; completed ones stay. Restores throttles."""
    wanted = parse_plan(read_text(plan))
    say: running.Say = (lambda line: None) if as_json else render.say

    async def work(admin: AdminClient) -> Verified:
        await running.settle(admin, wanted, render.note)
        lift = None if preserve_throttles else limits.put_back
        await running.cancel(admin, wanted, say, lift=lift)
        return await running.look(admin, wanted)

    found = with_admin(bootstrap_server, work, timeout=request_timeout)
    if as_json:
        print(json.dumps(view.document(found)))


@app.command("list")
def list_(
    bootstrap_server: Bootstrap, as_json: AsJson = False, request_timeout: TimeLimit = 30.0
) -> None:
    """List all reassignments and moves between directories that are in progress."""

    async def work(
        admin: AdminClient,
    ) -> tuple[dict[TopicPartition, Reassignment], Verified | None]:
        active = await admin.list_partition_reassignments()
        wanted = await what_is_there(admin)
        return active, None if wanted is None else await running.look(admin, wanted)

    active, moves = with_admin(bootstrap_server, work, timeout=request_timeout)
    if as_json:
        print(json.dumps(view.active_document(active, moves)))
    else:
        view.show_active(active, moves)


async def _watch(
    admin: AdminClient,
    plan: ReassignmentPlan,
    lost: Callable[[], None],
    before: Mapping[Replica, bool] | None = None,
    limit: float | None = None,
) -> Verified:
    """`lost`: called where the cluster can no longer be watched, before its failure is raised."""
    try:
        found = await watch_plan(admin, plan, before, limit)
    except (Failure, Refusal):
        lost()
        raise
    if not found.active:
        await limits.put_back(admin, plan, render.note)
    return found


def _interruptible(
    bootstrap: Bootstrap,
    work: Callable[[AdminClient], Awaitable[T]],
    timeout: float,
    plan: Path | None,
    outlast: float,
) -> T:
    """Run `work`; on Ctrl-C say that the cluster continues, and how to stop it."""

    async def run() -> T:
        async with bootstrap.client(timeout, outlasting(outlast)) as admin:
            return await work(admin)

    try:
        return run_to_end(run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        _tell_how_to_go_on("Interrupted.", bootstrap, plan)
        raise typer.Exit(130) from None


def _tell_how_to_go_on(why: str, bootstrap: Bootstrap, plan: Path | None) -> None:
    lines = [
        f"{why} What has started continues in the cluster, with its throttles.",
        f"  resume watching:   {_command('watch', bootstrap, plan)}",
    ]
    if plan is not None:
        lines.append(f"  stop it:           {_command('cancel', bootstrap, plan)}")
    render.note("\n".join(lines))


def _command(verb: str, bootstrap: Bootstrap, plan: Path | None) -> str:
    return f"spindle reassign {verb} {bootstrap.options}" + ("" if plan is None else f" {plan}")


def _end_of_watch(found: Verified, bootstrap: Bootstrap, plan: Path | None) -> None:
    if found.active and not found.complete:
        _tell_how_to_go_on("The time to watch is over.", bootstrap, plan)
    _exit(found)


def _exit(found: Verified) -> None:
    if not found.complete:
        raise typer.Exit(1)
