"""`spindle up`: a JBOD cluster on this machine, in the foreground, until ctrl-C."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from spindle.cli.render import fail


def up(
    brokers: Annotated[int, typer.Option(min=1, max=50, help="Number of brokers.")] = 3,
    dirs: Annotated[int, typer.Option(min=1, max=50, help="Log directories of each.")] = 2,
    port: Annotated[
        int, typer.Option(min=0, max=65000, help="Controller's port; brokers follow. 0: free ones.")
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
    """Start a cluster on loopback: brokers and a controller, each a process of its own.

    Prints the bootstrap address when it serves. Ctrl-C stops it cleanly; the data stay and the
    next start finds them. Connect any Kafka client to the address that is printed.
    """
    from spindle.model.errors import Unusable

    settings = {}
    for text in setting or []:
        name, equals, value = text.partition("=")
        if not equals:
            fail(f"--setting {text!r}: write NAME=VALUE, e.g. num.partitions=3")
        settings[name.strip()] = value.strip()
    try:
        asyncio.run(_up(data.absolute(), brokers, dirs, port, settings, json_output))
    except (Unusable, OSError) as error:
        fail(str(error))


async def _up(
    data: Path, brokers: int, dirs: int, port: int, settings: dict[str, str], as_json: bool
) -> None:
    from spindle.runtime.local import LocalCluster

    began = time.monotonic()
    cluster = LocalCluster(data, brokers, dirs, port, settings)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with cluster:
        if as_json:
            print(json.dumps({"bootstrap": cluster.bootstrap, "data": str(data)}), flush=True)
        else:
            print(
                f"{brokers} brokers with {dirs} log directories each serve after "
                f"{time.monotonic() - began:.1f} s\n"
                f"bootstrap: {cluster.bootstrap}\n"
                f"data:      {data}\n"
                "ctrl-C stops the cluster",
                flush=True,
            )
        await stop.wait()
        print("stopping ...", file=sys.stderr, flush=True)
