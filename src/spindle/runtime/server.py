"""Runs a node from its `server.properties`: reads the file and the directories' identity, builds
the node and its rim, handles signals. Called by `spindle broker`; knows no request and no record.
"""

from __future__ import annotations

import asyncio
import logging
import random
import signal
import sys
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TextIO

import structlog

from spindle.model.config import NodeConfig
from spindle.model.errors import Unusable
from spindle.model.log_levels import LogLevels
from spindle.model.settings.typed_settings import Settings
from spindle.model.statistics import Sample
from spindle.node.node import Node
from spindle.runtime.disks import named
from spindle.runtime.doors import raise_descriptors
from spindle.runtime.drill import DrillDisk
from spindle.runtime.driver import Bug, Driver, Halted
from spindle.runtime.identity import advice, read_identity
from spindle.runtime.isolation import IsolatingSelector, obey_signals
from spindle.runtime.memory import be_frugal, keep_tidy, settle
from spindle.runtime.os_disk import OsDisk
from spindle.runtime.properties import read_config
from spindle.runtime.pulse import Pulse
from spindle.runtime.timed_disk import TimedDisk
from spindle.storage.directory import LogDirectory
from spindle.storage.disk import Disk

log = structlog.get_logger("spindle.runtime.server")

SCRAPE_SECONDS = 9.0
"""Prometheus gives up after ten, by default."""
TURN_SECONDS = 0.002
"""So long figures are looked for before others have their turn."""
CERTIFICATE, KEY = "metrics.ssl.certificate.location", "metrics.ssl.key.location"
"""Settings that belong together."""
SWITCH_SECONDS = 0.0005
"""How long a directory's thread may compute while the loop waits for the interpreter. With Python's
5 ms each answer that the loop writes could wait so long: a copied index kept producers waiting."""

EXIT_HALTED = 3
"""Exit code of a node that stopped itself (no log directory left, metadata directory lost)."""
EXIT_BUG = 70
"""Exit code of a node that a bug has stopped (N-05)."""


class NamedLogger(structlog.PrintLogger):
    """Writes lines; knows which logger they are of."""

    def __init__(self, file: TextIO, name: str) -> None:
        super().__init__(file)
        self.name = name


