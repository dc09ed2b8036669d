"""`spindle storage`: format a node's directories, look into them, make ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from spindle.cli.connecting import AsJson
from spindle.cli.exits import End
from spindle.cli.render import say
from spindle.cli.storage import storage_format as storage_run

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help=__doc__.split("\n")[0]
)

ConfigFile = Annotated[
    Path,
    typer.Option(
        "--config", "-c", metavar="FILE", help="The node's server.properties (Kafka's names)."
    ),
]


@app.command("format")
def format_(
    config: ConfigFile,
    cluster_id: Annotated[
        str,
        typer.Option(
            "--cluster-id", "-t", metavar="ID", help="The same for all nodes of a cluster."
        ),
    ],
    ignore_formatted: Annotated[
        bool,
        typer.Option("--ignore-formatted", "-g", help="Leave formatted directories as they are."),
    ] = False,
    add_scram: Annotated[
        list[str] | None,
        typer.Option(
            "--add-scram",
            "-S",
            metavar="USER",
            help="A user of the new cluster, as SCRAM-SHA-512=[name=NAME,password=...]; @FILE: "
            "each line of a file is one.",
        ),
    ] = None,
    standalone: Annotated[
        bool,
        typer.Option("--standalone", "-s", help="This controller alone begins a dynamic quorum."),
    ] = False,
    initial_controllers: Annotated[
        str | None,
        typer.Option(
            "--initial-controllers",
            "-I",
            metavar="LIST",
            help="The first voters of a dynamic quorum, each as ID@HOST:PORT:DIRECTORY-ID.",
        ),
    ] = None,
    no_initial_controllers: Annotated[
        bool,
        typer.Option(
            "--no-initial-controllers", "-N", help="This node joins a dynamic quorum that exists."
        ),
    ] = False,
) -> None:
    """Make a node's log directories ready for use: each gets its own random id.

    Writes nothing if any of them belongs to another cluster or node. Directories of Apache Kafka
    are taken as they are.
    """
    storage_run.format_node(
        config,
        cluster_id,
        say,
        ignore_formatted=ignore_formatted,
        wishes=storage_run.StorageOptions(
            scram=tuple(add_scram or ()),
            standalone=standalone,
            initial_controllers=initial_controllers,
            no_initial_controllers=no_initial_controllers,
        ),
    )


@app.command()
def info(config: ConfigFile, as_json: AsJson = False) -> None:
    """Tell what stands in a node's log directories; exit code 1 if something is wrong."""
    if not as_json:
        raise typer.Exit(storage_run.info(config, say))
    found = storage_run.look(config)
    print(json.dumps(found.document()))
    raise typer.Exit(End.FAILED if found.problems else End.DONE)


@app.command("random-uuid")
def random_uuid() -> None:
    """Print a random id, for a new cluster."""
    say(storage_run.random_id())
