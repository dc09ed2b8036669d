"""`spindle balance`: even out disks and brokers of any Kafka cluster, and see what is to come.

spindle balance plan  -b localhost:9092 -o plan.json --report plan.html
spindle balance apply -b localhost:9092 plan.json --throttle 50000000
spindle balance watch -b localhost:9092
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from spindle.cli import render
from spindle.cli.balance import past, report
from spindle.cli.balance.options import (
    Between,
    DiskThrottle,
    Drain,
    Exclude,
    ExcludeTopics,
    FreeFloor,
    HighMark,
    History,
    Leaders,
    Least,
    MendRacks,
    MovesPerBroker,
    MovesPerDisk,
    Output,
    RateTolerance,
    Report,
    Throttle,
    Tolerance,
    home_of,
    wanted,
)
from spindle.cli.connecting import (
    AsJson,
    Bootstrap,
    read_text,
    run_to_end,
    with_admin,
    written,
)
from spindle.cli.exits import End
from spindle.cli.spark import SparkRemote, spark_session
from spindle.client.admin import AdminClient
from spindle.pipeline.proposal import document, led, parse
from spindle.planning.duration import CopyRates

if TYPE_CHECKING:
    from spindle.pipeline.cluster_columns import Racks
    from spindle.pipeline.proposal import ClusterProposal, PlanRequest
    from spindle.pipeline.session import Session

T = TypeVar("T")

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help=__doc__.split("\n")[0]
)
app.command()(past.history)
app.command()(past.forecast)
app.command("what-if")(past.what_if)


@app.command()
def plan(
    bootstrap_server: Bootstrap,
    tolerance: Tolerance = 0.05,
    high_mark: HighMark = 0.9,
    free_floor: FreeFloor = 0,
    drain: Drain = None,
    exclude: Exclude = None,
    exclude_topics: ExcludeTopics = None,
    least: Least = None,
    moves_per_disk: MovesPerDisk = 1,
    moves_per_broker: MovesPerBroker = 0,
    between: Between = False,
    mend_racks: MendRacks = False,
    rate_tolerance: RateTolerance = None,
    leaders: Leaders = False,
    throttle: Throttle = None,
    disk_throttle: DiskThrottle = None,
    ahead: Annotated[
        float,
        typer.Option(
            min=0.0, metavar="DAYS", help="Plan for the load in this many days, by its growth."
        ),
    ] = 0.0,
    history: History = "spindle-history",
    output: Output = None,
    html: Report = None,
    spark_remote: SparkRemote = None,
    as_json: AsJson = False,
) -> None:
    """Sample the cluster and plan which replicas go to which disk. Changes nothing in it.

    The plan (--output, or the JSON of --json) is for `spindle balance apply`; it is also a
    reassignment file of kafka-reassign-partitions. The history keeps each sample, for `forecast`
    and `what-if`. Exit code 1: a broker does not report the space of its disks, or a disk cannot
    be drained; 4: there is nothing to move; 6: a broker did not answer.
    """
    asked = wanted(
        tolerance, high_mark, free_floor, drain, exclude, moves_per_disk, moves_per_broker, between,
        rate_tolerance, leaders, exclude_topics, least, mend_racks,
        CopyRates(throttle, disk_throttle),
    )  # fmt: skip
    # First of all, because Spark takes its time to start and says such things in many words.
    cluster = with_admin(bootstrap_server, lambda admin: admin.describe_cluster())
    racks = {number: node.rack for number, node in cluster.brokers.items()}
    with spark_session("spindle balance plan", spark_remote) as spark:
        proposal = _proposed(spark, bootstrap_server, history, asked, ahead, racks)
    replicas = with_admin(bootstrap_server, _replicas)
    if leaders:
        may_lead = [b for b in sorted(racks) if str(b) not in asked.drain]
        proposal = led(proposal, replicas, may_lead)
    text = json.dumps(document(proposal, replicas))
    written(output, text + "\n")
    if html is not None:
        from spindle.cli.balance.page import plan_page

        written(html, plan_page(f"Disks of {bootstrap_server}", proposal))
    if as_json:
        print(text)
    else:
        report.show(proposal)
        report.show_limits(proposal)
        if proposal.changes:
            file = "PLAN" if output is None else str(output)
            hint = "" if output is not None else " (write it with --output PLAN)"
            render.say(f"Apply it:  spindle balance apply {bootstrap_server.options} {file}{hint}")
    if not proposal.done:
        raise typer.Exit(End.UNKNOWN if proposal.silent else End.FAILED)
    if not proposal.changes:
        raise typer.Exit(End.NOTHING)


@app.command()
def apply(
    bootstrap_server: Bootstrap,
    plan: Annotated[
        Path | None,
        typer.Argument(metavar="PLAN", help="The plan. Omit it to resume an interrupted run."),
    ] = None,
    throttle: Throttle = None,
    disk_throttle: DiskThrottle = None,
    moves_per_disk: Annotated[
        int | None, typer.Option(min=1, help="Concurrent moves of a disk. By default the plan's.")
    ] = None,
    moves_per_broker: Annotated[
        int | None,
        typer.Option(
            min=0, help="Concurrent moves of a broker; 0: no limit. By default the plan's."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Carry out a plan: move replicas, show progress, plan again if sizes have changed, verify.

    Relieves the fullest disks first and fills no disk beyond the plan's high mark. Restores the
    throttles at the end. Ctrl-C (SIGTERM) cancels the moves in progress. After a kill or a reboot,
    run it again without PLAN to resume; `spindle balance watch` shows the run, `spindle balance
    cancel` ends it. Partitions deleted since the plan are skipped. Exit code 1: a replica is not
    where the plan wants it; 4: there was nothing to move.
    """
    from spindle.cli.balance import applying as running
    from spindle.cli.balance.balance_journal import GivenOptions

    text = None if plan is None else read_text(plan)
    proposal = None if text is None else parse(text, str(plan))
    if proposal is not None and not proposal.changes:
        render.note(report.headline(proposal))
    asked = GivenOptions(moves_per_disk, moves_per_broker, throttle, disk_throttle)
    with render.transfers("moving") as tell:
        outcome = _interruptible(
            bootstrap_server,
            lambda admin: running.apply(
                admin, text, asked, lambda progress: tell(progress.disks), render.note
            ),
        )
    if as_json:
        print(json.dumps(report.outcome_document(outcome)))
    else:
        report.show_outcome(outcome)
    if not outcome.complete:
        raise typer.Exit(End.FAILED)
    if not outcome.moved and not outcome.led:
        raise typer.Exit(End.NOTHING)


