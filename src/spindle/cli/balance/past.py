"""`spindle balance history`, `forecast`, `what-if`: what samples tell, no cluster asked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from spindle.cli import render
from spindle.cli.balance import outlook, report
from spindle.cli.balance.options import (
    Between,
    Capacity,
    Drain,
    Exclude,
    ExcludeTopicPartitions,
    ExcludeTopics,
    FreeFloor,
    HighMark,
    History,
    Least,
    MendRacks,
    RateTolerance,
    Report,
    Tolerance,
    TopicPartitions,
    Topics,
    home_of,
    selected,
    wanted,
)
from spindle.cli.balance.spark_need import keep, small_history, spark_need
from spindle.cli.connecting import AsJson, Bootstrap, with_admin, written
from spindle.cli.exits import End
from spindle.cli.sizes import size_of
from spindle.cli.spark import SparkRemote, spark_session
from spindle.model.errors import Failure, Refusal, Unusable
from spindle.pipeline import sampling
from spindle.pipeline.proposal import PlanRequest, document
from spindle.planning.amounts import counted

if TYPE_CHECKING:
    from spindle.pipeline.forecast import Filling
    from spindle.pipeline.history_summary import DirectoryHistory
    from spindle.pipeline.what_if import Answer, NewDisk

Ahead = Annotated[
    float,
    typer.Option(min=0.0, metavar="DAYS", help="Plan for the load in so many days, by growth."),
]
Window = Annotated[
    float,
    typer.Option(
        "--days", min=0.0, metavar="DAYS", help="Days of history from which growth is computed."
    ),
]


def history(
    bootstrap_server: Bootstrap | None = None,
    every: Annotated[
        float | None,
        typer.Option(min=1.0, metavar="SECONDS", help="Keep sampling, at this interval."),
    ] = None,
    history: History = "spindle-history",
    compact: Annotated[
        bool, typer.Option("--compact", help="Merge the files of each past day into one.")
    ] = False,
    spark_remote: SparkRemote = None,
    as_json: AsJson = False,
) -> None:
    """Sample a cluster's disks, and list the samples that are kept.

    With -b it takes a sample now; with --every it keeps sampling until Ctrl-C (as a service). From
    cron, leave --every out. A sample is each broker's report of its directories and replicas. Base
    a forecast on a week of hourly samples.
    """
    if bootstrap_server is None and every is not None:
        raise Unusable("--every samples a cluster: name it with --bootstrap-server")
    compacting = "--compact sorts whole days" if compact else None
    why = spark_need(spark_remote, history) or compacting
    if why is None and bootstrap_server is not None:
        _sample_here(bootstrap_server, history, every)
    found = small_history(history) if why is None else None
    if found is not None:
        from spindle.pipeline.history import files as kept
        from spindle.pipeline.small_history import summary as summed

        rows, files = summed(found), kept(home_of(history))
    else:
        render.note(f"Spark reads the history: {why or 'it is large'}")
        sampled = None if why is None else bootstrap_server
        rows, files = _on_spark(spark_remote, sampled, history, every, compact)
    if as_json:
        print(json.dumps({"version": 1, "files": len(files), "directories": rows}))
        return
    if not rows:
        render.say(f"There is no history in {history}: take a sample with -b HOST:PORT.")
        return
    render.table(
        f"{counted(rows[0]['samples'], 'sample')} in {counted(len(files), 'file')}",
        ("broker", "directory", "first", "last", "samples", "was", "is", "replicas"),
        [
            (
                str(r["broker"]), r["logDir"], r["first"], r["last"], str(r["samples"]),
                render.size(r["was"]), render.size(r["is"]), str(r["replicas"]),
            )
            for r in rows
        ],
    )  # fmt: skip


def forecast(
    history: History = "spindle-history",
    days: Window = 14.0,
    high_mark: Annotated[
        float,
        typer.Option(min=0.1, max=1.0, metavar="SHARE", help="The share that the page marks."),
    ] = 0.9,
    html: Report = None,
    spark_remote: SparkRemote = None,
    as_json: AsJson = False,
) -> None:
    """Forecast from the history which disk fills first, and when.

    Growth is that of the replicas now on a disk; moves, bulk loads and new topics do not count as
    growth. Four of five times a disk should be full between the two days that are named; they
    assume that the coming days differ as those of the history do. With less than two days of
    history, or less than 8 samples, nothing is forecast. To act in time: `spindle balance plan
    --ahead DAYS`. Exit code 1: a disk is full; 6: there is no history, or too little.
    """
    with spark_session("spindle balance forecast", spark_remote, warm=True) as spark:
        from spindle.pipeline.forecast import forecast as told
        from spindle.pipeline.past_samples import course
        from spindle.pipeline.spark_messages import in_few_words

        with in_few_words("forecast"), render.waiting("reading the history"):
            fillings = told(course(spark, home_of(history), days))
    if html is not None:
        from spindle.cli.balance.page import forecast_page

        written(html, forecast_page(fillings, high_mark))
    if as_json:
        print(json.dumps({"version": 1, "directories": [outlook.document(f) for f in fillings]}))
    else:
        _show(fillings, history)
    if (end := _end(fillings)) is not End.DONE:
        raise typer.Exit(end)


def _end(fillings: Sequence[Filling]) -> End:
    """How a forecast ends: without enough history nothing is known, neither good nor bad."""
    if any(f.full for f in fillings):
        return End.FAILED
    return End.DONE if any(f.course is not None for f in fillings) else End.UNKNOWN


def what_if(
    add: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BROKER:PATH=SIZE",
            help="Add a disk, e.g. 1:/disk4=4T; may be repeated. With --between-brokers the broker "
            "may be new.",
        ),
    ] = None,
    drain: Drain = None,
    lose: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BROKER:PATH",
            help="Lose this disk, or with --between-brokers a BROKER; may be repeated.",
        ),
    ] = None,
    exclude: Exclude = None,
    topics: Topics = None,
    exclude_topics: ExcludeTopics = None,
    topic_partitions: TopicPartitions = None,
    exclude_topic_partitions: ExcludeTopicPartitions = None,
    capacity: Capacity = None,
    least: Least = None,
    between: Between = False,
    mend_racks: MendRacks = False,
    rack: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BROKER=RACK",
            help="The rack of a broker, which the history lacks; may be repeated.",
        ),
    ] = None,
    ahead: Ahead = 0.0,
    tolerance: Tolerance = 0.05,
    high_mark: HighMark = 0.9,
    free_floor: FreeFloor = 0,
    rate_tolerance: RateTolerance = None,
    history: History = "spindle-history",
    html: Report = None,
    spark_remote: SparkRemote = None,
    as_json: AsJson = False,
) -> None:
    """Plan for a cluster with disks or brokers added, drained or lost. Touches no cluster.

    Uses the newest samples of the history. Exit code 1: no such plan exists, or the space of a disk
    is unknown (the text says why); 4: there is nothing to move; 6: there is no history.
    """
    disks = [_new_disk(text) for text in add or ()]
    asked = wanted(
        tolerance, high_mark, free_floor, drain, exclude, 1, 0, between, rate_tolerance,
        selection=selected(topics, exclude_topics, topic_partitions, exclude_topic_partitions),
        least=least, mend_racks=mend_racks, capacity=capacity,
    )  # fmt: skip
    racks = _racks(rack or ())
    found = _answer(asked, history, disks, lose or (), ahead, racks, spark_remote)
    if html is not None:
        from spindle.cli.balance.page import plan_page

        written(html, plan_page("What if", found.proposal, found.against))
    if as_json:
        told = {"possible": found.possible, "against": list(found.against)}
        print(json.dumps({**document(found.proposal), **told}))
    else:
        report.show(found.proposal, found.lost, found.against)
        for line in found.against:
            render.warn(f"no such plan exists: {line}")
    if not (found.possible and found.proposal.done):
        raise typer.Exit(End.FAILED)
    if not found.proposal.changes:
        raise typer.Exit(End.NOTHING)


def _answer(
    asked: PlanRequest,
    history: str,
    disks: Sequence[NewDisk],
    lose: Sequence[str],
    ahead: float,
    racks: dict[int, str],
    remote: str | None,
) -> Answer:
    why = spark_need(remote, history, ahead, asked.band.rate_tolerance)
    samples = small_history(history) if why is None else None
    from spindle.pipeline.what_if import Changes, NoHistory, what_if_here
    from spindle.pipeline.what_if import what_if as answer

    changes = Changes(tuple(disks), tuple(lose), ahead, racks)
    try:
        if samples is not None:
            from spindle.pipeline.small_history import newest

            if not len(samples):
                raise NoHistory(home_of(history))
            return what_if_here(newest(samples), asked, changes)
        render.note(f"Spark plans: {why or 'the history is large'}")
        with (
            spark_session("spindle balance what-if", remote, warm=True) as spark,
            render.waiting("planning"),
        ):
            return answer(spark, home_of(history), asked, changes)
    except NoHistory as error:
        render.fail(str(error), End.UNKNOWN)


def _on_spark(
    remote: str | None,
    cluster: Bootstrap | None,
    history: str,
    every: float | None,
    compact: bool,
) -> tuple[list[DirectoryHistory], list[str]]:
    """Sample, compact and list, all of it on Spark."""
    if cluster is not None:
        with_admin(cluster, lambda admin: admin.describe_cluster())
    with spark_session("spindle balance history", remote, warm=True) as spark:
        from spindle.pipeline import history as keeping
        from spindle.pipeline.forecast import summary
        from spindle.pipeline.job import sample
        from spindle.pipeline.spark_messages import in_few_words

        home = home_of(history)

        def take(of: Bootstrap) -> str | None:
            return sample(spark, of.servers, home, of.security)

        if cluster is not None:
            _sampling(partial(take, cluster), every)
        if compact:
            with in_few_words("compact the history"):
                keeping.compact(spark, home)
        with in_few_words("read the history"), render.waiting("reading the history"):
            rows = summary(keeping.read(spark, home))
        return rows, keeping.files(home, spark)


def _sample_here(cluster: Bootstrap, history: str, every: float | None) -> None:
    _sampling(lambda: keep(with_admin(cluster, sampling.take), history), every)


def _sampling(take: Callable[[], str | None], every: float | None) -> None:
    """Sample once, or at an interval until Ctrl-C.

    Once there was a sample, one that fails does not end the others: it is a service.
    """
    has_sampled = False
    while True:
        began = time.monotonic()
        try:
            file = take()
        except (Failure, Refusal, Unusable, OSError) as failure:
            if not has_sampled:
                raise
            render.warn(f"no sample this time: {failure}")
        else:
            has_sampled = True
            render.note(f"sampled: {file}" if file else "no broker is registered")
        if every is None:
            return
        time.sleep(max(0.0, began + every - time.monotonic()))


def _new_disk(text: str) -> NewDisk:
    from spindle.pipeline.what_if import NewDisk

    place, _, size = text.rpartition("=")
    broker, _, path = place.partition(":")
    room = size_of(size)
    if not (broker.isdigit() and path and room is not None):
        raise Unusable(f"--add {text!r}: write BROKER:PATH=SIZE, e.g. 1:/disk4=4T or =500G")
    return NewDisk(int(broker), path, room)


def _racks(told: Sequence[str]) -> dict[int, str]:
    pairs = [text.partition("=") for text in told]
    for broker, _, name in pairs:
        if not (broker.isdigit() and name):
            raise Unusable(f"--rack {broker!r}: write BROKER=RACK, e.g. 4=rack-b")
    return {int(broker): name for broker, _, name in pairs}


def _show(fillings: Sequence[Filling], home: str) -> None:
    if not fillings:
        render.warn(f"there is no history in {home}: take samples with `spindle balance history`")
        return
    title = "Log directories, the one that fills first on top"
    render.table(title, outlook.COLUMNS, [outlook.row(f) for f in fillings])
    for f in fillings:
        if f.lacking and any(other.course for other in fillings):
            render.say(f"broker {f.broker} {f.path}: {f.lacking}")
    render.say(f"{outlook.headline(fillings)}.")
