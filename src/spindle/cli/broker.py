"""`spindle broker`: runs one node (broker, controller or both) from Kafka's own properties."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from spindle.cli.render import fail


def broker(
    config: Annotated[
        Path, typer.Option("--config", "-c", help="The node's server.properties (Kafka's names).")
    ],
    log_level: Annotated[
        str, typer.Option(help="debug, info, warning or error; goes to stderr.")
    ] = "info",
) -> None:
    """Run one node: a broker, a controller, or both, as its properties say.

    The directories must have been formatted (`spindle storage format`). SIGTERM or ctrl-C stops
    it cleanly: leaders move away first, everything is flushed. Exit code 3 means that the node
    stopped itself: its last log directory, or its metadata directory, is lost.
    """
    from spindle.model.errors import Unusable
    from spindle.runtime.server import configure_log, read_config, serve

    configure_log(log_level)
    try:
        code = asyncio.run(serve(read_config(config)))
    except (Unusable, OSError) as error:
        fail(str(error))
    raise typer.Exit(code)
