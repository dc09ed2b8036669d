"""`spindle forensics`: what log directories hold, damage included, and what of it can be saved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from spindle.cli import pages, render
from spindle.cli.charts import Bar, BarPart
from spindle.cli.connecting import AsJson, written
from spindle.cli.exits import End
from spindle.cli.log_dirs import names
from spindle.cli.path_names import ShortName, elided, told_by_difference
from spindle.cli.spark import SparkRemote, spark_session
from spindle.planning.amounts import counted

if TYPE_CHECKING:
    from datetime import datetime

    from spindle.pipeline.forensics import DamageFound, Forensics, LogFound

ROWS_SHOWN = 40
"""Logs, and damages, in the table on a terminal; the JSON has more."""
PICTURED = 60
_NAME_MAX = 40

N = TypeVar("N", str, ShortName)


def forensics(
    directories: Annotated[
        list[str],
        typer.Argument(
            help="Directories of Kafka's log.dirs, or of partitions, or patterns of these."
        ),
    ],
    topic_list: Annotated[
        str, typer.Option(metavar="TOPIC,...", help="Only these topics, e.g. orders,users.")
    ] = "",
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write an HTML page with pictures."),
    ] = None,
    spark_remote: SparkRemote = None,
    as_json: AsJson = False,
) -> None:
    """Read whole log directories without a broker, also on a failing disk.

    Checks the CRC of every batch. Lists each log - those of moves in progress, deleted ones,
    strays and copies that were set aside too - with its segments, batches, records, offsets,
    codecs, transactions and damage, and for each damage whether another log has a whole copy.
    Writes nothing to the disk. Give paths as Spark's workers see them. Exit code 1:
    something is damaged; 6: there is no log.
    """
    with spark_session("spindle forensics", spark_remote) as spark:
        from spindle.pipeline.forensics import examine

        with render.waiting("reading the logs"):
            found = examine(spark, directories, names(topic_list))
    if report is not None:
        written(report, page(directories, found))
    if as_json:
        print(json.dumps(summary(found)))
    else:
        _show(found)
    if not found.sound:
        raise typer.Exit(End.FAILED)
    if not found.logs_in_all:
        raise typer.Exit(End.UNKNOWN)


def summary(found: Forensics) -> dict[str, object]:
    """The answer of `--json`; sizes in bytes, times in ISO 8601 (UTC)."""
    return {
        "version": 1,
        "logs": [_log_told(log) for log in found.logs],
        "damages": [asdict(damage) for damage in found.damages],
        "logsInAll": found.logs_in_all,
        "damagesInAll": found.damages_in_all,
        "records": found.records,
        "bytes": found.size,
    }


def _log_told(log: LogFound) -> dict[str, object]:
    """A log's row, flat: what was read well and the damage beside its name."""
    told = asdict(log)
    well, damage = told.pop("well"), told.pop("damage")
    times = {name: _moment(well[name]) for name in ("first_time", "last_time")}
    return {**told, **well, **times, **damage, "verdict": log.verdict}


def headline(found: Forensics) -> str:
    """Everything in a sentence."""
    if found.sound and not found.logs_in_all:
        return "no log was found: is the disk mounted there?"
    whole = (
        f"{counted(found.logs_in_all, 'log')}, {counted(found.records, 'record')}, "
        f"{render.size(found.size)}"
    )
    if found.sound:
        return f"{whole}; nothing is damaged"
    return f"{whole}; damaged ranges: {found.damages_in_all:,}"


def page(directories: list[str], found: Forensics) -> str:
    """The same as an HTML page: what is damaged with a picture, what is whole folded."""
    name, legend = _short_names(found)
    damaged = [log for log in found.logs if log.damage.damages]
    well = [log for log in found.logs if not log.damage.damages]
    kinds = Counter(log.kind for log in well)
    of_kinds = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
    return pages.page(
        "forensics",
        title="Forensics of log directories",
        lead=f"{headline(found)}. Read: {', '.join(directories)}.",
        figures=_figures(found),
        wrong=_wrong(found, len(damaged)),
        picture=_picture(found, damaged[:PICTURED], name),
        log_columns=[_LOG_COLUMNS[n] for n in _ON_PAGES],
        damaged=[_page_row(log, name) for log in damaged],
        damage_columns=_DAMAGE_COLUMNS,
        damages=[_damage_row(damage, name) for damage in found.damages],
        well=[_page_row(log, name) for log in well],
        well_words=f"{counted(len(well), 'log')} without damage ({of_kinds})",
        legend=legend,
    )


def _figures(found: Forensics) -> list[tuple[str, str]]:
    return [
        ("logs", f"{found.logs_in_all:,}"),
        ("records", f"{found.records:,}"),
        ("read", render.size(found.size)),
        ("damaged ranges", f"{found.damages_in_all:,}"),
    ]


