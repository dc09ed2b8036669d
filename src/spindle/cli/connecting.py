"""How a command gets its AdminClient: options in common, files to read and write, one event loop.

A command that connects has a parameter of the type `Bootstrap`. `widen` gives its line the options
--bootstrap-server, --command-config and --profile, here and nowhere else. Called by every command
that talks to a cluster.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, TypeVar, get_type_hints

import typer

from spindle.cli import render
from spindle.cli.exits import End
from spindle.cli.profile_store import find_profile
from spindle.client.admin import CLIENT_ID, AdminClient
from spindle.client.cluster import TIMEOUT_S
from spindle.client.outlasting import Outlasting
from spindle.model.errors import Unusable
from spindle.security.client_properties import (
    PLAIN_SETTINGS,
    ClientSecurity,
    ClientSettings,
    read_client_settings,
)

T = TypeVar("T")
R = TypeVar("R")

COMMAND_CONFIG: Final = "SPINDLE_COMMAND_CONFIG"
"""Of the environment: the file that counts where no other is named."""

TimeLimit = Annotated[
    float,
    typer.Option("--request-timeout", min=0.1, metavar="SECONDS", help="Time limit of a request."),
]
ControllerWait = Annotated[
    float,
    typer.Option(
        "--controller-wait",
        min=0,
        metavar="SECONDS",
        help="While the cluster has no controller (a failover, a rolling restart) wait for so long "
        "before giving up; 0: not at all.",
    ),
]
CONTROLLER_WAIT: Final = 300.0
BrokerList = Annotated[
    str, typer.Option(metavar="ID,...", help="Only these brokers, e.g. 1,2. [default: all]")
]
_Servers = Annotated[
    str,
    typer.Option(
        "--bootstrap-server", "-b", metavar="HOST:PORT,...", help="Brokers of the cluster."
    ),
]
_CommandConfig = Annotated[
    Path | None,
    typer.Option(
        "--command-config",
        metavar="FILE",
        help="Kafka's client properties: TLS, SASL. [default: $SPINDLE_COMMAND_CONFIG]",
    ),
]
_ProfileName = Annotated[
    str,
    typer.Option("--profile", "-p", metavar="NAME", help="A cluster of `spindle profile add`."),
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for scripts.")]


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The cluster that a command line names: its addresses, and how a client connects."""

    servers: str
    settings: ClientSettings = PLAIN_SETTINGS
    options: str = ""
    """How it was given, for hints: "-b HOST:PORT" or "-p NAME". Names no secret."""
    controllers: bool = False

    def __str__(self) -> str:
        return self.servers

    @property
    def security(self) -> ClientSecurity:
        """How it is connected to."""
        return self.settings.security

    def client(
        self, timeout: float = TIMEOUT_S, outlasting: Outlasting | None = None
    ) -> AdminClient:
        """A client of it. `timeout` in seconds; by default what its properties say.

        `outlasting`: how long it waits for a controller.
        """
        if timeout == TIMEOUT_S and self.settings.timeout is not None:
            timeout = self.settings.timeout
        return AdminClient(
            self.servers,
            timeout=timeout,
            client_id=self.settings.client_id or CLIENT_ID,
            controllers=self.controllers,
            security=self.security,
            outlasting=outlasting,
        )


def outlasting(seconds: float) -> Outlasting | None:
    """Waits for a controller for so many seconds, with a line on stderr now and then."""
    return Outlasting(seconds, render.note) if seconds else None


NOT_NAMED: Final = Bootstrap("")
"""Of commands that ask for a cluster only without a sub-command."""


def with_admin(
    cluster: Bootstrap, work: Callable[[AdminClient], Awaitable[T]], *, timeout: float = TIMEOUT_S
) -> T:
    """Run `work` with a client of the cluster."""

    async def run() -> T:
        async with cluster.client(timeout) as admin:
            return await work(admin)

    return asyncio.run(run())


