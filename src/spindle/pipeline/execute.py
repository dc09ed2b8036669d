"""Carries a plan out, wave by wave, and verifies it: the only stage that changes a cluster.

Works through the AdminClient alone, so on Apache Kafka as well. Idempotent: what is where it
should be already counts as done. Cancelled, it takes back the moves that are under way. Called by
the commands; knows no Spark.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from spindle.client.admin import AdminClient
from spindle.client.results import (
    Change,
    ConfigChange,
    ConfigSource,
    Replica,
    ReplicaLogDirs,
    Resource,
    ResourceType,
)
from spindle.model.errors import Error, Refusal
from spindle.planning.load import Move

THROTTLE = "replica.alter.log.dirs.io.max.bytes.per.second"
POLL_SECONDS = 0.25
STALL_SECONDS = 120.0
"""A wave that copies nothing for this long is given up, with the moves that hang."""
STILL_SECONDS = 3.0
"""A replica that is neither there nor on its way for this long is not going to be."""
ROOM_SECONDS = 90.0
"""How long a wave waits for room: brokers delete what has moved away a minute later (60 s)."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an execution is. Bytes are those of the moves, also inside a move."""

    wave: int
    waves: int
    done_moves: int
    moves: int
    done_bytes: int
    bytes: int
    seconds: float

    @property
    def rate(self) -> float:
        """Bytes per second so far."""
        return self.done_bytes / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At this rate; None before there is one."""
        return (self.bytes - self.done_bytes) / self.rate if self.rate else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a plan: moves that are where they should be, and those that are not, why."""

    done: tuple[Move, ...]
    failed: tuple[tuple[Move, str], ...]
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether every replica is where the plan wants it."""
        return not self.failed

    def verified(self, wrong: Sequence[tuple[Move, str]]) -> Outcome:
        """The outcome after a look at where replicas are: those that are not there have failed."""
        misplaced = {move for move, _ in wrong}
        done = tuple(move for move in self.done if move not in misplaced)
        return Outcome(done, (*self.failed, *wrong), self.seconds)


async def execute(
    admin: AdminClient,
    waves: Sequence[Sequence[Move]],
    progress: Callable[[Progress], None] = lambda _: None,
    throttle: int | None = None,
) -> Outcome:
    """Run all waves in order; `throttle` in bytes/s per broker while it runs, then as before."""
    began = time.monotonic()
    done: list[Move] = []
    failed: list[tuple[Move, str]] = []
    total = sum(move.size for wave in waves for move in wave)
    count = sum(map(len, waves))
    async with _throttled(admin, {m.broker for wave in waves for m in wave}, throttle):
        for number, wave in enumerate(waves):

            def tell(inside: int, number: int = number) -> None:
                seconds = time.monotonic() - began
                bytes_done = sum(m.size for m in done) + inside
                progress(Progress(number, len(waves), len(done), count, bytes_done, total, seconds))

            outcomes = await _run_wave(admin, wave, tell)
            for move, error in outcomes.items():
                if error is None:
                    done.append(move)
                else:
                    failed.append((move, error))
            tell(0)
    return Outcome(tuple(done), tuple(failed), time.monotonic() - began)


async def verify(admin: AdminClient, moves: Sequence[Move]) -> list[tuple[Move, str]]:
    """Which replicas are not in the directory that the plan names, and where they are instead.

    Of a replica that moves twice the last move counts.
    """
    moves = list({_replica(move): move for move in moves}.values())
    places = await admin.describe_replica_log_dirs([_replica(m) for m in moves]).settled()
    wrong = []
    for move in moves:
        place = places[_replica(move)]
        if isinstance(place, Exception):
            wrong.append((move, str(place)))
        elif place.current != move.target or place.future is not None:
            wrong.append((move, f"in {place.current}, going to {place.future}"))
    return wrong


async def _run_wave(
    admin: AdminClient, wave: Sequence[Move], tell: Callable[[int], None]
) -> dict[Move, str | None]:
    """Each move's end: None when it is done, else why not."""
    outcomes: dict[Move, str | None] = dict(await _without_room(admin, wave))
    wanted = {_replica(move): move.target for move in wave if move not in outcomes}
    try:
        started = await admin.alter_replica_log_dirs(wanted).settled()
        for move in wave:
            error = started.get(_replica(move))
            if isinstance(error, Exception):
                outcomes[move] = _reason(error)
        await _watch(admin, wave, outcomes, tell)
    except asyncio.CancelledError:
        back = {_replica(move): move.source for move in wave if move not in outcomes}
        await admin.alter_replica_log_dirs(back).settled()
        raise
    return outcomes


