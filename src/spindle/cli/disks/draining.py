"""`spindle disks drain`: a directory is emptied into its broker's others, and may then be pulled.

Works on Spindle's and on Apache Kafka's brokers alike: cordon, plan, AlterReplicaLogDirs, watch.
Called by `disks`. `plan` is pure.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from spindle.cli import render, roll
from spindle.cli.disks.ordering import EVERY_S, cordon, pick
from spindle.client.admin import AdminClient
from spindle.client.failures import OutOfTime, Refused, Unreachable
from spindle.client.outlasting import Outlasting, is_passing
from spindle.client.results import DiskDescription, LogDirDescription, Replica, Resource
from spindle.client.results import ResourceType as Type
from spindle.model.errors import Error, PeerFailed, Unusable
from spindle.model.ids import LogDir, NodeId, TopicPartition
from spindle.planning.broker_planner import plan_broker
from spindle.planning.devices import Room, devices
from spindle.planning.load import Band, DirectoryLoad, ReplicaLoad

TRIES_MAX: Final = 3
"""How often a replica that does not leave is sent away again."""
_NAMES_MAX: Final = 5


@dataclass(frozen=True, slots=True)
class Drained:
    """What a drain has come to."""

    broker: NodeId
    path: LogDir
    safe: bool
    moved: int
    bytes: int
    targets: tuple[LogDir, ...] = ()
    notes: tuple[str, ...] = ()
    cancelled: int | None = None

    def document(self) -> dict[str, object]:
        """For scripts."""
        return {
            "broker": self.broker,
            "logDir": self.path,
            "safeToPull": self.safe,
            "moved": self.moved,
            "bytes": self.bytes,
            "targets": list(self.targets),
            "notes": list(self.notes),
            "cancelled": self.cancelled,
        }

    def lines(self) -> list[str]:
        """For people."""
        where = f"{self.path} on broker {self.broker}"
        if self.cancelled is not None:
            return [f"{where}: {self.cancelled} moves cancelled, no longer cordoned"]
        lines = []
        if self.moved:
            count = f"{self.moved} replica{'s' if self.moved > 1 else ''}"
            lines.append(f"moved {count} ({render.size(self.bytes)}) to {', '.join(self.targets)}")
        lines += [f"note: {note}" for note in self.notes]
        if self.safe:
            lines.append(f"safe to pull: {where} is empty, and gets nothing new (cordoned)")
        else:
            lines.append(f"NOT safe to pull: {where}")
        return lines


def plan(
    broker: NodeId, found: Sequence[LogDirDescription], path: LogDir
) -> tuple[dict[Replica, LogDir], tuple[str, ...]]:
    """The target of each replica of `path` that stays, and what could not be planned.

    Only what is in that directory moves; the others' replicas stay where they are. Of directories
    on one device one takes replicas: what is free there is free once.
    """
    online = [d for d in found if d.online]
    takers = _takers([d for d in online if d.path != path and not d.cordoned])
    directories: list[DirectoryLoad] = []
    placed: dict[TopicPartition, ReplicaLoad] = {}
    for d in online:
        if d.usable is None:
            return {}, (f"broker {broker} does not report the free space of {d.path}",)
        here = d.path == path
        directories.append(DirectoryLoad(d.path, d.usable + _held(d), d.path in takers, here))
        for name, log in d.current.items():
            placed[name] = ReplicaLoad(*name, d.path, log.size, pinned=not here)
    for d in online:
        for name, log in d.future.items():
            size = max(log.size, placed[name].size if name in placed else 0)
            placed[name] = ReplicaLoad(*name, d.path, size, pinned=True)
    planned = plan_broker(broker, directories, list(placed.values()), Band(0.05))
    moves = [move for move in planned.moves if move.source == path]
    return {Replica(m.topic, m.partition, broker): m.target for m in moves}, planned.notes


def not_leaving(found: Sequence[LogDirDescription], path: LogDir) -> set[TopicPartition]:
    """The replicas of a directory that are not on their way to another one.

    While Apache Kafka's broker puts a copy in place, it reports the replica in both directories.
    """
    elsewhere = [d for d in found if d.path != path]
    leaving = {name for d in elsewhere for name in (*d.current, *d.future)}
    return {name for d in found if d.path == path for name in d.current} - leaving


def _held(directory: LogDirDescription) -> int:
    """Bytes of the replicas in a directory, and of those on their way there."""
    return sum(log.size for log in (*directory.current.values(), *directory.future.values()))


def _takers(open_: Sequence[LogDirDescription]) -> set[LogDir]:
    """One directory of each device, that with the fewest bytes."""
    rooms = [Room(d.path, d.total, d.usable, _held(d)) for d in open_ if d.usable is not None]
    return {min(device, key=lambda room: room.used).path for device in devices(rooms)}


async def drain(
    admin: AdminClient, broker: NodeId, path: LogDir, outlasting: Outlasting | None = None
) -> Drained:
    """Empty a directory; Unusable says what stands in the way.

    `outlasting`: how long the broker may be away meanwhile; None: not at all.
    """
    found = await admin.describe_log_dirs([broker])[broker]
    if not pick(found, broker, path).online:
        raise Unusable(
            f"{path} on broker {broker} is offline: nothing can be read from it. Its replicas live "
            "on where others have them; `spindle disks replace` adopts a blank disk in its place"
        )
    if not [d for d in found if d.online and d.path != path and not d.cordoned]:
        raise Unusable(
            f"broker {broker} has no other directory that is online and not cordoned: move the "
            "replicas to other brokers with `spindle reassign`"
        )
    await cordon(admin, broker, path, True)
    run = _Run(admin, broker, path, outlasting)
    await run.until_empty()
    return await _judge(admin, run)


class _Run:
    """A drain under way."""

    def __init__(
        self, admin: AdminClient, broker: NodeId, path: LogDir, outlasting: Outlasting | None
    ) -> None:
        self.admin, self.broker, self.path = admin, broker, path
        self._outlasting = outlasting
        self.tries: Counter[Replica] = Counter()
        self.seen: dict[TopicPartition, int] = {}
        """Bytes of each replica that was there."""
        self.targets: dict[LogDir, None] = {}

    async def until_empty(self) -> None:
        """Send replicas away until none is left; new ones cannot come."""
        with render.transfer(f"draining {self.path}", 0) as report:
            while True:
                found = await self._look()
                here = pick(found, self.broker, self.path)
                if not here.online:
                    raise Unusable(f"{self.path} on broker {self.broker} has failed meanwhile")
                if not here.cordoned:
                    raise Unusable(
                        f"{self.path} on broker {self.broker} is no longer cordoned: "
                        "another command has stopped the drain"
                    )
                self.seen |= {
                    n: max(log.size, self.seen.get(n, 0)) for n, log in here.current.items()
                }
                report(self._done(found, here), sum(self.seen.values()))
                if not here.current and not here.future:
                    return
                await self._send_away(found, here)
                await asyncio.sleep(EVERY_S)

    async def _look(self) -> Sequence[LogDirDescription]:
        waited_for = f"broker {self.broker}"
        while True:
            began = time.monotonic()
            try:
                found = await self.admin.describe_log_dirs([self.broker])[self.broker]
            except (Unreachable, OutOfTime) as failure:
                outlasting = self._outlasting
                if outlasting is None or not is_passing(failure):
                    raise
                if not await outlasting.goes_on(waited_for, began, str(failure)):
                    raise
                continue
            if self._outlasting is not None:
                self._outlasting.on_answer(waited_for)
            return found

    def _done(self, found: Sequence[LogDirDescription], here: LogDirDescription) -> int:
        copied = {n: log.size for d in found if d is not here for n, log in d.future.items()}
        left = sum(max(0, log.size - copied.get(name, 0)) for name, log in here.current.items())
        return sum(self.seen.values()) - left

    async def _send_away(self, found: Sequence[LogDirDescription], here: LogDirDescription) -> None:
        elsewhere = [d for d in found if d is not here]
        homes = {name: d.path for d in elsewhere for name in d.current}
        back = {Replica(*name, self.broker): homes[name] for name in here.future if name in homes}
        staying = not_leaving(found, self.path)
        wanted: dict[Replica, LogDir] = {}
        if staying:
            targets, notes = plan(self.broker, found, self.path)
            wanted = {r: target for r, target in targets.items() if r.name in staying}
            missing = sorted(n for n in staying if Replica(*n, self.broker) not in wanted)
            if missing:
                why = "; ".join(notes) or "no directory has room for them"
                raise Unusable(f"{self._some(missing)} cannot leave {self.path}: {why}")
        self.tries.update(list(wanted))
        stuck = [r.name for r, count in self.tries.items() if count > TRIES_MAX]
        if stuck:
            raise Unusable(
                f"{self._some(stuck)} did not leave {self.path} in {TRIES_MAX} attempts: the log "
                f"of broker {self.broker} says why; then repeat the command"
            )
        self.targets |= dict.fromkeys(wanted.values())
        await self._alter({**back, **wanted})

    async def _alter(self, wanted: dict[Replica, LogDir]) -> None:
        for replica, result in (await self.admin.alter_replica_log_dirs(wanted).settled()).items():
            gone = isinstance(result, Refused) and result.error in (
                Error.UNKNOWN_TOPIC_OR_PARTITION,
                Error.REPLICA_NOT_AVAILABLE,
            )
            if isinstance(result, PeerFailed) and self._outlasting is not None:
                self.tries[replica] -= 1  # It may have begun: the next look shows it.
            elif isinstance(result, Exception) and not gone:
                raise Unusable(f"{replica} cannot leave {self.path}: {result}")

    def _some(self, names: Sequence[TopicPartition]) -> str:
        more = f" and {len(names) - _NAMES_MAX} more" if len(names) > _NAMES_MAX else ""
        return ", ".join(map(str, names[:_NAMES_MAX])) + more


async def _judge(admin: AdminClient, run: _Run) -> Drained:
    """Whether an empty directory may be pulled, and what goes with it."""
    notes, safe = [], True
    resource = Resource(Type.BROKER, str(run.broker))
    names = ["metadata.log.dir", "log.dirs", "log.dir"]
    settings = await admin.describe_configs([resource], names=names)[resource]
    values = [settings[name].value for name in names if name in settings]
    metadata = next((value for value in values if value), "").split(",")[0].strip()
    if metadata == run.path:
        safe = False
        notes.append(
            "the broker's metadata log is there, and without it the broker stops: stop the broker "
            "before the disk is pulled, and give it a metadata.log.dir of its own"
        )
    (told,) = (await admin.describe_disks([run.broker]).settled()).values()
    harmless, others = what_else_is_there(told, run.path)
    safe, notes = safe and harmless, [*notes, *others]
    moved = sum(run.seen.values())
    targets = tuple(run.targets)
    return Drained(run.broker, run.path, safe, len(run.seen), moved, targets, tuple(notes))


def what_else_is_there(
    told: Sequence[DiskDescription] | Exception, path: LogDir
) -> tuple[bool, list[str]]:
    """Whether what a directory holds beside its replicas may go with it, and what is to be said.

    `told`: its broker's report of its disks, or why there is none.
    """
    if isinstance(told, Exception):
        if roll.is_unserved(told):
            return True, []  # Apache Kafka's: it keeps nothing more there than it tells of.
        return False, [f"whether anything else is there is not known: {told}"]
    disk = next((d for d in told if d.path == path), None)
    if disk is None or not disk.online:
        state = "no longer in log.dirs" if disk is None else disk.state
        return False, [f"the directory is {state} by now: drain it again"]
    if not disk.cordoned:
        return False, ["the directory takes new replicas again: drain it again"]
    notes = []
    if disk.offline_replicas:
        notes.append(f"{disk.offline_replicas} replicas there cannot be read: see the broker's log")
    if disk.stray_bytes:
        strays = render.size(disk.stray_bytes)
        notes.append(f"{strays} of logs that no topic claims (-stray) go with it")
    return not disk.offline_replicas, notes


async def cancel(admin: AdminClient, broker: NodeId, path: LogDir) -> Drained:
    """Stop a drain: lift the cordon, and let what is on its way out stay."""
    await cordon(admin, broker, path, False)
    found = await admin.describe_log_dirs([broker])[broker]
    here = pick(found, broker, path)
    leaving = {name for d in found if d is not here for name in d.future}
    stay = {Replica(*name, broker): path for name in here.current if name in leaving}
    await admin.alter_replica_log_dirs(stay).all()
    return Drained(broker, path, False, 0, 0, cancelled=len(stay))
