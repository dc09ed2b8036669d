"""`spindle reassign`: plans in Kafka's JSON - made, executed, watched, verified, cancelled, listed.

spindle reassign generate -b localhost:9092 --topics orders --brokers 1,2,3 > plan.json
spindle reassign execute  -b localhost:9092 plan.json --watch
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Annotated, Any

import typer

from spindle.cli import reassignment_run as running
from spindle.cli import render
from spindle.cli.connecting import AsJson, Bootstrap, TimeLimit, read_text, with_admin
from spindle.cli.log_dirs import names
from spindle.cli.reassignment_plan import Plan, parse_brokers, parse_plan
from spindle.cli.reassignment_run import Options, Verified
from spindle.cli.reassignment_state import move_lines, partition_lines
from spindle.cli.watching import complete_replicas
from spindle.cli.watching import watch as watch_plan
from spindle.client.admin import AdminClient
from spindle.client.results import Replica

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help=__doc__.split("\n")[0]
)

PlanFile = Annotated[
    Path, typer.Argument(metavar="PLAN", help="The plan: JSON as of kafka-reassign-partitions.")
]


@app.command()
def generate(
    bootstrap_server: Bootstrap,
    topics: Annotated[str, typer.Option(help="Topics to spread, e.g. orders,events.")],
    brokers: Annotated[str, typer.Option(help="Brokers to spread them over, e.g. 1,2,3.")],
    rack_aware: Annotated[bool, typer.Option(help="Keep replicas on different racks.")] = True,
    seed: Annotated[int | None, typer.Option(help="For the same plan each time.")] = None,
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
        int | None, typer.Option(min=1, help="Bytes/s between brokers; verify removes it.")
    ] = None,
    move_throttle: Annotated[
        int | None, typer.Option(min=1, help="Bytes/s between directories of a broker.")
    ] = None,
    additional: Annotated[
        bool, typer.Option("--additional", help="Even if other reassignments are in progress.")
    ] = False,
    keep_replication_factor: Annotated[
        bool, typer.Option("--keep-replication-factor", help="Refuse a plan that changes it.")
    ] = False,
    timeout: Annotated[
        float, typer.Option(min=0, help="Seconds until all directories must be accepted.")
    ] = 10.0,
    watch: Annotated[bool, typer.Option("--watch", help="Show progress until it is done.")] = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Start a plan. Directories first, so that new replicas are created where they belong.

    With --watch it stays until the plan is complete, takes the throttles away and exits with 1 if
    something did not end where the plan wants it. Else: `spindle reassign verify`.
    """
    wanted = parse_plan(read_text(plan))
    options = Options(
        additional=additional,
        throttle=throttle,
        move_throttle=move_throttle,
        timeout_ms=round(timeout * 1000),
        allow_replication_factor_change=not keep_replication_factor,
    )

    async def work(admin: AdminClient) -> Verified | None:
        before = complete_replicas(await running.look(admin, wanted)) if watch else {}
        await running.execute(admin, wanted, options, render.say)
        return await _watch(admin, wanted, before) if watch else None

    _end(with_admin(bootstrap_server, work, timeout=request_timeout))


@app.command()
def watch(bootstrap_server: Bootstrap, plan: PlanFile, request_timeout: TimeLimit = 30.0) -> None:
    """Show a running plan's bytes, rate and time left until it is done."""
    wanted = parse_plan(read_text(plan))
    _end(with_admin(bootstrap_server, lambda admin: _watch(admin, wanted), timeout=request_timeout))


@app.command()
def verify(
    bootstrap_server: Bootstrap,
    plan: PlanFile,
    preserve_throttles: Annotated[
        bool, typer.Option("--preserve-throttles", help="Leave throttles as they are.")
    ] = False,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Tell how far a plan has come; when nothing is under way, remove its throttles.

    Exit code 0 if everything is where the plan wants it, else 1.
    """
    wanted = parse_plan(read_text(plan))
    lines: list[str] = []

    async def work(admin: AdminClient) -> Verified:
        return await running.verify(
            admin, wanted, lines.append, preserve_throttles=preserve_throttles
        )

    found = with_admin(bootstrap_server, work, timeout=request_timeout)
    if as_json:
        print(json.dumps(_as_json(found)))
    else:
        render.say("\n".join(lines))
    _exit(found)


@app.command()
def cancel(
    bootstrap_server: Bootstrap,
    plan: PlanFile,
    preserve_throttles: Annotated[
        bool, typer.Option("--preserve-throttles", help="Leave throttles as they are.")
    ] = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Stop what is under way of a plan; what has arrived stays."""
    wanted = parse_plan(read_text(plan))
    with_admin(
        bootstrap_server,
        lambda admin: running.cancel(
            admin, wanted, render.say, preserve_throttles=preserve_throttles
        ),
        timeout=request_timeout,
    )


@app.command("list")
def list_(
    bootstrap_server: Bootstrap, as_json: AsJson = False, request_timeout: TimeLimit = 30.0
) -> None:
    """List the reassignments in progress, of all partitions."""
    lines: list[str] = []
    active = with_admin(
        bootstrap_server,
        lambda admin: running.list_active(admin, lines.append),
        timeout=request_timeout,
    )
    if not as_json:
        render.say("\n".join(lines))
        return
    entries = [
        {
            "topic": name.topic,
            "partition": name.partition,
            "replicas": list(r.replicas),
            "adding": list(r.adding),
            "removing": list(r.removing),
        }
        for name, r in active.items()
    ]
    print(json.dumps({"version": 1, "reassignments": entries}))


async def _watch(
    admin: AdminClient, plan: Plan, before: Mapping[Replica, bool] | None = None
) -> Verified:
    await watch_plan(admin, plan, before)
    return await running.verify(admin, plan, lambda line: None)


def _end(found: Verified | None) -> None:
    if found is None:
        return
    for line in (*partition_lines(found.partitions)[1:], *move_lines(found.moves)):
        render.say(line)
    _exit(found)


def _exit(found: Verified) -> None:
    if not found.complete:
        raise typer.Exit(1)


def _as_json(found: Verified) -> dict[str, Any]:
    return {
        "version": 1,
        "complete": found.complete,
        "partitions": [
            {
                "topic": name.topic,
                "partition": name.partition,
                "replicas": list(state.current),
                "target": list(state.target),
                "active": state.active,
            }
            for name, state in found.partitions.items()
        ],
        "moves": [
            {
                "topic": replica.topic,
                "partition": replica.partition,
                "broker": replica.broker,
                "state": state.move.value,
                "target": state.target,
                "current": state.current,
                "future": state.future,
            }
            for replica, state in found.moves.items()
        ],
    }
