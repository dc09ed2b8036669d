"""`spindle audit`: whether every record that was acknowledged is there, once and unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spindle.cli import pages, render
from spindle.cli.charts import Bar, BarPart
from spindle.cli.connecting import AsJson, written
from spindle.cli.exits import End
from spindle.cli.log_dirs import names
from spindle.cli.path_names import ShortName, told_by_difference
from spindle.cli.spark import SparkRemote, spark_session
from spindle.planning.amounts import counted

if TYPE_CHECKING:
    from spindle.pipeline.auditing import AuditResult

ROWS_SHOWN = 40
PICTURED = 40
_FAULTS = ("lost", "doubled", "changed", "reordered", "damaged")


def audit(
    produced: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH|URI",
            help="Manifest of acknowledged records: Parquet, CSV or JSON lines.",
        ),
    ] = None,
    consumed: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH|URI", help="Manifest of consumed records, in the same formats."),
    ] = None,
    log_dir: Annotated[
        list[str] | None,
        typer.Option(metavar="FOLDER", help="A log directory to read; may be repeated."),
    ] = None,
    topic_list: Annotated[str, typer.Option(metavar="TOPIC,...", help="Only these topics.")] = "",
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an HTML page with a picture.")
    ] = None,
    spark_remote: SparkRemote = None,
    as_json: AsJson = False,
) -> None:
    """Count the records that are lost, doubled, changed or out of order.

    --produced and --consumed: two manifests, with the columns topic, partition, offset and, if
    known, producer, sequence and checksum (CRC-32 of the value). --produced and --log-dir: a
    manifest and the records on disk, by their offsets; several directories may hold copies of a
    partition. --log-dir alone: the sequence numbers that idempotent producers left on disk.
    Give paths as Spark's workers see them. Exit code 1: a record is lost, doubled, changed,
    out of order or damaged; 6: there was nothing to compare.
    """
    if bool(consumed) == bool(log_dir) or (consumed and not produced):
        render.fail(
            "give --produced with --consumed or --log-dir, or --log-dir alone (see --help)", 2
        )
    with spark_session("spindle audit", spark_remote) as spark, render.waiting("counting"):
        from spindle.pipeline.auditing import count

        found = count(spark, produced or [], consumed or [], log_dir or [], names(topic_list))
    if report is not None:
        written(report, page(found))
    if as_json:
        print(json.dumps(summary(found)))
    else:
        _show(found)
    if not found.sound:
        raise typer.Exit(End.FAILED)
    if not found.compared:
        raise typer.Exit(End.UNKNOWN)


def summary(found: AuditResult) -> dict[str, object]:
    """The answer of `--json`: counts of records."""
    return {
        "version": 1,
        "basis": found.basis,
        "sound": found.sound and found.compared,
        "compared": found.compared,
        "claim": found.claim if found.sound and found.compared else None,
        "limits": list(found.limits),
        "counts": found.counts,
        "faulty": found.faulty,
        "parts": [{"name": name, **counts} for name, counts in found.rows],
    }


def headline(found: AuditResult) -> str:
    """Everything in a sentence."""
    wrong = ", ".join(f"{found.counts[n]:,} {n}" for n in _FAULTS if found.counts.get(n))
    whole = next(iter(found.counts.values()))
    if not (wrong or found.compared):
        if "sequence numbers" in found.basis:
            return "nothing to compare: no idempotent producer wrote these logs"
        return "nothing to compare: the manifest names no record"
    return f"{whole:,} records: " + (wrong or found.claim)


def page(found: AuditResult) -> str:
    """The same as an HTML page: what is wrong with a picture, what is well folded."""
    names = told_by_difference(name for name, _ in found.rows if name.startswith("/"))
    rows = [(names.of(name), counts) for name, counts in found.rows]
    faulty = [(name, counts) for name, counts in rows if _is_faulty(counts)]
    well = [(name, counts) for name, counts in rows if not _is_faulty(counts)]
    return pages.page(
        "audit",
        title="Audit",
        lead=f"{headline(found)}. {_basis(found)}.",
        figures=[(name, f"{count:,}") for name, count in found.counts.items()],
        wrong=_wrong(found),
        picture=[_bar(name, counts) for name, counts in faulty[:PICTURED]],
        columns=("partition", *found.counts),
        faulty=[(name, *_figures(counts)) for name, counts in faulty],
        more=found.faulty - len(faulty),
        well=[(name, *_figures(counts)) for name, counts in well],
        well_words=f"{counted(len(well), 'partition')} without a fault",
        legend=names.legend,
    )


def _wrong(found: AuditResult) -> list[str]:
    """Counts of what is wrong, the first thing to be seen."""
    if not found.faulty:
        return []
    of = counted(found.faulty, "partition or log has", "partitions or logs have")
    faults = [f"{found.counts[n]:,} records {n}" for n in _FAULTS if found.counts.get(n)]
    return [f"{of} faults", *faults]


def _figures(counts: dict[str, int]) -> list[str]:
    return [f"{count:,}" for count in counts.values()]


def _is_faulty(counts: dict[str, int]) -> bool:
    return any(counts.get(fault) for fault in _FAULTS)


def _basis(found: AuditResult) -> str:
    return ". ".join((f"Compared: {found.basis}", *(f"Not judged: {lim}" for lim in found.limits)))


def _bar(name: ShortName, counts: dict[str, int]) -> Bar:
    whole = max(1, next(iter(counts.values())))
    marks, at = [], 0
    for fault in _FAULTS:
        if count := counts.get(fault, 0):
            marks.append(BarPart(at, at + count, "fault", f"{count:,} {fault}"))
            at += count
    words = ", ".join(mark.text for mark in marks)
    return Bar(name, 0, max(whole, at), marks, f"{words} of {whole:,}")


def _show(found: AuditResult) -> None:
    rows = [[name, *_figures(counts)] for name, counts in found.rows[:ROWS_SHOWN]]
    if rows:
        render.table("Records by fate", ("partition", *found.counts), rows)
    if found.faulty > len(rows):
        render.say(f"and {found.faulty - len(rows):,} more with faults: see --json")
    render.say(f"Compared: {found.basis}")
    for limit in found.limits:
        render.say(f"Not judged: {limit}")
    render.say(headline(found))
