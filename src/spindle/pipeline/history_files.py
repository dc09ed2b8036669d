"""The files of a history by their names: which of them count, and what a new one is called.

    <home>/day=2026-11-21/sample-091501123456.parquet    one sample
    <home>/day=2026-11-20/compact-<id>-<n>.parquet       a day, compacted
    <home>/day=2026-11-20/compact-<id>.json              makes it count: its files, what they hold

Where a compaction and what it replaces exist side by side (it was killed, or has just ended) only
the former counts. A history may be a table of Spark's catalog instead (`spark:TABLE`), which has no
files of this kind. Knows no Spark. Called by `history` and `small_history`.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from spindle.pipeline.folders import StorageFolder

PREFIX: Final = "spark:"
"""Of a history that is a table of Spark's catalog."""
ASIDE: Final = "_aside"
"""Below it everything is written; files older than a day belong to no writer."""


class DayFiles(NamedTuple):
    """A day's files: those that count, and those that need not be there."""

    kept: list[str]
    replaced: list[str]


def table_of(home: object) -> str | None:
    """The table that a history is, or None where it is a folder."""
    text = str(home)
    return text.removeprefix(PREFIX).partition("@")[0] if text.startswith(PREFIX) else None


def uris(there: StorageFolder) -> list[str]:
    """The files that together hold every sample once, oldest day first."""
    return [there.uri(name) for day in days(there) for name in look(there, day).kept]


def days(there: StorageFolder) -> list[str]:
    """The folders of days, oldest first."""
    return [name for name in there.names() if name.startswith("day=")]


def look(there: StorageFolder, day: str) -> DayFiles:
    """Which files of a day count."""
    names = there.names(day)
    markers = {n: json.loads(there.read(f"{day}/{n}")) for n in names if n.endswith(".json")}
    held = {name for marker in markers.values() for name in marker["holds"]}
    counted = {name for marker in markers.values() for name in marker["files"]}
    kept, replaced = [], []
    for name in names:
        if name in markers:
            gone = name in held or set(markers[name]["files"]) <= held
        elif name.startswith("compact-"):
            gone = name in held or name not in counted
        else:
            gone = name in held
        if gone:
            replaced.append(f"{day}/{name}")
        elif name.endswith(".parquet"):
            kept.append(f"{day}/{name}")
    return DayFiles(kept, replaced)


def file_of(moment: datetime) -> str:
    """The name of the file of a sample that was taken at this moment."""
    return f"day={moment:%Y-%m-%d}/sample-{moment:%H%M%S%f}.parquet"


def moment_of(file: str) -> datetime | None:
    """When the sample was taken that is in this file alone; None: the file is a compacted day."""
    day, name = file.split("/")[-2:]
    if not name.startswith("sample-"):
        return None
    text = f"{day.removeprefix('day=')} {name.removeprefix('sample-').removesuffix('.parquet')}"
    return datetime.strptime(text, "%Y-%m-%d %H%M%S%f").replace(tzinfo=UTC)


def since(files: Sequence[str], least: datetime) -> list[str]:
    """The files without those that only hold what is older."""
    first_day = f"day={least:%Y-%m-%d}"

    def young(file: str) -> bool:
        moment = moment_of(file)
        return file.split("/")[-2] >= first_day if moment is None else moment >= least

    return [file for file in files if young(file)]


def spread(files: Sequence[str], stretches: int) -> list[str]:
    """Of samples that lie closer than growth is looked at, the last of each stretch of time.

    The time from the first sample to the last is cut into so many equal stretches, counted back
    from its end. The first sample, and all of the newest stretch, are kept: there a broker that was
    silent in one of them may have answered in another. So are compacted days, whose moments no name
    tells.
    """
    moments = {file: at for file in files if (at := moment_of(file)) is not None}
    if not moments:
        return list(files)
    first, last = min(moments.values()), max(moments.values())
    width = (last - first) / stretches or timedelta(microseconds=1)
    ends: dict[int, datetime] = {}
    for at in moments.values():
        stretch = (last - at) // width
        ends[stretch] = max(at, ends.get(stretch, at))

    def kept(file: str) -> bool:
        if (at := moments.get(file)) is None or at == first:
            return True
        stretch = (last - at) // width
        return stretch == 0 or at == ends[stretch]

    return [file for file in files if kept(file)]


def new_folder() -> str:
    """The name of a folder that no other writer has, for what is not whole yet."""
    return f"{ASIDE}/{int(time.time())}-{uuid.uuid4().hex}"


def base(name: str) -> str:
    """A file's name without its folder."""
    return name.rpartition("/")[2]