def _wrong(found: Forensics, damaged: int) -> list[str]:
    """Counts of what is wrong, the first thing to be seen."""
    if found.sound:
        return []
    alone = [d for d in found.damages if d.copy is None]
    logs = f"{damaged:,} of {counted(found.logs_in_all, 'log')} {'is' if damaged == 1 else 'are'}"
    lines = [f"{logs} damaged, in {counted(found.damages_in_all, 'range')}"]
    if alone:
        several = counted(len(alone), "range has", "ranges have")
        lines.append(f"{several} no copy in another log that was read: these records may be lost")
    return lines


_LOG_COLUMNS = (
    "log", "kind", "segments", "bytes", "batches", "records", "offsets", "missing", "codecs",
    "control", "aborted", "damaged", "what can be saved",
)  # fmt: skip
_ON_PAGES = (0, 1, 2, 3, 5, 6, 7, 8, 11, 12)
"""Without counts of batches and of transactions, for which there is no room; the JSON has them."""
_DAMAGE_COLUMNS = ("log", "segment", "bytes", "offsets", "why", "a copy has")


def _show(found: Forensics) -> None:
    name = _namer(found)
    if found.logs:
        rows = [_log_row(log, name) for log in found.logs[:ROWS_SHOWN]]
        render.table("Logs", _LOG_COLUMNS, rows)
        _rest(found.logs_in_all, len(rows), "logs")
    if found.damages:
        rows = [_damage_row(damage, name) for damage in found.damages[:ROWS_SHOWN]]
        render.table("Damage", _DAMAGE_COLUMNS, rows)
        _rest(found.damages_in_all, len(rows), "damaged ranges")
    render.say(headline(found))


def _rest(whole: int, shown: int, what: str) -> None:
    if whole > shown:
        render.say(f"and {whole - shown:,} more {what}: see --json, or name fewer topics")


def _namer(found: Forensics) -> Callable[[str, str], str]:
    """How logs are named: without their directory where there is but one."""
    one = len(_disks(found)) == 1
    return lambda disk, log: log if one and log else f"{disk}/{log}".rstrip("/")


def _short_names(found: Forensics) -> tuple[Callable[[str, str], ShortName], str]:
    """The same for a page: directories by what differs between them; the legend of the names."""
    whole, names = _namer(found), told_by_difference(_disks(found))

    def name(disk: str, log: str) -> ShortName:
        text = whole(names.short.get(disk, disk), log)
        return ShortName(elided(text, _NAME_MAX), f"{disk}/{log}".rstrip("/"))

    return name, names.legend


def _disks(found: Forensics) -> set[str]:
    return {log.disk for log in found.logs} | {damage.disk for damage in found.damages}


def _log_row(log: LogFound, name: Callable[[str, str], N]) -> list[N | str]:
    well, damage = log.well, log.damage
    return [
        name(log.disk, log.log), log.kind, f"{log.segments:,}", render.size(log.size),
        f"{well.batches:,}", f"{well.records:,}", _span(well.first_offset, well.end_offset),
        f"{well.missing:,}", ",".join(well.codecs) or "-", f"{well.control:,}",
        f"{well.aborted:,}",
        render.size(damage.damaged_bytes) if damage.damages else "-", log.verdict,
    ]  # fmt: skip


def _page_row(log: LogFound, name: Callable[[str, str], ShortName]) -> list[str | ShortName]:
    row = _log_row(log, name)
    return [row[n] for n in _ON_PAGES]


def _damage_row(damage: DamageFound, name: Callable[[str, str], N]) -> list[N | str]:
    end = None if damage.last_offset is None else damage.last_offset + 1
    place = "-" if damage.segment is None else f"{damage.segment} at {damage.position}"
    copy = "-"
    if damage.copy is not None:
        disk, _, log = damage.copy.rpartition("/")
        copy = f"{damage.copied:,} of them: {name(disk, log)}"
    return [
        name(damage.disk, damage.log),
        place,
        f"{damage.size:,}",
        _span(damage.first_offset, end),
        damage.error,
        copy,
    ]


def _span(first: int | None, end: int | None) -> str:
    if first is None:
        return "-"
    return f"{first}-" if end is None else f"{first}-{end - 1}"


def _picture(
    found: Forensics, logs: Sequence[LogFound], name: Callable[[str, str], ShortName]
) -> list[Bar]:
    """The offsets of logs, and which are damaged."""
    rows = []
    for log in logs:
        own = [d for d in found.damages if (d.disk, d.log) == (log.disk, log.log)]
        offsets = [d.first_offset for d in own if d.first_offset is not None]
        begin = min([log.well.first_offset or 0, *offsets])
        known = [d.last_offset + 1 for d in own if d.last_offset is not None]
        end = max([log.well.end_offset or 0, *known, begin + 1])
        marks = [
            BarPart(
                d.first_offset,
                end if d.last_offset is None else d.last_offset + 1,
                "saved" if d.copy else "fault",
                f"{_span(d.first_offset, None if d.last_offset is None else d.last_offset + 1)}: "
                f"{d.error}",
            )
            for d in own if d.first_offset is not None
        ]  # fmt: skip
        rows.append(Bar(name(log.disk, log.log), begin, end, marks, f"offsets {begin}-{end - 1}"))
    return rows


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