@app.command()
def watch(
    bootstrap_server: Bootstrap,
    once: Annotated[bool, typer.Option("--once", help="Print the progress once and end.")] = False,
    as_json: AsJson = False,
) -> None:
    """Watch the plan that `apply` carries out on this machine, from another terminal.

    Shows bytes copied, rate and time left for each disk, and whether the process of `apply` was
    killed. --json prints the progress once. Exit code 1: the plan is not complete.
    """
    from spindle.cli.balance import applying as running

    async def work(admin: AdminClient) -> running.Watched | None:
        seen = await running.look_on(admin)
        with render.transfers("moving") as tell:
            while seen is not None and seen.alive and not (once or as_json):
                tell(seen.progress.disks)
                await asyncio.sleep(running.WATCH_SECONDS)
                seen = await running.look_on(admin)
        return seen

    seen = with_admin(bootstrap_server, work)
    if as_json:
        print(json.dumps(report.watched_document(seen)))
    else:
        report.show_watched(seen, bootstrap_server.options)
    if seen is not None and not seen.complete:
        raise typer.Exit(End.FAILED)


@app.command()
def cancel(bootstrap_server: Bootstrap, as_json: AsJson = False) -> None:
    """End a run that was killed: cancel its moves in progress and restore the throttles.

    Completed moves stay. End a run that is still alive with Ctrl-C (SIGTERM) in its terminal.
    """
    from spindle.cli.balance import applying as running

    outcome = _interruptible(bootstrap_server, lambda admin: running.cancel(admin, render.note))
    if as_json:
        print(json.dumps(report.outcome_document(outcome)))
    else:
        report.show_outcome(outcome)


def _proposed(
    spark: Session,
    cluster: Bootstrap,
    history: str,
    asked: PlanRequest,
    ahead: float,
    racks: Racks | None,
) -> ClusterProposal:
    from spindle.pipeline.job import propose

    home = home_of(history)
    with render.waiting("sampling and planning"):
        return propose(spark, cluster.servers, home, asked, ahead, racks, cluster.security)


async def _replicas(admin: AdminClient) -> dict[tuple[str, int], tuple[int, ...]]:
    topics = await admin.list_topics(internal=True)
    return {
        (name, partition.partition): partition.replicas
        for name, topic in topics.items()
        for partition in topic.partitions
    }


def _interruptible(bootstrap: Bootstrap, work: Callable[[AdminClient], Awaitable[T]]) -> T:
    """Run `work` so that a signal ends it by its own cleaning up."""

    async def run() -> T:
        async with bootstrap.client() as admin:
            return await work(admin)

    try:
        return run_to_end(run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        render.note(
            "Interrupted: moves in progress were cancelled and the throttles restored. Completed"
            f" moves stay. To resume: spindle balance apply {bootstrap.options} PLAN"
        )
        raise typer.Exit(130) from None
