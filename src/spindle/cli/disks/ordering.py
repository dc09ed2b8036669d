"""What `spindle disks` does with a cluster: looks at disks, gives orders to them, cordons them.

Spindle's brokers have APIs for this; of Apache Kafka's one gets their reports, and clear
words about the rest. Called by `disks` and `draining`.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from spindle.cli import roll
from spindle.cli.disks.disk_tables import ObservedDirectories, Shown
from spindle.cli.refusals import Declined
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.client.results import (
    Change,
    ConfigChange,
    DiskDescription,
    DiskOrder,
    LogDirDescription,
    Resource,
    ResourceType,
)
from spindle.model.errors import Error, Unusable
from spindle.model.ids import LogDir, NodeId

CORDONED: Final = "cordoned.log.dirs"
EVERY_S: Final = 0.3
"""Seconds between looks."""
CORDON_LIMIT_S: Final = 15.0
"""Seconds for a change of a setting to reach the broker."""
_WITHOUT: Final = {
    DiskOrder.PROBE: "see `spindle disks` and the broker's log",
    DiskOrder.ONLINE: "restart the broker when the disk works: it opens the directory only then",
    DiskOrder.OFFLINE: "`spindle disks drain` empties it; then take it out of log.dirs and restart",
    DiskOrder.REPLACE: "format the new disk with `kafka-storage format -g` and restart the broker",
}
"""The way out where the broker is Apache Kafka's."""


@dataclass(frozen=True, slots=True)
class OrderResult:
    """What came of an order, and how the directory is afterwards."""

    words: str
    state: str
    why: str
    serves: bool
    cordoned: bool


async def look(admin: AdminClient, brokers: Sequence[NodeId]) -> ObservedDirectories:
    """All directories of these brokers (none named: of all), with what each broker can tell."""
    called = await roll.call(admin, brokers)
    wanted = called.live
    plain, more = await asyncio.gather(
        admin.describe_log_dirs(wanted).settled(), admin.describe_disks(wanted).settled()
    )
    shown: list[Shown] = []
    silent = dict(called.down)
    for broker in wanted:
        directories, details = plain[broker], more[broker]
        if isinstance(directories, Exception):
            silent[broker] = roll.of_known(directories)
            continue
        if isinstance(details, Exception):
            if not roll.is_unserved(details):
                silent[broker] = roll.of_known(details)
            details = ()
        known = {d.path: d for d in details}
        moving = {name: d.path for d in directories for name in d.future}
        for d in directories:
            leaving = sum(moving.get(name, d.path) != d.path for name in d.current)
            shown.append(Shown(broker, d, known.get(d.path), leaving))
    return ObservedDirectories(tuple(shown), dict(sorted(silent.items())))


async def one(admin: AdminClient, broker: NodeId, path: LogDir) -> LogDirDescription:
    """A directory as its broker describes it; Unusable names those that there are."""
    found = await admin.describe_log_dirs([broker])[broker]
    return pick(found, broker, path)


def pick(found: Sequence[LogDirDescription], broker: NodeId, path: LogDir) -> LogDirDescription:
    """The directory with this path; Unusable names those that there are."""
    for directory in found:
        if directory.path == path:
            return directory
    there = ", ".join(d.path for d in found)
    raise Unusable(f"broker {broker} has no log directory {path}; its directories are: {there}")


async def full_path(admin: AdminClient, broker: NodeId, path: LogDir) -> LogDir:
    """A directory's whole path, of which a relative one is the end; Unusable where it is not."""
    if os.path.isabs(path):
        return os.path.normpath(path)  # A shell's completion ends it with a slash.
    found = [d.path for d in await admin.describe_log_dirs([broker])[broker]]
    end = "/" + os.path.normpath(path)
    fitting = [whole for whole in found if whole.endswith(end)]
    if len(fitting) == 1:
        return fitting[0]
    why = "ends several paths" if fitting else "ends none of the paths"
    raise Unusable(
        f"{path} {why} of broker {broker}'s log directories: name one as the broker does, or by "
        f"an end that no other has; they are: {', '.join(found)}"
    )


