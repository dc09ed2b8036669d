"""`spindle up`: a JBOD cluster on this machine, in the foreground, until ctrl-C."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spindle.cli.render import fail

if TYPE_CHECKING:
    from spindle.runtime.local import LocalCluster


def up(
    brokers: Annotated[int, typer.Option(min=1, max=50, help="Number of brokers.")] = 3,
    dirs: Annotated[int, typer.Option(min=1, max=50, help="Log directories of each.")] = 2,
    controllers: Annotated[
        int,
        typer.Option(
            min=1, max=7, help="Number of controllers; 3 go on when one fails, 5 when two do."
        ),
    ] = 1,
    combined: Annotated[
        bool, typer.Option("--combined", help="The first brokers are the controllers too.")
    ] = False,
    port: Annotated[
        int,
        typer.Option(
            min=0,
            max=65000,
            help="Controller's port; brokers, then further controllers follow. 0: free ones.",
        ),
    ] = 19090,
    data: Annotated[
        Path, typer.Option(help="Where the nodes keep their files; taken up again next time.")
    ] = Path("spindle-data"),
    setting: Annotated[
        list[str] | None, typer.Option(help="A broker setting, NAME=VALUE; may be repeated.")
    ] = None,
    json_output: Annotated[
        bool, typer.Option("--json", help="One line of JSON when it serves, for scripts.")
    ] = False,
) -> None:
    """Start a cluster on loopback: brokers and controllers, each a process of its own.

    Prints the bootstrap address when it serves. Ctrl-C stops it cleanly; the data stay and the
    next start finds them. Connect any Kafka client to the address that is printed.
    """
    from spindle.model.errors import Unusable
    from spindle.runtime.local import LocalCluster

    settings: dict[str, str] = {}
    for text in setting or []:
        name, equals, value = text.partition("=")
        if not equals:
            fail(f"--setting {text!r}: write NAME=VALUE, e.g. num.partitions=3")
        settings[name.strip()] = value.strip()
    try:
        cluster = LocalCluster(
            data.absolute(), brokers, dirs, port, settings, controllers, combined
        )
        asyncio.run(_up(cluster, dirs, json_output))
    except (Unusable, OSError) as error:
        fail(str(error))


async def _up(cluster: LocalCluster, dirs: int, as_json: bool) -> None:
    began = time.monotonic()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with cluster:
        controllers = [f"127.0.0.1:{c.controller_port}" for c in cluster.controllers]
        if as_json:
            told = {
                "bootstrap": cluster.bootstrap,
                "controllers": ",".join(controllers),
                "data": str(cluster.home),
            }
            print(json.dumps(told), flush=True)
        else:
            print(
                f"{len(cluster.brokers)} brokers with {dirs} log directories each serve after "
                f"{time.monotonic() - began:.1f} s\n"
                f"bootstrap:   {cluster.bootstrap}\n"
                f"controllers: {','.join(controllers)}\n"
                f"data:        {cluster.home}\n"
                "ctrl-C stops the cluster",
                flush=True,
            )
        await stop.wait()
        print("stopping ...", file=sys.stderr, flush=True)
