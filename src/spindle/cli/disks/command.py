"""`spindle disks`: each log directory's health and history; probe, replace, cordon, drain them.

spindle disks -b localhost:9092
spindle disks drain -b localhost:9092 1 /disk3/kafka
spindle disks offline -b localhost:9092 1 /disk3/kafka      (then change the disk)
spindle disks replace -b localhost:9092 1 /disk3/kafka
"""

from __future__ import annotations

import asyncio
import json
import shlex
from typing import Annotated

import typer

from spindle.cli import render
from spindle.cli.connecting import (
    CONTROLLER_WAIT,
    NOT_NAMED,
    AsJson,
    Bootstrap,
    BrokerList,
    ControllerWait,
    TimeLimit,
    outlasting,
    run_to_end,
    with_admin,
)
from spindle.cli.disks import disk_tables, draining
from spindle.cli.disks.draining import Drained
from spindle.cli.disks.ordering import OrderResult, cordon, full_path, look, order
from spindle.cli.exits import End
from spindle.cli.reassign.reassignment_plan import parse_brokers
from spindle.client.admin import AdminClient
from spindle.client.results import DiskOrder
from spindle.model.ids import LogDir, NodeId

app = typer.Typer(add_completion=False, rich_markup_mode=None)

Broker = Annotated[int, typer.Argument(metavar="BROKER", help="The broker's id.")]
Directory = Annotated[
    str, typer.Argument(metavar="DIRECTORY", help="Its path, or an end of it that no other has.")
]
Wait = Annotated[
    float,
    typer.Option(min=0, metavar="SECONDS", help="Seconds to wait until the directory serves."),
]


