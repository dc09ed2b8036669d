"""An audit from the paths that a user names to the counts that a user reads. For the command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from pyspark.sql import functions as F

from spindle.pipeline import audit_job, sequences
from spindle.pipeline.session import Session
from spindle.pipeline.spark_messages import in_few_words


@dataclass(frozen=True, slots=True)
class AuditResult:
    """What an audit counted. `rows`: partitions or logs by name, the worst first.

    `basis`: what was compared, in words; `faulty`: how many rows there are with faults in all;
    `claim`: what holds where nothing is wrong; `limits`: what could not be judged by this.
    """

    basis: str
    sound: bool
    counts: dict[str, int]
    rows: tuple[tuple[str, dict[str, int]], ...]
    faulty: int
    claim: str
    limits: tuple[str, ...] = ()

    @property
    def compared(self) -> bool:
        """Whether there was anything to compare."""
        return next(iter(self.counts.values())) > 0


def count(
    spark: Session,
    produced: Sequence[str],
    consumed: Sequence[str] = (),
    disks: Sequence[str] = (),
    topics: Sequence[str] = (),
) -> AuditResult:
    """Compare manifests with each other or with disks; disks alone by sequence numbers.

    Unusable where Spark cannot do its part.
    """
    with in_few_words("audit"):
        if not produced:
            return _by_numbers(spark, disks, topics)
        return _by_manifest(spark, produced, consumed, disks, topics)


def _by_numbers(spark: Session, disks: Sequence[str], topics: Sequence[str]) -> AuditResult:
    logs = sequences.judge(spark, disks, topics)
    rows = tuple(
        (f"{disk}/{log}".rstrip("/"), asdict(fates)) for disk, log, _, _, fates in logs.logs
    )
    basis = "sequence numbers of idempotent producers on disk; a record counts in each copy"
    limits = [
        "values are not compared, and a log that ends too early is not noticed: that takes a"
        " manifest (--produced)"
    ]
    if logs.unjudged:
        limits.append(
            f"{logs.unjudged} logs without a record of an idempotent producer were not judged"
        )
    claim = "no sequence number is missing, doubled or out of order"
    counts = asdict(logs.whole)
    return AuditResult(basis, logs.whole.sound, counts, rows, logs.faulty, claim, tuple(limits))


def _by_manifest(
    spark: Session,
    produced: Sequence[str],
    consumed: Sequence[str],
    disks: Sequence[str],
    topics: Sequence[str],
) -> AuditResult:
    wanted = F.col("topic").isin(list(topics)) if topics else F.lit(True)
    told = audit_job.manifest(spark, produced).where(wanted)
    key: tuple[str, ...] = audit_job.BY_PLACE
    if disks:
        got = audit_job.on_disk(spark, disks, topics)
        numbered = audit_job.tells_sequences(told)
        basis = "producers' acknowledgements and the records on disk, by offset"
    else:
        got = audit_job.manifest(spark, consumed).where(wanted)
        numbered = audit_job.tells_sequences(told)
        if numbered and audit_job.tells_sequences(got):
            key = audit_job.BY_SEQUENCE
        basis = f"producers' acknowledgements and consumed records, by {' and '.join(key)}"
    judged = audit_job.judge(told, got, key)
    rows = tuple((f"{topic}-{n}", asdict(fates)) for topic, n, fates in judged.partitions)
    claim, limits = "each is there, once", []
    if audit_job.tells(told, "checksum") and audit_job.tells(got, "checksum"):
        claim += ", unchanged"
    else:
        limits.append("values were not compared: a manifest has no checksums")
    if numbered:
        claim += " and in its place"
    else:
        limits.append("the order was not compared: a manifest has no producers and sequences")
    counts = asdict(judged.whole)
    return AuditResult(basis, judged.whole.sound, counts, rows, judged.faulty, claim, tuple(limits))
