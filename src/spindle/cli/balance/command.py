"""`spindle balance`: even out disks and brokers of any Kafka cluster, and see what is to come.

spindle balance plan  -b localhost:9092 -o plan.json --report plan.html
spindle balance apply -b localhost:9092 plan.json --throttle 50000000
spindle balance watch -b localhost:9092
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from spindle.cli import render
from spindle.cli.balance import ending, past, report, runs
from spindle.cli.balance.balance_journal import GivenOptions, RunOptions
from spindle.cli.balance.options import (
    Between,
    Capacity,
    DiskThrottle,
    Drain,
    Exclude,
    ExcludeTopicPartitions,
    ExcludeTopics,
    FreeFloor,
    HighMark,
    History,
    Leaders,
    Least,
    LeastBenefit,
    MaxBytes,
    MaxMoves,
    MendRacks,
    MovesPerBroker,
    MovesPerDisk,
    Output,
    RateTolerance,
    Report,
    Throttle,
    Tolerance,
    TopicPartitions,
    Topics,
    UseSpark,
    selected,
    wanted,
)
from spindle.cli.balance.proposing import PlanOrder, proposed
from spindle.cli.connecting import (
    CONTROLLER_WAIT,
    AsJson,
    Bootstrap,
    ControllerWait,
    outlasting,
    read_text,
    run_to_end,
    with_admin,
    written,
)
from spindle.cli.exits import End
from spindle.cli.spark import SparkRemote
from spindle.client.admin import AdminClient
from spindle.model.errors import Unusable
from spindle.pipeline.proposal import document, led, parse
from spindle.planning.budget import PlanBudget
from spindle.planning.duration import CopyRates

T = TypeVar("T")

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help=__doc__.split("\n")[0]
)
app.command()(past.history)
app.command()(past.forecast)
app.command("what-if")(past.what_if)
app.command()(runs.runs)
app.command()(runs.undo)
app.command()(runs.pause)
app.command()(runs.resume)
app.command()(runs.pace)


@app.command()
def plan(
    bootstrap_server: Bootstrap,
    tolerance: Tolerance = 0.05,
    high_mark: HighMark = 0.9,
    free_floor: FreeFloor = 0,
    drain: Drain = None,
    exclude: Exclude = None,
    topics: Topics = None,
    exclude_topics: ExcludeTopics = None,
    topic_partitions: TopicPartitions = None,
    exclude_topic_partitions: ExcludeTopicPartitions = None,
    least: Least = None,
    max_moves: MaxMoves = None,
    max_bytes: MaxBytes = None,
    least_benefit: LeastBenefit = None,
    capacity: Capacity = None,
    moves_per_disk: MovesPerDisk = 1,
    moves_per_broker: MovesPerBroker = 0,
    between: Between = False,
    mend_racks: MendRacks = False,
    rate_tolerance: RateTolerance = None,
    leaders: Leaders = False,
    throttle: Throttle = None,
    disk_throttle: DiskThrottle = None,
    ahead: past.Ahead = 0.0,
    history: History = "spindle-history",
    output: Output = None,
    html: Report = None,
    spark: UseSpark = None,
    spark_remote: SparkRemote = None,
    as_json: AsJson = False,
) -> None:
    """Sample the cluster and plan which replicas go to which disk. Changes nothing in it.

    The plan (--output, or the JSON of --json) is for `spindle balance apply`; it is also a
    reassignment file of kafka-reassign-partitions. The history keeps each sample, for `forecast`
    and `what-if`. Spark plans where the history counts, and large clusters. Copies that no disk
    shows, and what another party reassigns, count as the metadata has them. Exit code 1: the space
    of a disk is not known, a disk cannot be drained, or the user may not see a topic; 4: there is
    nothing to move; 6: a broker did not answer.
    """
    asked = wanted(
        tolerance, high_mark, free_floor, drain, exclude, moves_per_disk, moves_per_broker, between,
        rate_tolerance, leaders,
        selected(topics, exclude_topics, topic_partitions, exclude_topic_partitions), least,
        mend_racks, CopyRates(throttle, disk_throttle),
        PlanBudget(max_moves, max_bytes, least_benefit), capacity,
    )  # fmt: skip
    order = PlanOrder(bootstrap_server, asked, ahead, history, spark_remote, spark)
    proposal, replicas, live = proposed(order)
    if leaders:
        proposal = led(proposal, replicas, [b for b in live if str(b) not in asked.drain])
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
    despite: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Go on in spite of this: an offline BROKER:PATH, a BROKER that gives no answer "
            "(its moves are left out), a TOPIC-PARTITION that is not in sync, `under-replicated`, "
            "`reassignments`; may be repeated.",
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done, and what stands against it.")
    ] = False,
    on_end: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND|URL", help="At the end run this, or post to it: JSON of the outcome."
        ),
    ] = None,
    as_json: AsJson = False,
    controller_wait: ControllerWait = CONTROLLER_WAIT,
) -> None:
    """Carry out a plan: move replicas, show progress, plan again if sizes have changed, verify.

    Relieves the fullest disks first and fills no disk beyond the plan's high mark. Restores the
    throttles at the end. Ctrl-C (SIGTERM) cancels the moves in progress. After a kill or a reboot,
    run it again without PLAN to resume; `spindle balance watch` shows the run, `pause`, `resume`
    and `pace` steer it, `cancel` ends it. A broker whose directory fails, whose move stands still
    or whose replicas fall out of sync is stopped. Exit code 1: a replica is not where the plan
    wants it; 4: there was nothing to move; 5: the cluster is not well (--despite).
    """
    from spindle.cli.balance import applying as running

    text = None if plan is None else read_text(plan)
    proposal = None if text is None else parse(text, str(plan))
    if proposal is not None and not proposal.changes:
        render.note(report.headline(proposal))
    asked = GivenOptions(moves_per_disk, moves_per_broker, throttle, disk_throttle)
    spite = tuple(despite or ())
    if dry_run:
        _rehearse(bootstrap_server, text, asked, spite, as_json)
        return
    with _told_at_end(on_end) as note_end, render.transfers("moving") as tell:
        outcome = _interruptible(
            bootstrap_server,
            lambda admin: running.apply(
                admin, text, asked, lambda progress: tell(progress.disks), render.note, spite
            ),
            controller_wait,
        )
        note_end(report.outcome_document(outcome))
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


def _rehearse(
    cluster: Bootstrap,
    text: str | None,
    asked: GivenOptions,
    despite: tuple[str, ...],
    as_json: bool,
) -> None:
    """What `apply` would do, and Declined where something stands against it."""
    from spindle.cli.balance.run_throttles import CopyLimits, RunThrottles, crosses
    from spindle.cli.balance.starting import Rehearsal, rehearsed
    from spindle.cli.reassign.reassignment_plan import parse_plan

    if text is None:
        raise Unusable("--dry-run: name a plan file")
    plan, kafkas = parse(text), parse_plan(text)
    options = asked.over(RunOptions(*plan.wanted.limits, *plan.wanted.pace))

    async def work(admin: AdminClient) -> tuple[Rehearsal, CopyLimits]:
        found, health = await rehearsed(admin, plan, despite, render.note)
        silent = health.known.silent
        limited = RunThrottles(admin, kafkas, crosses(plan), render.note, silent)
        return found, await limited.rates(options.throttle if found.moves else None)

    found, (between, within) = with_admin(cluster, work)
    if as_json:
        limits = {"betweenBrokers": between, "betweenDirectories": within}
        told = {**found._asdict(), "options": vars(options), "limits": limits}
        print(json.dumps({"version": 1, **told}))
    else:
        report.show_rehearsal(found, options)
    if not found.moves and not found.leaders:
        raise typer.Exit(End.NOTHING)


@contextmanager
def _told_at_end(on_end: str | None) -> Iterator[Callable[[Mapping[str, object]], None]]:
    """Tell others how the block ended; it says its outcome by what this gives."""
    if on_end is None:
        yield lambda outcome: None
        return
    ending.check(on_end)
    ended: dict[str, object] = {"version": 1, "ended": "failed", "complete": False}
    try:
        yield lambda outcome: ended.update(outcome, ended="done")
    except typer.Exit:
        ended["ended"] = "interrupted"
        raise
    except Exception as error:
        ended["why"] = str(error)
        raise
    finally:
        ending.tell(on_end, ended)


def _interruptible(
    bootstrap: Bootstrap, work: Callable[[AdminClient], Awaitable[T]], outlast: float = 0.0
) -> T:
    """Run `work` so that a signal ends it by its own cleaning up."""

    async def run() -> T:
        async with bootstrap.client(outlasting=outlasting(outlast)) as admin:
            return await work(admin)

    try:
        return run_to_end(run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        render.note(
            "Interrupted: moves in progress were cancelled and the throttles restored. Completed"
            f" moves stay. To resume: spindle balance apply {bootstrap.options} PLAN"
        )
        raise typer.Exit(130) from None
