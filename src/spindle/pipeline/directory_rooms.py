"""What the directories of an execution allow: bytes in them, room, rests, and moves at a time.

Decides nothing but whether one more move fits. Called by `execution` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from spindle.pipeline.execution_values import ClusterLook, ExecutionRules, Place
from spindle.pipeline.move_tasks import MoveTask
from spindle.planning.schedule import WaveLimits


class DirectoryRooms:
    """The bytes that the plan expects in each directory, and until when each one rests."""

    def __init__(self, rules: ExecutionRules) -> None:
        self._rules = rules
        self._used = {place: room.used for place, room in rules.rooms.items()}
        self._rested: dict[Place, float] = {}
        """When a directory has rested enough from its moves so far, by its rate."""

    def on_rate(self, disk_rate: float | None) -> None:
        """The bytes/s that moves may copy from and to a directory from now on."""
        self._rules = replace(self._rules, disk_rate=disk_rate)

    def on_moved(self, task: MoveTask) -> None:
        """A move is done: its bytes are elsewhere."""
        for place, size in ((task.source, -task.size), (task.target, task.size)):
            if place in self._used:
                self._used[place] += size

    def on_counted(self, used: Mapping[Place, int]) -> None:
        """These bytes are there now, as a new plan has found them."""
        self._used |= {place: size for place, size in used.items() if place in self._used}

    def has_drifted(
        self, used: Mapping[Place, int], running: Iterable[MoveTask], least: int
    ) -> bool:
        """Whether a directory is off from what the plan expects by more than the rules allow."""
        coming = Counter[Place]()
        for task in running:
            # Between brokers what is coming counts as a replica already; within one it does not.
            if task.move.between:
                coming[task.target] += min(task.inside, task.size)
        mean = sum(used.values()) / max(1, len(used))
        limit = max(self._rules.drift * mean, least)
        return any(
            abs(used[place] - coming[place] - expected) > limit
            for place, expected in self._used.items()
            if place in used
        )

    def left(self, look: ClusterLook, running: Iterable[MoveTask]) -> dict[Place, int]:
        """Bytes that each directory still takes, with what is on its way there."""
        room = {}
        for place, free in look.free.items():
            known = self._rules.rooms.get(place)
            room[place] = free - (known.reserve if known is not None else 0)
        for task in running:
            if task.target in room:
                room[task.target] -= max(0, task.size - task.inside)
        return room

    def benefit(self, task: MoveTask) -> tuple[float, int, str, int]:
        """The order of moves: from the fullest source to the emptiest target first."""
        relief = self._fullness(task.source) - self._fullness(task.target)
        return (-round(relief, 6), -task.size, task.move.topic, task.move.partition)

    def _fullness(self, place: Place) -> float:
        room = self._rules.rooms.get(place)
        return self._used[place] / room.capacity if room is not None and room.capacity else 0.0

    def is_any_resting(self, now: float) -> bool:
        """Whether a directory rests."""
        return any(at > now for at in self._rested.values())

    def is_rested(self, task: MoveTask, now: float) -> bool:
        """Whether neither directory of a move rests."""
        return all(self._rested.get(place, now) <= now for place in (task.source, task.target))

    def tire(self, task: MoveTask, now: float) -> None:
        """The disks of a move rest after it until it has taken as long as their rate allows."""
        if self._rules.disk_rate is not None:
            for place in (task.source, task.target):
                begun = max(now, self._rested.get(place, now))
                self._rested[place] = begun + task.size / self._rules.disk_rate


class BusyHands:
    """The moves of each disk and broker now, for the limits."""

    def __init__(self, limits: WaveLimits, running: Iterable[MoveTask]) -> None:
        self._limits = limits
        self._busy: Counter[tuple[str, object]] = Counter()
        for task in running:
            self.take(task)

    def free_for(self, task: MoveTask) -> bool:
        """Whether all that take part have a hand free."""
        return all(not limit or self._busy[who] < limit for who, limit in self._parts(task))

    def take(self, task: MoveTask) -> None:
        """They take part in it from now on."""
        self._busy.update(who for who, _ in self._parts(task))

    def _parts(self, task: MoveTask) -> list[tuple[tuple[str, object], int]]:
        disks = dict.fromkeys((task.source, task.target))
        brokers = dict.fromkeys((task.move.broker, task.move.to))
        return [
            *((("disk", place), self._limits.moves_per_disk) for place in disks),
            *((("broker", broker), self._limits.moves_per_broker) for broker in brokers),
        ]


def turns(waiting: Sequence[MoveTask], room: Mapping[Place, int]) -> dict[Place, int]:
    """The wave whose turn it is in each directory that cannot hold all that waits for it."""
    coming: Counter[Place] = Counter()
    for task in waiting:
        coming[task.target] += task.size
    tight = {place for place, size in coming.items() if size > room.get(place, size)}
    due: dict[Place, int] = {}
    for task in waiting:
        if task.target in tight:
            due[task.target] = min(task.wave, due.get(task.target, task.wave))
    return due
