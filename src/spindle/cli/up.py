"""`spindle up`: a JBOD cluster on this machine, in the foreground, until ctrl-C."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from spindle.cli.exits import End
from spindle.cli.render import fail, warn

if TYPE_CHECKING:
    from spindle.runtime.local import LocalCluster
    from spindle.runtime.local_security import LocalSecurity

_Controllers = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=7,
        help="Number of controllers; 3 survive the failure of one, 5 of two. The data's cluster"
        " gets more or fewer. [default: 1, or as many as it has]",
    ),
]
_Quorum = Annotated[
    Literal["dynamic", "static"] | None,
    typer.Option(
        metavar="KIND",
        help="dynamic: the voters are in the metadata log; static: in every node's"
        " controller.quorum.voters. A static quorum of the data's cluster can become dynamic."
        " [default: dynamic, or as it is]",
    ),
]
_Secure = Annotated[
    bool,
    typer.Option("--secure", help="TLS, logins and ACLs; FOLDER/security has a login."),
]

_STATIC = (
    "quorum:      static, its controllers stay as they are; --quorum dynamic changes that at the"
    " next start"
)


def up(
    brokers: Annotated[int, typer.Option(min=1, max=50, help="Number of brokers.")] = 3,
    dirs: Annotated[int, typer.Option(min=1, max=50, help="Log directories of each.")] = 2,
    controllers: _Controllers = None,
    combined: Annotated[
        bool, typer.Option("--combined", help="The first brokers are the controllers too.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65000,
            help="First port, for the controller; other nodes follow. 0: free ports. "
            "[default: 19090, or where the data's cluster was]",
        ),
    ] = None,
    data: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="Folder for the nodes' files; the next start uses them again."
        ),
    ] = Path("spindle-data"),
    setting: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A broker setting, NAME=VALUE; may be repeated."),
    ] = None,
    metrics: Annotated[
        bool,
        typer.Option("--metrics", help="Each node serves Prometheus metrics on a port of its own."),
    ] = False,
    secure: _Secure = False,
    quorum: _Quorum = None,
    json_output: Annotated[
        bool, typer.Option("--json", help="Lines of JSON when the cluster serves and ends.")
    ] = False,
) -> None:
    """Start a cluster on loopback: brokers and controllers, each a process of its own.

    Prints the bootstrap address when the cluster serves; any Kafka client can connect to it. With
    --secure clients log in (SASL_SSL, SCRAM-SHA-512): the printed properties file is the
    administrator's, which makes other users and ACLs.
    Ctrl-C stops the cluster cleanly. The data stay, and the next start finds them; with another
    number of --controllers it adds or removes some.

    If a node stops by itself, a line names its reason and its log, and the other nodes keep
    running. The command ends when no node runs. Exit code 1: a node has stopped by itself, or the
    cluster could not start (a folder's cluster runs once: a second start is refused).
    """
    from spindle.model.errors import Unusable
    from spindle.runtime.local import LocalCluster
    from spindle.security.client_properties import UNSECURED

    settings = _settings(setting or [], brokers)
    try:
        client = _secured(data.absolute()) if secure else None
        cluster = LocalCluster(
            data.absolute(),
            brokers,
            dirs,
            port,
            {**(client.settings if client else {}), **settings},
            controllers,
            combined,
            metrics,
            security=client.client() if client else UNSECURED,
            records=client.users() if client else (),
            quorum=quorum,
        )
        ended = asyncio.run(_up(cluster, dirs, json_output, client))
    except Unusable as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or data.absolute()}: {error.strerror}")
    if ended:
        raise typer.Exit(End.FAILED)


def _secured(home: Path) -> LocalSecurity:
    """What secures a cluster is slow to load: only where it is asked for."""
    from spindle.runtime.local_security import secured

    return secured(home)


def _settings(given: list[str], brokers: int) -> dict[str, str]:
    """The settings of `--setting`; warns of settings without effect, refuses unknown ones."""
    from spindle.model.settings.scrutiny import examine, nearest
    from spindle.model.settings.table import NODE_SETTINGS

    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            fail(f"--setting {text!r}: write NAME=VALUE, e.g. num.partitions=3", End.USAGE)
        found[name.strip()] = value.strip()
        if name.strip() not in NODE_SETTINGS:
            meant = nearest(name.strip(), NODE_SETTINGS)
            hint = f": did you mean {meant}?" if meant else "; docs/settings.md has all"
            fail(f"--setting {text!r}: there is no setting {name.strip()}{hint}", End.USAGE)
    if "metrics.port" in found:
        fail(
            "--setting metrics.port would be the same for all nodes: give --metrics, which finds a"
            " port for each",
            End.USAGE,
        )
    for told in examine(found):
        print(f"warning: {told}", file=sys.stderr)
    return found


async def _up(
    cluster: LocalCluster, dirs: int, as_json: bool, client: LocalSecurity | None
) -> list[str]:
    """Run the cluster until a signal, or until no node is left; how nodes ended by themselves."""
    began = time.monotonic()
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with cluster:
        _say_serving(cluster, dirs, as_json, time.monotonic() - began, client)
        ended: list[str] = []
        watching = asyncio.create_task(_tell_ends(cluster, as_json, ended, stop))
        await stop.wait()
        watching.cancel()
        print("stopping ...", file=sys.stderr, flush=True)
    return ended


def _say_serving(
    cluster: LocalCluster, dirs: int, as_json: bool, took: float, client: LocalSecurity | None
) -> None:
    own = None if client is None else str(client.client_properties)
    controllers = [f"127.0.0.1:{c.controller_port}" for c in cluster.controllers]
    urls = {node.node_id: node.metrics_url for node in cluster.nodes if node.metrics_url}
    if as_json:
        told = {
            "bootstrap": cluster.bootstrap,
            "controllers": ",".join(controllers),
            "clusterId": cluster.cluster_id,
            "quorum": cluster.quorum,
            "data": str(cluster.home),
            **({"metrics": {str(n): url for n, url in urls.items()}} if urls else {}),
            **({"commandConfig": own} if own else {}),
        }
        print(json.dumps(told), flush=True)
        return
    lines = [
        f"{_count(len(cluster.brokers), 'broker')} with {_count(dirs, 'log directory')} each serve"
        f"{'s' if len(cluster.brokers) == 1 else ''} after {took:.1f} s",
        f"bootstrap:   {cluster.bootstrap}",
        f"controllers: {','.join(controllers)}",
        *([_STATIC] if cluster.quorum == "static" else []),
        f"data:        {cluster.home}",
        *(f"metrics:     {url} (node {node_id})" for node_id, url in urls.items()),
        *([f"clients:     --command-config {own}"] if own else []),
        "ctrl-C stops the cluster",
    ]
    print("\n".join(lines), flush=True)


async def _tell_ends(
    cluster: LocalCluster, as_json: bool, ended: list[str], stop: asyncio.Event
) -> None:
    from spindle.runtime.local_node import how_it_ended

    async for node in cluster.ends():
        told = how_it_ended(node)
        ended.append(told)
        left = sum(other.running for other in cluster.nodes)
        warn(f"{told}; {_count(left, 'node')} of {len(cluster.nodes)} still run")
        if as_json:
            assert node.process is not None
            print(json.dumps({"ended": node.node_id, "code": node.process.returncode}), flush=True)
    stop.set()


def _count(many: int, of: str) -> str:
    plural = f"{of[:-1]}ies" if of.endswith("y") else f"{of}s"
    return f"{many} {of if many == 1 else plural}"