def named_cluster(
    servers: str, command_config: Path | None, profile: str = "", *, of_a_node: bool = False
) -> Bootstrap | None:
    """The cluster that is named by an address, a profile, or `bootstrap.servers`; None if none is.

    The file is that of --command-config, else the profile's, else $SPINDLE_COMMAND_CONFIG. A
    warning on stderr names what has no effect, unless the file is a node's own (`of_a_node`).
    """
    known = find_profile(profile) if profile else None
    environment = os.environ.get(COMMAND_CONFIG)
    path = command_config or (known.command_config if known else None)
    if path is None and known is None and environment:
        path = Path(environment)
    settings = PLAIN_SETTINGS if path is None else read_client_settings(path)
    for warning in () if of_a_node else settings.warnings:
        print(f"warning: {path}: {warning}", file=sys.stderr)
    found = servers or (known.bootstrap if known else "") or settings.bootstrap
    if not found:
        return None
    options = [f"-b {servers}"] if servers or not profile else []
    options += [f"-p {profile}"] if profile else []
    options += [f"--command-config {command_config}"] if command_config else []
    return Bootstrap(found, settings, " ".join(options) if servers or profile else f"-b {found}")


def widen(app: typer.Typer) -> typer.Typer:
    """Give each command of an app that asks for a `Bootstrap` the options that name it."""
    for info in (*app.registered_commands, app.registered_callback):
        if info is not None and info.callback is not None:
            info.callback = _widened(info.callback)
    for group in app.registered_groups:
        if group.typer_instance is not None:
            widen(group.typer_instance)
    return app


def _widened(command: Callable[..., R]) -> Callable[..., R]:
    hints = get_type_hints(command)
    wanted = [name for name, hint in hints.items() if hint in (Bootstrap, Bootstrap | None)]
    if not wanted:
        return command
    [name] = wanted
    old = inspect.signature(command)
    default = old.parameters[name].default

    @functools.wraps(command)
    def widened(*, command_config: Path | None, profile: str, **given: object) -> R:
        servers = str(given.pop(name))
        cluster: object = default
        if default is inspect.Parameter.empty or servers or profile:
            cluster = named_cluster(servers, command_config, profile)
        if cluster is None and default is inspect.Parameter.empty:
            render.fail(
                "name the cluster: --bootstrap-server HOST:PORT, or -p NAME for a profile"
                " (spindle profile --help)",
                End.USAGE,
            )
        return command(**given, **{name: cluster})

    full = get_type_hints(command, include_extras=True)
    parameters = [
        p.replace(annotation=full[p.name], kind=inspect.Parameter.KEYWORD_ONLY)
        if p.name != name
        else _option(name, _Servers, "")
        for p in old.parameters.values()
    ]
    parameters += [
        _option("command_config", _CommandConfig, None),
        _option("profile", _ProfileName, ""),
    ]
    shown = old.replace(parameters=parameters)
    widened.__signature__ = shown  # type: ignore[attr-defined]
    widened.__annotations__ = {p.name: p.annotation for p in parameters}
    return widened


def _option(name: str, annotation: object, default: object) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def run_to_end(work: Coroutine[object, None, T]) -> T:
    """Run a coroutine that has something to put back at its end.

    SIGTERM and SIGHUP end it as Ctrl-C does: it is cancelled, cleans up, KeyboardInterrupt leaves.
    A second signal does not wait for that. What the process was started to ignore stays ignored:
    SIGHUP below `nohup`, SIGINT in the background of a script.
    """
    ended = False

    async def run() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def end() -> None:
            nonlocal ended
            if ended or task is None:
                raise KeyboardInterrupt
            ended = True
            task.cancel()

        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, end)
        return await work

    try:
        return asyncio.run(run())
    except asyncio.CancelledError:
        if ended:
            raise KeyboardInterrupt from None
        raise


def read_text(path: Path) -> str:
    """A file's text; Unusable says which file and why not."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise Unusable(f"Unable to read file {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Unusable(f"Unable to read file {path}: it is not UTF-8 ({error.reason})") from None


def written(path: Path | None, text: str) -> None:
    """Write a file that was asked for; the command ends with the reason where it cannot be."""
    if path is None:
        return
    try:
        # A name of a file need not be UTF-8; what is not is shown as its bytes.
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        render.fail(f"cannot write {path}: {error.strerror}")
