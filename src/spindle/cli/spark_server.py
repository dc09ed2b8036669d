"""`spindle spark`: the Spark session that commands of this user share, shown and stopped."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer

from spindle.cli import render
from spindle.cli.connecting import AsJson
from spindle.cli.exits import End

if TYPE_CHECKING:
    from spindle.pipeline.warm_session import WarmPlace

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help=__doc__.split("\n")[0]
)
_STOP_SECONDS = 30.0


@app.command()
def status(as_json: AsJson = False) -> None:
    """Show whether a shared Spark session runs, since when, and the memory that it takes.

    It starts with the first `spindle balance` command that needs Spark, and ends by itself after 10
    minutes without one (SPINDLE_SPARK_MINUTES; 0: commands share none). Exit code 4: none runs.
    """
    server = _place().running()
    resident = None if server is None else _resident(server.pid)
    if as_json:
        # Its token is no part of this.
        told = None if server is None else {
            "pid": server.pid, "port": server.port, "minutes": server.minutes,
            "began": _moment(server.began), "residentBytes": resident,
        }  # fmt: skip
        print(json.dumps({"version": 1, "server": told}))
    elif server is None:
        render.say("No shared Spark session runs.")
    else:
        render.say(
            f"A shared Spark session runs since {_moment(server.began)}: process {server.pid}, "
            f"{render.size(resident)} of memory; it ends after {server.minutes:g} min without use"
        )
    if server is None:
        raise typer.Exit(End.NOTHING)


@app.command()
def stop(as_json: AsJson = False) -> None:
    """End the shared Spark session. Exit code 4: none ran; 1: it did not end within 30 s."""
    import psutil

    server = _place().running()
    ended = server is None
    if server is not None:
        alive: list[psutil.Process] = []
        with suppress(psutil.NoSuchProcess):  # It may end by itself just now.
            process = psutil.Process(server.pid)
            process.terminate()
            _, alive = psutil.wait_procs([process], _STOP_SECONDS)
        ended = not alive
    if as_json:
        print(json.dumps({"version": 1, "stopped": server is not None and ended}))
    elif server is None:
        render.say("No shared Spark session runs.")
    elif ended:
        render.say(f"The shared Spark session of process {server.pid} has ended.")
    if not ended and server is not None:
        render.fail(f"process {server.pid} has not ended within {_STOP_SECONDS:g} s", End.FAILED)
    if server is None:
        raise typer.Exit(End.NOTHING)


def _place() -> WarmPlace:
    try:
        from spindle.pipeline.warm_session import WarmPlace
    except ImportError as error:
        render.fail(
            f"{error.name} is missing: install the pipeline with pip install 'spindle[spark]'"
        )
    return WarmPlace()


def _resident(pid: int) -> int:
    """Bytes of memory of a process and its children; pages that they share count once for each."""
    import psutil

    resident = 0
    with suppress(psutil.NoSuchProcess):  # The session may end by itself just now.
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):  # So may one of its workers.
                resident += one.memory_info().rss
    return resident


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"