def configure_log(level: str, as_json: bool = False, file: TextIO | None = None) -> LogLevels:
    """Log events to a file or to stderr, one line each: for people, or as JSON objects.

    The levels that are asked before each line.
    """
    target = sys.stderr if file is None else file
    levels = LogLevels({"warning": "WARN", "critical": "FATAL"}.get(level, level.upper()))

    def admitted(
        logger: NamedLogger, method: str, event: MutableMapping[str, object]
    ) -> MutableMapping[str, object]:
        if not levels.admits(logger.name, method):
            raise structlog.DropEvent
        return event

    def named(
        logger: NamedLogger, method: str, event: MutableMapping[str, object]
    ) -> MutableMapping[str, object]:
        return {"logger": logger.name, **event}

    structlog.configure(
        processors=[
            admitted,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            *(
                (named, structlog.processors.JSONRenderer(default=str))
                if as_json
                else (structlog.dev.ConsoleRenderer(colors=target.isatty()),)
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.NOTSET),
        logger_factory=lambda name: NamedLogger(target, name),
        cache_logger_on_first_use=True,
    )
    return levels


def run(
    properties: Path,
    log_level: str,
    as_json: bool = False,
    log_file: Callable[[], TextIO] | None = None,
) -> int:
    """Run the node of a properties file in this process; the exit code. Errors go to stderr.

    `as_json`: each event of the log is a JSON object. `log_file`: opens the file that the log goes
    to, instead of stderr.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        levels = configure_log(log_level, as_json, None if log_file is None else log_file())
        pulse = Pulse()
        loop = partial(asyncio.SelectorEventLoop, IsolatingSelector(pulse))
        with asyncio.Runner(loop_factory=loop) as runner:
            return runner.run(serve(read_config(properties), pulse, levels))
    except (Unusable, OSError) as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        return 1
    except Exception as bug:
        log.error("a bug: the node stops", exc_info=bug)
        log.error("node halts", reason=f"a bug of Spindle: {named(bug)}", exit_code=EXIT_BUG)
        return EXIT_BUG


async def serve(config: NodeConfig, pulse: Pulse, levels: LogLevels) -> int:
    """Run a node until SIGTERM or SIGINT; the process's exit code.

    `pulse`: of the loop on which this is called. `levels`: of the loggers.
    """
    for text in (*config.warnings, *advice(config)):
        log.warning(text)
    be_frugal()
    inner: Disk = OsDisk()
    if config.settings.flag("log.dir.fault.drills"):
        inner = DrillDisk(inner, config.directories)
    disk = TimedDisk(inner, config.directories)
    identity = read_identity(disk, config)
    for path, why in identity.missing.items():
        log.error("log directory is offline", directory=path, reason=why)
    descriptors = raise_descriptors()
    node = Node(config, identity.cluster_id, random.SystemRandom())
    node.out.levels = levels
    directories = {path: LogDirectory(disk, path) for path in config.directories}
    driver = Driver(node, directories, disk.observe, descriptors, pulse)
    driver.bind(config.listeners)
    settle()
    loop = asyncio.get_running_loop()
    keep_tidy(loop, lambda: pulse.busy)
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, driver.shut_down)
    if config.settings.flag("log.dir.fault.drills"):
        obey_signals(loop)
    log.info(
        "node starts",
        node=config.node_id,
        cluster=identity.cluster_id,
        listeners=[f"{e.name}://{e.host}:{e.port}" for e in config.listeners],
        log_dirs=list(config.log_dirs),
        open_files_max=descriptors,
    )
    with _metrics(config.settings, node, driver):
        try:
            await _run(driver, node)
        except Halted as halted:
            code = EXIT_BUG if isinstance(halted, Bug) else EXIT_HALTED
            log.error("node halts", node=config.node_id, reason=str(halted), exit_code=code)
            return code
    log.info("node has stopped", node=config.node_id)
    return 0


async def _run(driver: Driver, node: Node) -> None:
    """Drive the node to its end; where clients log in with tokens, keep the keys up to date."""
    if not any(listener.rules.tokens for listener in node.logins):
        await driver.run()
        return
    from spindle.runtime.signing_keys import SigningKeyWatch  # Slow to load, and seldom needed.

    keys = SigningKeyWatch(node.logins, node.config.settings)
    watching = asyncio.create_task(keys.watch())
    try:
        await driver.run()
    finally:
        watching.cancel()


@contextmanager
def _metrics(settings: Settings, node: Node, driver: Driver) -> Iterator[None]:
    """Serve the node's metrics where a port is set."""
    port = settings.find_whole("metrics.port")
    if port is None:
        yield
        return
    from spindle.runtime.metrics import MetricsAddress, serve_metrics

    certificate, key = settings.text(CERTIFICATE), settings.text(KEY)
    if (certificate is None) != (key is None):
        raise Unusable(f"{CERTIFICATE} and {KEY} belong together: give both files")
    address = MetricsAddress(port, settings.word("metrics.host"), certificate, key)
    loop = asyncio.get_running_loop()

    async def figures() -> list[Sample]:
        found, until = list(driver.statistics()), loop.time() + TURN_SECONDS
        for sample in node.statistics():
            if sample is not None:
                found.append(sample)
            elif loop.time() > until:
                await asyncio.sleep(0)  # Others have their turn: there may be many partitions.
                until = loop.time() + TURN_SECONDS
        return found

    def ask() -> list[Sample]:
        return asyncio.run_coroutine_threadsafe(figures(), loop).result(SCRAPE_SECONDS)

    try:
        serving = serve_metrics(address, ask)
    except OSError as error:
        raise Unusable(
            f"metrics.port: cannot serve {address.url(port)}: {error.strerror or error}; give"
            " metrics.host an address of this machine, metrics.port a free port (0 finds one), and"
            " metrics.ssl.* files that belong together"
        ) from None
    with serving as url:
        log.info("metrics are served", url=url)
        yield
