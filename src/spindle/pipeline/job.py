"""The pipeline's stages in order, as one thing to hold: sample, load, plan, JSON.

Builds nothing that a stage does not need and collects only plans and sums. Used by the commands
and the demo; `execute` stands apart, since it needs no Spark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spindle.model.errors import Unusable
from spindle.pipeline import history, load, plan
from spindle.pipeline.sources import FORMAT, LogDirs
from spindle.planning.load import Band, Move


@dataclass(frozen=True, slots=True)
class DirectoryNow:
    """A directory's load (bytes) before the plan and after it.

    `capacity`: bytes that replicas may take here; 0 where that is unknown.
    """

    broker: int
    path: str
    online: bool
    capacity: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """The plan of a whole cluster. `bound`: bytes that any plan must move at least."""

    directories: tuple[DirectoryNow, ...]
    waves: tuple[tuple[Move, ...], ...]
    bound: int
    notes: tuple[str, ...]
    silent: tuple[tuple[int, str], ...]
    """Brokers that told nothing, and why."""

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves, in order."""
        return tuple(move for wave in self.waves for move in wave)

    @property
    def bytes_moved(self) -> int:
        """Bytes that the plan moves."""
        return sum(move.size for move in self.moves)


def propose(
    spark: SparkSession,
    bootstrap: str,
    history_dir: Path,
    band: Band,
    drain: Sequence[str] = (),
    exclude: Sequence[str] = (),
    moves_per_disk: int = 1,
) -> Proposal:
    """Sample a cluster, keep the sample in the history, and plan from it.

    `drain`: directories to empty, as `broker:path`; `exclude`: those that take nothing, likewise.
    Unusable where the cluster has no such directory, or Spark cannot do its part.
    """
    try:
        return _propose(
            spark, bootstrap, history_dir, band, tuple(drain), tuple(exclude), moves_per_disk
        )
    except PySparkException as error:
        raise Unusable(f"Spark could not sample and plan: {_core(str(error))}") from error


def _core(words: str) -> str:
    """What matters of an error that Spark tells in hundreds of lines: its first line, its cause.

    The cause is the last line of a Python traceback in it, where there is one.
    """
    told = words.partition("JVM stacktrace")[0].splitlines()
    causes = [line.strip() for line in told if re.match(r"[\w.]*[A-Z]\w*: \S", line)]
    return "; ".join(dict.fromkeys([told[0] if told else "it says nothing", *causes[-1:]]))


def _propose(
    spark: SparkSession,
    bootstrap: str,
    history_dir: Path,
    band: Band,
    drain: tuple[str, ...],
    exclude: tuple[str, ...],
    moves_per_disk: int,
) -> Proposal:
    spark.dataSource.register(LogDirs)
    live = spark.read.format(FORMAT).option("bootstrap", bootstrap).load()
    file = history.append(live, history_dir)
    if file is None:
        return Proposal((), (), 0, ("no broker is registered",), ())
    samples = history.read_files(spark, [file])
    silent = samples.where("broker_error is not null").select("broker", "broker_error").collect()
    now = load.latest(samples).cache()
    directories = load.directories(now).cache()
    there = directories.orderBy("broker", "directory").collect()
    _check_names([*drain, *exclude], [f"{d.broker}:{d.directory}" for d in there])
    rows = plan.plan(now, directories, band, drain, exclude, moves_per_disk).collect()
    moves = [
        (row.wave, Move(row.broker, row.topic, row.partition, row.source, row.target, row.size))
        for row in rows
        if row.topic is not None
    ]
    waves = tuple(
        tuple(move for number, move in moves if number == wave)
        for wave in range(max((number for number, _ in moves), default=-1) + 1)
    )
    bounds = {row.broker: (row.bound, tuple(row.notes)) for row in rows}
    return Proposal(
        directories=tuple(
            DirectoryNow(
                d.broker, d.directory, d.online, d.capacity or 0, d.used,
                d.used + _change(d.broker, d.directory, [move for _, move in moves]),
            )
            for d in there
        ),
        waves=waves,
        bound=sum(bound for bound, _ in bounds.values()),
        notes=tuple(f"broker {b}: {note}" for b, (_, notes) in bounds.items() for note in notes),
        silent=tuple((row.broker, row.broker_error) for row in silent),
    )  # fmt: skip


def _check_names(wanted: Sequence[str], there: Sequence[str]) -> None:
    for name in wanted:
        if name not in there:
            raise Unusable(
                f"the cluster has no log directory {name}; write BROKER:PATH, one of: "
                + (", ".join(there) or "none, no broker answered")
            )


def _change(broker: int, directory: str, moves: Sequence[Move]) -> int:
    own = [move for move in moves if move.broker == broker]
    coming = sum(move.size for move in own if move.target == directory)
    return coming - sum(move.size for move in own if move.source == directory)
