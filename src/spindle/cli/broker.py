"""`spindle broker`: runs one node (broker, controller or both) from Kafka's own properties."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class LogFormat(StrEnum):
    """How the lines of a node's log are written."""

    TEXT = "text"
    JSON = "json"


def broker(
    config: Annotated[
        Path,
        typer.Option(
            "--config", "-c", metavar="FILE", help="The node's server.properties (Kafka's names)."
        ),
    ],
    log_level: Annotated[
        str, typer.Option(metavar="LEVEL", help="debug, info, warning or error; goes to stderr.")
    ] = "info",
    log_format: Annotated[
        LogFormat,
        typer.Option(
            metavar="FORMAT", help="text for people, json for collectors: an object in each line."
        ),
    ] = LogFormat.TEXT,
) -> None:
    """Run one node: a broker, a controller, or both, as its properties say.

    The directories must have been formatted (`spindle storage format`). SIGTERM or ctrl-C stops
    it cleanly: it hands over leadership and flushes everything. Exit code 3 means that the node
    stopped itself: its last log directory, or its metadata directory, is lost. 70: a bug in Spindle
    stopped it; the last line names the cause.
    """
    from spindle.runtime.server import run

    raise typer.Exit(run(config, log_level, log_format is LogFormat.JSON))
