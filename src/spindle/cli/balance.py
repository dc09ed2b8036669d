"""`spindle balance`: samples a cluster's disks, plans on Spark, moves replicas, verifies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spindle.cli import balance_report, render

if TYPE_CHECKING:
    from spindle.pipeline.execute import Outcome
    from spindle.pipeline.job import Proposal


def balance(
    bootstrap_server: Annotated[
        str, typer.Option(help="host:port of brokers, of any Kafka cluster from 3.3 on.")
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Stop at the plan.")] = False,
    tolerance: Annotated[
        float, typer.Option(min=0.0, max=0.5, help="How far from a broker's mean is even enough.")
    ] = 0.05,
    high_mark: Annotated[
        float, typer.Option(min=0.1, max=1.0, help="No disk is filled above this share, ever.")
    ] = 0.9,
    drain: Annotated[
        list[str] | None, typer.Option(help="Empty this directory: BROKER:PATH; may be repeated.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(help="Move nothing into this directory: BROKER:PATH.")
    ] = None,
    moves_per_disk: Annotated[int, typer.Option(min=1, help="Moves of one disk at once.")] = 1,
    throttle: Annotated[
        int | None, typer.Option(min=1, help="Bytes/s that a broker may copy; put back at the end.")
    ] = None,
    history: Annotated[
        Path, typer.Option(help="Where samples are kept, as Parquet by day.")
    ] = Path("spindle-history"),
    output: Annotated[
        Path | None, typer.Option(help="Write the plan here, for kafka-reassign-partitions.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write a page with a picture of the disks here (HTML).")
    ] = None,
    spark_remote: Annotated[
        str | None, typer.Option(help="sc://host:port of a Spark Connect server; local else.")
    ] = None,
    json_output: Annotated[
        bool, typer.Option("--json", help="JSON on stdout, for scripts.")
    ] = False,
) -> None:
    """Even out the disks of each broker: sample, plan, move, verify.

    Works on Apache Kafka and on Spindle alike, over the network only. Without Java on this
    machine the one from PyPI is used. Ctrl-C takes back the moves that are under way. Exit code 1:
    something did not end where the plan wants it.
    """
    try:
        from spindle.pipeline.job import propose
        from spindle.pipeline.session import session
    except ImportError as error:
        render.fail(
            f"{error.name} is missing: install the pipeline with pip install 'spindle[spark]'"
        )
    from spindle.cli.connecting import run_to_end, with_admin
    from spindle.planning.load import Band

    # First of all, because Spark takes its time to start and says such things in many words.
    with_admin(bootstrap_server, lambda admin: admin.describe_cluster())
    with render.waiting("Spark starts"):
        spark = session("spindle balance", spark_remote)
    with render.waiting("sampling and planning"):
        proposal = propose(
            spark,
            bootstrap_server,
            history.absolute(),
            Band(tolerance, high_mark),
            drain or (),
            exclude or (),
            moves_per_disk,
        )
    spark.stop()
    try:
        document, outcome = run_to_end(_act(bootstrap_server, proposal, dry_run, throttle, output))
        if report is not None:
            text = balance_report.page(bootstrap_server, proposal, outcome)
            report.write_text(text, encoding="utf-8")
    except OSError as error:
        render.fail(str(error))
    if json_output:
        print(json.dumps(balance_report.summary(proposal, document, outcome)))
    else:
        balance_report.show(proposal, outcome)
    if proposal.silent or (outcome is not None and not outcome.complete):
        raise typer.Exit(1)


async def _act(
    bootstrap: str, proposal: Proposal, dry_run: bool, throttle: int | None, output: Path | None
) -> tuple[dict[str, Any], Outcome | None]:
    from spindle.client.admin import AdminClient
    from spindle.pipeline.execute import execute, verify
    from spindle.planning.reassignment import reassignment

    async with AdminClient(bootstrap) as admin:
        topics = await admin.list_topics(internal=True)
        replicas = {
            (name, partition.partition): partition.replicas
            for name, topic in topics.items()
            for partition in topic.partitions
        }
        document = reassignment(proposal.moves, replicas)
        if output is not None:
            output.write_text(json.dumps(document) + "\n")
        if dry_run or not proposal.moves:
            return document, None
        with render.transfer("moving", proposal.bytes_moved) as bar:
            outcome = await execute(
                admin, proposal.waves, lambda progress: bar(progress.done_bytes), throttle
            )
        return document, outcome.verified(await verify(admin, outcome.done))