async def _watch(
    admin: AdminClient,
    wave: Sequence[Move],
    outcomes: dict[Move, str | None],
    tell: Callable[[int], None],
) -> None:
    """Follow a wave until each of its moves has an outcome."""
    last_change, last_inside = time.monotonic(), -1
    still: dict[Move, float] = {}
    while waiting := [move for move in wave if move not in outcomes]:
        inside, now = 0, time.monotonic()
        places = await admin.describe_replica_log_dirs([_replica(m) for m in waiting]).settled()
        for move in waiting:
            place = places[_replica(move)]
            if isinstance(place, Exception):
                continue  # A broker that is away for a moment: the stall limit decides.
            if place.current == move.target and place.future is None:
                outcomes[move] = None
            elif place.future == move.target:
                inside += min(place.future_size, move.size)
                still.pop(move, None)
            elif now - still.setdefault(move, now) > STILL_SECONDS:
                outcomes[move] = _not_moving(place)
        inside += sum(m.size for m, error in outcomes.items() if error is None)
        tell(inside)
        if inside != last_inside:
            last_change, last_inside = now, inside
        elif now - last_change > STALL_SECONDS:
            outcomes |= dict.fromkeys(waiting, f"nothing was copied for {STALL_SECONDS:g} s")
        if any(move not in outcomes for move in wave):
            await asyncio.sleep(POLL_SECONDS)


def _not_moving(place: ReplicaLogDirs) -> str:
    if place.current is not None:
        return f"it is in {place.current} and is not moving"
    dead = ", ".join(place.offline_dirs)
    return "no readable directory of the broker has it" + (f"; offline: {dead}" if dead else "")


async def _without_room(admin: AdminClient, wave: Sequence[Move]) -> dict[Move, str]:
    """The moves whose directories do not get the room that they need, and why they do not run.

    What moved away earlier is deleted later; waits for that as long as it can make a difference.
    """
    coming: dict[tuple[int, str], int] = {}
    for move in wave:
        place = (move.broker, move.target)
        coming[place] = coming.get(place, 0) + move.size
    deadline = time.monotonic() + ROOM_SECONDS
    while True:
        free = await _free(admin, {broker for broker, _ in coming})
        short = {place for place, size in coming.items() if free.get(place, size) < size}
        if not short:
            return {}
        if time.monotonic() > deadline:
            return {
                move: f"{move.target} has only {free[move.broker, move.target]} bytes free"
                for move in wave
                if (move.broker, move.target) in short
            }
        await asyncio.sleep(4 * POLL_SECONDS)


async def _free(admin: AdminClient, brokers: set[int]) -> dict[tuple[int, str], int]:
    """Bytes free in each directory whose broker tells."""
    told = await admin.describe_log_dirs(sorted(brokers), partitions=()).settled()
    return {
        (broker, directory.path): directory.usable
        for broker, directories in told.items()
        if not isinstance(directories, Exception)
        for directory in directories
        if directory.usable is not None
    }


@asynccontextmanager
async def _throttled(
    admin: AdminClient, brokers: set[int], rate: int | None
) -> AsyncIterator[None]:
    if rate is None:
        yield
        return
    resources = [Resource(ResourceType.BROKER, str(broker)) for broker in sorted(brokers)]
    before = await admin.describe_configs(resources).all()
    setting = ConfigChange(THROTTLE, Change.SET, str(rate))
    await admin.incremental_alter_configs({r: [setting] for r in resources}).all()
    try:
        yield
    finally:
        back = {}
        for resource in resources:
            old = before[resource].get(THROTTLE)
            dynamic = old is not None and old.source == ConfigSource.DYNAMIC_BROKER
            back[resource] = [
                ConfigChange(THROTTLE, Change.SET, old.value)
                if dynamic and old is not None
                else ConfigChange(THROTTLE, Change.DELETE)
            ]
        await admin.incremental_alter_configs(back).all()


def _replica(move: Move) -> Replica:
    return Replica(move.topic, move.partition, move.broker)


def _reason(error: Exception) -> str:
    if isinstance(error, Refusal) and error.error == Error.REPLICA_NOT_AVAILABLE:
        return "the broker does not have this replica any more"
    return str(error)
