"""`spindle forensics`: what log directories hold, damage included, and what of it can be saved."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spindle.cli import log_pictures, pages, render
from spindle.cli.connecting import AsJson, written
from spindle.cli.log_dirs import names
from spindle.cli.log_pictures import Bar, BarPart, Bars
from spindle.cli.spark import SparkRemote, spark_session

if TYPE_CHECKING:
    from datetime import datetime

    from spindle.pipeline.forensics import DamageFound, Forensics, LogFound

ROWS_SHOWN = 40
"""Logs, and damages, in the table on a terminal; the JSON has more."""
PICTURED = 60


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
    something is damaged.
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
        raise typer.Exit(1)


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
    whole = f"{found.logs_in_all} logs, {found.records} records, {render.size(found.size)}"
    if found.sound:
        return f"{whole}; nothing is damaged"
    return f"{whole}; damaged ranges: {found.damages_in_all}"


def page(directories: list[str], found: Forensics) -> str:
    """The same as an HTML page with a picture: each log's offsets, and where they are damaged."""
    name = _namer(found)
    return pages.page(
        "forensics",
        title=f"Forensics of {', '.join(directories)}",
        lead=f"{headline(found)}.",
        picture=_picture(found),
        log_columns=_LOG_COLUMNS,
        logs=[_log_row(log, name) for log in found.logs],
        damage_columns=_DAMAGE_COLUMNS,
        damages=[_damage_row(damage, name) for damage in found.damages],
    )


_LOG_COLUMNS = (
    "log", "kind", "segments", "bytes", "batches", "records", "offsets", "missing", "codecs",
    "control", "aborted", "damaged", "what can be saved",
)  # fmt: skip
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
        render.say(f"and {whole - shown} more {what}: see --json, or name fewer topics")


def _namer(found: Forensics) -> Callable[[str, str], str]:
    """How logs are named: without their directory where there is but one."""
    one = len({log.disk for log in found.logs} | {damage.disk for damage in found.damages}) == 1
    return lambda disk, log: log if one and log else f"{disk}/{log}".rstrip("/")


def _log_row(log: LogFound, name: Callable[[str, str], str]) -> list[str]:
    well, damage = log.well, log.damage
    return [
        name(log.disk, log.log), log.kind, str(log.segments), render.size(log.size),
        str(well.batches), str(well.records), _span(well.first_offset, well.end_offset),
        str(well.missing), ",".join(well.codecs) or "-", str(well.control), str(well.aborted),
        render.size(damage.damaged_bytes) if damage.damages else "-", log.verdict,
    ]  # fmt: skip


def _damage_row(damage: DamageFound, name: Callable[[str, str], str]) -> list[str]:
    end = None if damage.last_offset is None else damage.last_offset + 1
    place = "-" if damage.segment is None else f"{damage.segment} at {damage.position}"
    copy = "-"
    if damage.copy is not None:
        disk, _, log = damage.copy.rpartition("/")
        copy = f"{damage.copied} of them: {name(disk, log)}"
    return [
        name(damage.disk, damage.log),
        place,
        str(damage.size),
        _span(damage.first_offset, end),
        damage.error,
        copy,
    ]


def _span(first: int | None, end: int | None) -> str:
    if first is None:
        return "-"
    return f"{first}-" if end is None else f"{first}-{end - 1}"


def _picture(found: Forensics) -> Bars:
    rows = []
    for log in found.logs[:PICTURED]:
        own = [d for d in found.damages if (d.disk, d.log) == (log.disk, log.log)]
        offsets = [d.first_offset for d in own if d.first_offset is not None]
        begin = min([log.well.first_offset or 0, *offsets])
        known = [d.last_offset + 1 for d in own if d.last_offset is not None]
        end = max([log.well.end_offset or 0, *known, begin + 1])
        marks = [
            BarPart(
                d.first_offset,
                end if d.last_offset is None else d.last_offset + 1,
                "band" if d.copy else "alarm",
                f"{_span(d.first_offset, None if d.last_offset is None else d.last_offset + 1)}: "
                f"{d.error}",
            )
            for d in own if d.first_offset is not None
        ]  # fmt: skip
        span = _span(log.well.first_offset, log.well.end_offset)
        text = f"offsets {span}, {log.well.records} records"
        rows.append(Bar(f"{log.log} ({log.kind})", begin, end, marks, text))
    return log_pictures.bars(rows, "the offsets of each log, and which are damaged")


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
