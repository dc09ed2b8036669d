"""The pipeline's stages in order, as one thing to hold: sample, load, plan, JSON.

Builds nothing that a stage does not need and collects only plans and sums. Used by the commands
and the demo; `execution` stands apart, since it needs no Spark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spindle.model.errors import Unusable
from spindle.pipeline import forecast, history, load, plan
from spindle.pipeline.proposal import DirectoryNow, Proposal, Wanted
from spindle.pipeline.sources import FORMAT, LogDirs
from spindle.pipeline.whole import Racks
from spindle.pipeline.words import core
from spindle.planning.load import HERE, Move


def propose(
    spark: SparkSession,
    bootstrap: str,
    history_dir: Path | str,
    wanted: Wanted,
    ahead: float = 0.0,
    racks: Racks | None = None,
) -> Proposal:
    """Sample a cluster, keep the sample in the history, and plan from it.

    `ahead`: plan for the load in so many days, by each replica's growth in the history. Unusable
    where the cluster has no directory that is wanted empty or spared, or Spark cannot do its part.
    """
    with in_few_words():
        file = sample(spark, bootstrap, history_dir)
        if file is None:
            return Proposal((), (), 0, ("no broker is registered",), (), wanted)
        samples = history.read_files(spark, [file])
        now = load.latest(samples)
        later = now
        if ahead:
            later = forecast.grown(now, forecast.recent(history.read(spark, history_dir)), ahead)
        return proposed(samples, now, load.directories(now), wanted, later, racks)


def sample(spark: SparkSession, bootstrap: str, history_dir: Path | str) -> str | None:
    """Add a sample of a cluster to the history; its file, None where no broker is registered."""
    spark.dataSource.register(LogDirs)
    live = spark.read.format(FORMAT).option("bootstrap", bootstrap).load()
    return history.append(live, history_dir)


def proposed(
    samples: DataFrame,
    now: DataFrame,
    directories: DataFrame,
    wanted: Wanted,
    later: DataFrame | None = None,
    racks: Racks | None = None,
) -> Proposal:
    """The plan from each broker's newest sample `now`; `samples` tell who was silent.

    `later`: the same with the sizes that shall be planned for; what is told of moves are those of
    now.
    """
    silent = samples.where("broker_error is not null").select("broker", "broker_error").collect()
    now = now.cache()
    directories = directories.cache()
    there = directories.orderBy("broker", "directory").collect()
    _check_names([*wanted.drain, *wanted.exclude], [f"{d.broker}:{d.directory}" for d in there])
    planned = plan.plan(now if later is None else later, directories, wanted, racks)
    rows = (planned if later is None else _sized(planned, now)).collect()
    moves = [
        (
            row.wave,
            Move(
                row.broker,
                row.topic,
                row.partition,
                row.source,
                row.target,
                row.size,
                HERE if row.destination is None else row.destination,
            ),
        )
        for row in rows
        if row.topic is not None
    ]
    waves = tuple(
        tuple(move for number, move in moves if number == wave)
        for wave in range(max((number for number, _ in moves), default=-1) + 1)
    )
    change = _changes([move for _, move in moves])
    bounds = {row.broker: (row.bound, tuple(row.notes)) for row in rows if row.topic is None}
    bounds |= {row.broker: (row.bound, tuple(row.notes)) for row in rows if not wanted.between}
    at = now.agg(F.max("sampled_at").alias("at")).first()
    return Proposal(
        directories=tuple(
            DirectoryNow(
                d.broker, d.directory, d.online, d.capacity or 0, d.used,
                d.used + change[d.broker, d.directory], d.cordoned,
            )
            for d in there
        ),
        waves=waves,
        bound=sum(bound for bound, _ in bounds.values()),
        notes=tuple(
            note if b == plan.WHOLE else f"broker {b}: {note}"
            for b, (_, notes) in bounds.items()
            for note in notes
        ),
        silent=tuple((row.broker, row.broker_error) for row in silent),
        wanted=wanted,
        sampled_at="" if at is None or at["at"] is None else f"{at['at']:%Y-%m-%dT%H:%M:%SZ}",
    )  # fmt: skip


def _sized(planned: DataFrame, now: DataFrame) -> DataFrame:
    """A plan with the sizes of now; the order within its waves is kept."""
    sizes = now.where("not is_future").select(
        "broker", "topic", "partition", F.col("size").alias("_size")
    )
    numbered = planned.withColumn("_n", F.monotonically_increasing_id())
    joined = numbered.join(sizes, ["broker", "topic", "partition"], "left").orderBy("_n")
    return joined.withColumn("size", F.coalesce("_size", "size")).select(*planned.columns)


@contextmanager
def in_few_words() -> Iterator[None]:
    """What Spark says in hundreds of lines becomes Unusable with one."""
    try:
        yield
    except PySparkException as error:
        raise Unusable(f"Spark could not sample and plan: {core(str(error))}") from error


def _check_names(wanted: Sequence[str], there: Sequence[str]) -> None:
    for name in wanted:
        if name not in there:
            raise Unusable(
                f"the cluster has no log directory {name}; write BROKER:PATH, one of: "
                + (", ".join(there) or "none, no broker answered")
            )


def _changes(moves: Sequence[Move]) -> Counter[tuple[int, str]]:
    """Bytes that come to each directory, less those that leave it."""
    change: Counter[tuple[int, str]] = Counter()
    for move in moves:
        change[move.to, move.target] += move.size
        change[move.broker, move.source] -= move.size
    return change
