"""Samples of made-up clusters, as brokers would answer: what plans with and without Spark take."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from spindle.client.log_dirs import LogDirs
from spindle.client.results import LogDescription, LogDirDescription
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.pipeline.sampling import ClusterSample

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TERA = 1 << 40
Logs = dict[TopicPartition, LogDescription]


def directory(
    path: str,
    current: Logs,
    future: Logs | None = None,
    *,
    online: bool = True,
    cordoned: bool = False,
    room: tuple[int, int] | None = (TERA, TERA // 2),
) -> LogDirDescription:
    """A directory; `room`: total and free bytes, None where the broker does not say."""
    total, usable = room or (None, None)
    error = Error.NONE if online else Error.KAFKA_STORAGE_ERROR
    return LogDirDescription(
        path=path, error=error, total=total, usable=usable, cordoned=cordoned, current=current,
        future=future or {},
    )  # fmt: skip


def log(size: int, *, future: bool = False) -> LogDescription:
    """A log of so many bytes."""
    return LogDescription(size, 0, future)


def uneven(
    seed: int, brokers: int = 6, directories: int = 4, partitions: int = 400
) -> ClusterSample:
    """A cluster whose first disks are the fullest, with all that complicates a plan.

    Broker 2 has two directories on one device and a move under way, 3 one that is cordoned and one
    that is offline; 5 does not say what space it has, 6 does not answer.
    """
    chance = random.Random(seed)
    logs: dict[int, list[Logs]] = {b: [{} for _ in range(directories)] for b in range(1, brokers)}
    for number in range(partitions):
        for broker in chance.sample(range(1, brokers), 3):
            place = min(chance.randrange(directories), chance.randrange(directories))
            size = int(chance.paretovariate(1.3) * (1 << 26))
            name = TopicPartition(f"topic-{number // 40}", number % 40)
            logs[broker][place][name] = log(size)
    answers: dict[int, LogDirs | Exception] = {
        broker: tuple(_kind(broker, n, current) for n, current in enumerate(theirs))
        for broker, theirs in logs.items()
    }
    answers[brokers] = ConnectionError("nothing listens there")
    return ClusterSample(NOON, answers)


def _kind(broker: int, number: int, current: Logs) -> LogDirDescription:
    path = f"/disk{number}"
    held = sum(found.size for found in current.values())
    room: tuple[int, int] | None = (TERA, TERA - held - broker * (1 << 31) - number * (1 << 32))
    if broker == 2 and number < 2:
        room = (TERA, TERA // 3)
    if broker == 2 and number == 3:
        return directory(path, current, {TopicPartition("topic-0", 0): log(9, future=True)})
    if broker == 3 and number == 2:
        return directory(path, {}, online=False, room=None)
    return directory(
        path, current, cordoned=(broker, number) == (3, 3), room=None if broker == 5 else room
    )
