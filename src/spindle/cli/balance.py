"""`spindle balance`: samples a cluster's disks, plans on Spark, moves replicas, verifies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spindle.cli import render

if TYPE_CHECKING:
    from spindle.pipeline.execute import Outcome
    from spindle.pipeline.job import Proposal


def balance(
    bootstrap_server: Annotated[
        str, typer.Option(help="host:port of brokers, of any Kafka cluster from 2.4 on.")
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
    except OSError as error:
        render.fail(str(error))
    if json_output:
        print(json.dumps(_summary(proposal, document, outcome)))
    else:
        _show(proposal, outcome)
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
        wrong = await verify(admin, outcome.done)
        if wrong:
            outcome = type(outcome)(
                tuple(m for m in outcome.done if m not in dict(wrong)),
                (*outcome.failed, *wrong),
                outcome.seconds,
            )
        return document, outcome


def _summary(
    proposal: Proposal, document: dict[str, Any], outcome: Outcome | None
) -> dict[str, Any]:
    return {
        "version": 1,
        "directories": [
            {
                "broker": d.broker, "logDir": d.path, "online": d.online,
                "capacity": d.capacity, "before": d.before, "after": d.after,
            }
            for d in proposal.directories
        ],
        "moves": len(proposal.moves),
        "bytes": proposal.bytes_moved,
        "boundBytes": proposal.bound,
        "notes": list(proposal.notes),
        "silentBrokers": {str(broker): why for broker, why in proposal.silent},
        "reassignment": document,
        "executed": None if outcome is None else {
            "done": len(outcome.done),
            "failed": [
                {"topic": m.topic, "partition": m.partition, "broker": m.broker, "reason": why}
                for m, why in outcome.failed
            ],
            "seconds": round(outcome.seconds, 3),
        },
    }  # fmt: skip


def _show(proposal: Proposal, outcome: Outcome | None) -> None:
    render.table(
        "Log directories",
        ("broker", "directory", "state", "now", "planned", "share of capacity"),
        [
            (
                str(d.broker),
                d.path,
                "online" if d.online else "OFFLINE",
                render.size(d.before),
                render.size(d.after),
                f"{d.before / d.capacity:.0%} -> {d.after / d.capacity:.0%}" if d.capacity else "-",
            )
            for d in proposal.directories
        ],
    )
    for broker, why in proposal.silent:
        render.warn(f"broker {broker} told nothing: {why}")
    for note in proposal.notes:
        render.say(note)
    if not proposal.moves:
        render.say("Nothing to move: every directory is within the band, or cannot be brought in.")
        return
    render.say(
        f"{len(proposal.moves)} moves in {len(proposal.waves)} waves, "
        f"{render.size(proposal.bytes_moved)}; no plan can do with less than "
        f"{render.size(proposal.bound)}"
    )
    if outcome is None:
        return
    render.say(f"{len(outcome.done)} replicas moved and verified in {outcome.seconds:.1f} s")
    for move, why in outcome.failed:
        render.warn(f"{move.topic}-{move.partition} on broker {move.broker}: {why}")
