"""`spindle demo`: the main job, watched: cluster, load, plan, moves, a broken disk, an audit."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from typing import Annotated

import typer

from spindle.cli import render


def demo(
    report: Annotated[
        Path, typer.Option(metavar="FILE", help="Where the HTML report goes.")
    ] = Path("spindle-demo.html"),
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Keep the cluster's files here. [default: a temporary folder]"
        ),
    ] = None,
) -> None:
    """Show what Spindle does, with real processes and real load, in a few minutes.

    Starts 3 brokers with 2 disks each, produces and consumes with librdkafka (3 replicas,
    acks=all), samples the disks and plans on Spark, moves replicas under the load, verifies,
    breaks a disk, and audits every record. Exit code 1 if any promise was broken; the cluster's
    files are kept then.
    """
    try:
        from spindle.cli.demo.story import tell
    except ImportError as error:
        render.fail(f"{error.name} is missing: pip install 'spindle[spark,demo]' installs it")
    from spindle.cli.connecting import run_to_end, written
    from spindle.cli.demo.demo_report import page

    home = data or Path(tempfile.mkdtemp(prefix="spindle-demo-"))
    began = time.monotonic()

    def say(text: str) -> None:
        render.say(f"{time.monotonic() - began:6.1f} s  {text}")

    broken = False
    try:
        story = run_to_end(tell(home.absolute(), say))
        broken = not all(promise.kept for promise in story.promises)
    finally:
        if data is None and not broken:
            shutil.rmtree(home, ignore_errors=True)
    render.table(
        "Promises",
        ("promise", "seen", ""),
        [(p.text, p.seen, p.word) for p in story.promises],
    )
    render.table("Figures", ("figure", "value"), [list(fact) for fact in story.facts])
    written(report, page(story))
    render.say(f"report: {report.absolute()}")
    if broken:
        render.say(f"a promise was broken: the cluster's files are kept in {home.absolute()}")
        raise typer.Exit(1)
