"""How a command gets its AdminClient: options in common, files to read and write, one event loop.

Called by every command that talks to a cluster.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Annotated, TypeVar

import javaproperties
import typer

from spindle.cli import render
from spindle.client.admin import AdminClient
from spindle.model.errors import Unusable

T = TypeVar("T")

Bootstrap = Annotated[
    str,
    typer.Option(
        "--bootstrap-server", "-b", metavar="HOST:PORT,...", help="Brokers of the cluster."
    ),
]
"""Of commands, and of those that ask for it only without a sub-command (default: empty)."""
TimeLimit = Annotated[
    float,
    typer.Option("--request-timeout", min=0.1, metavar="SECONDS", help="Time limit of a request."),
]
BrokerList = Annotated[
    str, typer.Option(metavar="ID,...", help="Only these brokers, e.g. 1,2. [default: all]")
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for scripts.")]


def with_admin(
    bootstrap: str,
    work: Callable[[AdminClient], Awaitable[T]],
    *,
    timeout: float = 30.0,
    controllers: bool = False,
) -> T:
    """Run `work` with a client of the cluster."""

    async def run() -> T:
        async with AdminClient(bootstrap, timeout=timeout, controllers=controllers) as admin:
            return await work(admin)

    return asyncio.run(run())


def run_to_end(work: Coroutine[object, None, T]) -> T:
    """Run a coroutine that has something to put back at its end.

    SIGTERM and SIGHUP end it as Ctrl-C does: it is cancelled, cleans up, KeyboardInterrupt leaves.
    A second signal does not wait for that.
    """

    async def run() -> T:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, signal.raise_signal, signal.SIGINT)
        return await work

    return asyncio.run(run())


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


def command_config(path: Path | None, default_timeout: float = 30.0) -> float:
    """Read a `--command-config` file: the time limit of requests in seconds.

    Of its settings `default.api.timeout.ms` counts. Unusable where it asks for security that this
    client does not speak.
    """
    if path is None:
        return default_timeout
    try:
        settings: dict[str, str] = javaproperties.loads(read_text(path))
    except javaproperties.InvalidUEscapeError as error:
        raise Unusable(f"{path} is not a properties file: {error}") from None
    protocol = settings.get("security.protocol", "PLAINTEXT").upper()
    if protocol != "PLAINTEXT":
        raise Unusable(
            f"{path}: security.protocol={protocol} is not supported; use a PLAINTEXT listener"
        )
    text = settings.get("default.api.timeout.ms", str(int(default_timeout * 1000)))
    if not text.isdigit() or int(text) == 0:
        raise Unusable(f"{path}: default.api.timeout.ms={text!r} is not a number of milliseconds")
    return int(text) / 1000
