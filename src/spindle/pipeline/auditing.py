"""An audit from the paths that a user names to the counts that a user reads. For the command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from spindle.model.errors import Unusable
from spindle.pipeline import audit, sequences
from spindle.pipeline.session import Session
from spindle.pipeline.words import core


@dataclass(frozen=True, slots=True)
class Found:
    """What an audit counted. `rows`: partitions or logs by name, the worst first.

    `basis`: what was compared, in words; `faulty`: how many rows there are with faults in all.
    """

    basis: str
    sound: bool
    counts: dict[str, int]
    rows: tuple[tuple[str, dict[str, int]], ...]
    faulty: int


def count(
    spark: Session,
    produced: Sequence[str],
    consumed: Sequence[str] = (),
    disks: Sequence[str] = (),
    topics: Sequence[str] = (),
) -> Found:
    """Compare manifests with each other or with disks; disks alone by sequence numbers.

    Unusable where Spark cannot do its part.
    """
    try:
        if not produced:
            return _by_numbers(spark, disks, topics)
        return _by_manifest(spark, produced, consumed, disks, topics)
    except PySparkException as error:
        raise Unusable(f"Spark could not audit: {core(str(error))}") from error


def _by_numbers(spark: Session, disks: Sequence[str], topics: Sequence[str]) -> Found:
    logs = sequences.judge(spark, disks, topics)
    rows = tuple(
        (f"{disk}/{log}".rstrip("/"), asdict(fates)) for disk, log, _, _, fates in logs.logs
    )
    basis = "sequence numbers of idempotent producers on disk"
    return Found(basis, logs.whole.sound, asdict(logs.whole), rows, logs.faulty)


def _by_manifest(
    spark: Session,
    produced: Sequence[str],
    consumed: Sequence[str],
    disks: Sequence[str],
    topics: Sequence[str],
) -> Found:
    told = audit.manifest(spark, produced)
    if topics:
        told = told.where(F.col("topic").isin(list(topics)))
    key: tuple[str, ...] = audit.BY_PLACE
    if disks:
        got = audit.on_disk(spark, disks, topics)
        basis = "what producers were told, and the records on disk, by offset"
    else:
        got = audit.manifest(spark, consumed)
        if audit.tells_sequences(told) and audit.tells_sequences(got):
            key = audit.BY_SEQUENCE
        basis = f"what producers were told and consumers got, by {' and '.join(key)}"
    judged = audit.judge(told, got, key)
    rows = tuple((f"{topic}-{n}", asdict(fates)) for topic, n, fates in judged.partitions)
    return Found(basis, judged.whole.sound, asdict(judged.whole), rows, judged.faulty)