# -- orders ------------------------------------------------------------------------------------


async def order(
    admin: AdminClient,
    broker: NodeId,
    path: LogDir,
    wanted: DiskOrder,
    wait: float = 0.0,
    *,
    force: bool = False,
) -> OrderResult:
    """Give an order; with `wait` (s) look until the directory serves, or time is up.

    Declined where it would take data away, unless `force` is given.
    """
    try:
        before = await _disk(admin, broker, path) if wanted is DiskOrder.REPLACE else None
        words = await admin.alter_disk(broker, path, wanted, force=force)
    except Refused as refused:
        if roll.is_unserved(refused):
            raise Unusable(
                f"{refused.where} is not a broker of Spindle's: it cannot {wanted.name.lower()} "
                f"a log directory while it runs. Way out: {_WITHOUT[wanted]}"
            ) from None
        kind = Declined if refused.error == Error.INVALID_REQUEST else Unusable
        raise kind(refused.detail or str(refused)) from None
    end = time.monotonic() + wait
    while True:
        disk = await _disk(admin, broker, path)
        if disk.online or time.monotonic() >= end:
            if before is not None and before.directory_id == disk.directory_id:
                words += " (the same disk as before, not a blank one: its logs are still on it)"
            return OrderResult(words, disk.state, disk.reason, disk.online, disk.cordoned)
        await asyncio.sleep(EVERY_S)


async def _disk(admin: AdminClient, broker: NodeId, path: LogDir) -> DiskDescription:
    found = await admin.describe_disks([broker])[broker]
    for disk in found:
        if disk.path == path:
            return disk
    there = ", ".join(disk.path for disk in found)
    raise Unusable(f"broker {broker} has no log directory {path}; its directories are: {there}")


# -- cordons -----------------------------------------------------------------------------------


async def cordon(
    admin: AdminClient, broker: NodeId, path: LogDir, wanted: bool
) -> tuple[LogDir, ...]:
    """Set or lift a directory's cordon; all paths that the setting names afterwards.

    The whole list is set: appending to it would forget what stands in the broker's file.
    """
    found = await admin.describe_log_dirs([broker])[broker]
    pick(found, broker, path)
    resource = Resource(ResourceType.BROKER, str(broker))
    settings = await admin.describe_configs([resource], names=[CORDONED])[resource]
    if CORDONED not in settings:
        raise Unusable(
            f"broker {broker} does not know {CORDONED} (KIP-1066; Apache Kafka has it from 4.3 on)"
        )
    named = [part.strip() for part in (settings[CORDONED].value or "").split(",") if part.strip()]
    if "*" in named:
        named = [d.path for d in found]
    after = [p for p in named if p != path] + ([path] if wanted else [])
    if after != named:
        change = ConfigChange(CORDONED, Change.SET, ",".join(after))
        await admin.incremental_alter_configs({resource: [change]})[resource]
    await _await_cordon(admin, broker, path, wanted)
    return tuple(after)


async def _await_cordon(admin: AdminClient, broker: NodeId, path: LogDir, wanted: bool) -> None:
    end = time.monotonic() + CORDON_LIMIT_S
    while True:
        directory = await one(admin, broker, path)
        if directory.cordoned == wanted or not directory.online:
            return
        if time.monotonic() >= end:
            break
        await asyncio.sleep(EVERY_S)
    if wanted:
        raise Unusable(
            f"broker {broker} took {CORDONED} but does not cordon {path}: it needs a newer "
            "metadata.version (kafka-features describe shows the one in force)"
        )
    raise Unusable(
        f"{path} on broker {broker} is still cordoned, though no setting says so: `spindle disks` "
        "shows whether it is full or slow"
    )