@app.callback(invoke_without_command=True)
def disks(
    context: typer.Context,
    bootstrap_server: Bootstrap = NOT_NAMED,
    broker_list: BrokerList = "",
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Show every log directory: id, state, space, replicas, moves, and the reason.

    States: online, slow, full, cordoned, draining, offline, failed, hung. With Apache Kafka's
    brokers: online, offline, cordoned, draining. A broker that is down has a row.
    Exit code 1: a directory is failed, offline or hung, or has replicas that cannot be read; 6:
    none is found so, but a broker is down or does not answer.
    """
    if context.invoked_subcommand is not None:
        return
    if bootstrap_server == NOT_NAMED:
        raise typer.BadParameter("name a broker of the cluster: -b host:port", param_hint="-b")

    async def work(admin: AdminClient) -> disk_tables.ObservedDirectories:
        return await look(admin, parse_brokers(broker_list))

    seen = with_admin(bootstrap_server, work, timeout=request_timeout)
    if as_json:
        print(json.dumps(disk_tables.document(seen)))
    else:
        disk_tables.show(seen)
    for broker, failure in seen.silent.items():
        render.warn(f"broker {broker} was left out: {failure}")
    if not all(disk.well for disk in seen.disks):
        raise typer.Exit(End.FAILED)
    if seen.silent:
        raise typer.Exit(End.UNKNOWN)


@app.command()
def history(
    bootstrap_server: Bootstrap,
    broker_list: BrokerList = "",
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Show the events of each directory since its broker started, with time and reason."""

    async def work(admin: AdminClient) -> disk_tables.ObservedDirectories:
        return await look(admin, parse_brokers(broker_list))

    seen = with_admin(bootstrap_server, work, timeout=request_timeout)
    if as_json:
        print(json.dumps(disk_tables.events_document(seen)))
    else:
        disk_tables.show_events(seen)
    for broker_id, failure in seen.silent.items():
        render.warn(f"broker {broker_id} was left out: {failure}")
    if seen.silent:
        raise typer.Exit(End.UNKNOWN)


@app.command()
def probe(
    bootstrap_server: Bootstrap,
    broker: Broker,
    directory: Directory,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Let a broker write to a directory, sync and read back now. Exit code 1 if that fails.

    Works for a failed directory, too. If it answers, the broker opens it after a few seconds,
    unless it was taken offline or has failed too often; then use `online`.
    """
    _order(bootstrap_server, broker, directory, DiskOrder.PROBE, as_json, request_timeout)


@app.command()
def offline(
    bootstrap_server: Bootstrap,
    broker: Broker,
    directory: Directory,
    force: Annotated[
        bool, typer.Option("--force", help="Also if partitions lose their last live replica.")
    ] = False,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Take a directory offline: the broker closes its files, and its disk can be changed.

    Other brokers take over as if the disk had failed. If partitions would lose their last live
    replica, the command refuses and names them (exit code 5): `drain` the directory first, or
    use --force. It stays offline until `online` or `replace`, or a restart.
    """
    _order(
        bootstrap_server,
        broker,
        directory,
        DiskOrder.OFFLINE,
        as_json,
        request_timeout,
        force=force,
    )


@app.command()
def online(
    bootstrap_server: Bootstrap,
    broker: Broker,
    directory: Directory,
    wait: Wait = 30.0,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Open a failed or offline directory again, with its logs, without a restart."""
    _order(bootstrap_server, broker, directory, DiskOrder.ONLINE, as_json, request_timeout, wait)


@app.command()
def replace(
    bootstrap_server: Bootstrap,
    broker: Broker,
    directory: Directory,
    wait: Wait = 30.0,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Adopt the blank disk that was put in the place of a failed or offline one.

    The disk must be mounted and empty (lost+found does not count); it gets an id of its own, and
    the broker copies the replicas of the old disk again from their leaders.
    """
    _order(bootstrap_server, broker, directory, DiskOrder.REPLACE, as_json, request_timeout, wait)


@app.command("cordon")
def cordon_(
    bootstrap_server: Bootstrap,
    broker: Broker,
    directory: Directory,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Keep new replicas out of a directory (KIP-1066); those in it stay and serve."""
    _cordon(bootstrap_server, broker, directory, True, request_timeout, as_json)


@app.command()
def uncordon(
    bootstrap_server: Bootstrap,
    broker: Broker,
    directory: Directory,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Allow new replicas in a directory again."""
    _cordon(bootstrap_server, broker, directory, False, request_timeout, as_json)


@app.command()
def drain(
    bootstrap_server: Bootstrap,
    broker: Broker,
    directory: Directory,
    cancel: Annotated[
        bool, typer.Option("--cancel", help="Stop a drain: cancel its moves and uncordon.")
    ] = False,
    then_offline: Annotated[
        bool, typer.Option("--offline", help="Take it offline when it is empty (Spindle only).")
    ] = False,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
    controller_wait: ControllerWait = CONTROLLER_WAIT,
) -> None:
    """Move every replica to the broker's other directories, until the disk is safe to pull.

    Cordons the directory, plans by free space, moves under the broker's own throttle, and watches
    until it is empty. Ctrl-C ends only the watching: the same command resumes it, and --cancel
    stops the moves. Exit code 0: safe to pull; 1: not safe, with the reason.
    """

    waits = outlasting(controller_wait)

    async def work() -> Drained:
        async with bootstrap_server.client(request_timeout, waits) as admin:
            path = await full_path(admin, broker, directory)
            if cancel:
                return await draining.cancel(admin, broker, path)
            done = await draining.drain(admin, broker, path, waits)
            if then_offline and done.safe:
                await order(admin, broker, path, DiskOrder.OFFLINE)
            return done

    try:
        drained = run_to_end(work())
    except (KeyboardInterrupt, asyncio.CancelledError):
        if not cancel:
            stop = f"drain --cancel {bootstrap_server.options} {broker} {shlex.quote(directory)}"
            render.note(
                "Interrupted. Moves in progress continue, and the cordon stays; the same command"
                f" goes on from there.\n  stop it:   spindle disks {stop}"
            )
        raise typer.Exit(End.INTERRUPTED) from None
    if as_json:
        print(json.dumps(drained.document()))
    else:
        for line in drained.lines():
            render.say(line)
    raise typer.Exit(0 if drained.safe or cancel else 1)


def _order(
    bootstrap: Bootstrap,
    broker: NodeId,
    given: LogDir,
    wanted: DiskOrder,
    as_json: bool,
    timeout: float,
    wait: float = 0.0,
    *,
    force: bool = False,
) -> None:
    async def work(admin: AdminClient) -> tuple[LogDir, OrderResult]:
        whole = await full_path(admin, broker, given)
        return whole, await order(admin, broker, whole, wanted, wait, force=force)

    path, told = with_admin(bootstrap, work, timeout=timeout)
    if as_json:
        document = {"broker": broker, "logDir": path, "order": wanted.name.lower()}
        print(json.dumps({**document, "outcome": told.words, "state": told.state}))
    else:
        render.say(told.words)
        if wait:
            why = f": {told.why}" if told.serves and told.why else ""
            render.say(f"{path} on broker {broker} is {told.state}{why}")
        if told.cordoned and wanted is not DiskOrder.PROBE:
            lift = f"uncordon {bootstrap.options} {broker} {shlex.quote(path)}"
            render.say(f"it is cordoned: spindle disks {lift}")
    if wait and not told.serves:
        render.fail(f"{path} on broker {broker} does not serve after {wait:.0f} s: {told.why}")


def _cordon(
    bootstrap: Bootstrap, broker: NodeId, path: LogDir, wanted: bool, timeout: float, as_json: bool
) -> None:
    async def work(admin: AdminClient) -> tuple[LogDir, ...]:
        return await cordon(admin, broker, await full_path(admin, broker, path), wanted)

    told = with_admin(bootstrap, work, timeout=timeout)
    if as_json:
        print(json.dumps({"broker": broker, "cordoned": list(told)}))
    elif told:
        is_or_are = "is" if len(told) == 1 else "are"
        render.say(f"broker {broker}: {', '.join(told)} {is_or_are} cordoned")
    else:
        render.say(f"broker {broker}: no directory is cordoned")
