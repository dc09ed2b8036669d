"""`spindle broker`: runs one node (broker, controller or both) from Kafka's own properties."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from spindle.cli.exits import End
from spindle.cli.render import fail


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
        str, typer.Option(metavar="LEVEL", help="debug, info, warning or error.")
    ] = "info",
    log_format: Annotated[
        LogFormat,
        typer.Option(
            metavar="FORMAT", help="text for people, json for collectors: an object in each line."
        ),
    ] = LogFormat.TEXT,
    log_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the log goes. [default: stderr]"),
    ] = None,
    log_file_size: Annotated[
        str,
        typer.Option(metavar="SIZE", help="A log file of this size gives way to a new one."),
    ] = "100MiB",
    log_files_kept: Annotated[
        int,
        typer.Option(metavar="COUNT", min=0, help="Older log files that stay: FILE.1, FILE.2 ..."),
    ] = 10,
) -> None:
    """Run one node: a broker, a controller, or both, as its properties say.

    The directories must have been formatted (`spindle storage format`). SIGTERM or ctrl-C stops
    it cleanly: it hands over leadership and flushes everything. Exit code 3 means that the node
    stopped itself: its last log directory, or its metadata directory, is lost. 70: a bug in Spindle
    stopped it; the last line names the cause.
    """
    from spindle.runtime.server import run

    opens = None
    if log_file is not None:
        from spindle.cli.sizes import size_of
        from spindle.runtime.log_file import open_log_file

        most = size_of(log_file_size)
        if not most:
            fail(f"--log-file-size {log_file_size}: write a size, e.g. 100MiB", End.USAGE)
        opens = partial(open_log_file, log_file.absolute(), most, log_files_kept)
    raise typer.Exit(run(config, log_level, log_format is LogFormat.JSON, opens))
