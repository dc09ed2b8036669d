"""A small history in a folder of this machine, written and read without Spark (pyarrow instead).

Its files and their names are those of `history`, which has the large ones and those at URIs. Called
by the commands.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.json import ParseOptions, read_json

from spindle.client.log_dirs import LogDirs
from spindle.client.results import LogDescription, LogDirDescription
from spindle.model.errors import Error, Unusable
from spindle.model.ids import TopicPartition
from spindle.pipeline import sampling
from spindle.pipeline.folders import place
from spindle.pipeline.history_files import file_of, new_folder, uris
from spindle.pipeline.history_summary import DirectoryHistory
from spindle.pipeline.sample_columns import SAMPLE_COLUMNS
from spindle.pipeline.sampling import ClusterSample

BYTES_MAX: Final = 16 << 20
"""Of files that are read here; the others are for Spark."""
_MOMENT: Final = "%Y-%m-%d %H:%M:%S"


def append(sample: ClusterSample, home: Path | str) -> str | None:
    """Add a sample to the history below `home`; the file, or None where no broker is registered.

    As with `history.append` a reader sees all of it or nothing.
    """
    found = table(sample)
    if not len(found):
        return None
    there = place(home)
    data = io.BytesIO()
    pq.write_table(found, data, compression="zstd")
    aside, final = new_folder(), file_of(sample.at)
    try:
        there.write(f"{aside}/sample", data.getvalue())
        there.rename(f"{aside}/sample", final)
        return there.uri(final)
    finally:
        there.delete(aside)


def read(home: Path | str) -> pa.Table | None:
    """All samples (schema SAMPLE); None where there are too many for this process.

    Unusable names a file that is damaged.
    """
    paths = [Path(uri.removeprefix("file://")) for uri in uris(place(home))]
    if sum(path.stat().st_size for path in paths) > BYTES_MAX:
        return None
    tables = [_as_now(_file(path)) for path in paths]
    return pa.concat_tables(tables) if tables else SAMPLE_COLUMNS.empty_table()


def _file(path: Path) -> pa.Table:
    try:
        return pq.ParquetFile(path).read()
    except pa.ArrowInvalid as error:
        raise Unusable(
            f"{path} of the history is damaged: {error} Move it away: it is one sample"
        ) from None


def table(sample: ClusterSample) -> pa.Table:
    """A sample as Arrow has it; no row where no broker is registered.

    By JSON: where Arrow takes values of Python it loads pandas, which costs more than all the rest
    of a small plan.
    """
    rows = [row for b, told in sample.answers.items() for row in sampling.rows(b, told, sample.at)]
    if not rows:
        return SAMPLE_COLUMNS.empty_table()
    lines = "\n".join(json.dumps(row, default=datetime.isoformat) for row in rows)
    columns = ParseOptions(explicit_schema=SAMPLE_COLUMNS, unexpected_field_behavior="error")
    read = read_json(io.BytesIO(lines.encode()), parse_options=columns)
    return pa.Table.from_arrays([read[f.name] for f in SAMPLE_COLUMNS], schema=SAMPLE_COLUMNS)


def _as_now(table: pa.Table) -> pa.Table:
    """An older file's columns; those that it has not are null."""
    columns = [
        table[f.name].cast(f.type) if f.name in table.column_names else pa.nulls(len(table), f.type)
        for f in SAMPLE_COLUMNS
    ]
    return pa.table(columns, schema=SAMPLE_COLUMNS)


def newest(samples: pa.Table) -> ClusterSample:
    """What each broker said last; a broker that never answered is not there."""
    import pyarrow.compute as pc

    told = samples.filter(pc.is_null(samples["broker_error"]))
    last: dict[int, datetime] = {}
    moments = told.group_by(["broker", "sampled_at"]).aggregate([])
    for row in moments.to_pylist():
        last[row["broker"]] = max(row["sampled_at"], last.get(row["broker"], row["sampled_at"]))
    answers: dict[int, LogDirs] = {}
    for broker, at in sorted(last.items()):
        own = pc.and_(pc.equal(told["broker"], broker), pc.equal(told["sampled_at"], at))
        answers[broker] = tuple(_directories(told.filter(own)))
    return ClusterSample(max(last.values(), default=datetime.now(UTC)), answers)


def _directories(rows: pa.Table) -> Iterator[LogDirDescription]:
    found: dict[str, LogDirDescription] = {}
    for row in rows.to_pylist():
        path, error = row["directory"], row["directory_error"]
        there = found.setdefault(
            path,
            LogDirDescription(
                path=path, error=Error.NONE if error is None else Error[error],
                total=_known(row["total_bytes"]), usable=_known(row["usable_bytes"]),
                cordoned=bool(row["cordoned"]), current={}, future={},
            ),
        )  # fmt: skip
        if row["topic"] is not None:
            side = there.future if row["is_future"] else there.current
            name = TopicPartition(row["topic"], row["partition"])
            side[name] = LogDescription(row["size"], row["offset_lag"], row["is_future"])
    return iter(found.values())


def _known(size: int | None) -> int | None:
    return None if size is None or size < 0 else size


def summary(samples: pa.Table) -> list[DirectoryHistory]:
    """What a history has of each directory: moments, and bytes at the first and the last."""
    import pyarrow.compute as pc

    told = samples.filter(pc.is_valid(samples["directory"]))
    current = pc.if_else(pc.fill_null(told["is_future"], False), 0, pc.fill_null(told["size"], 0))
    key = ["broker", "directory", "sampled_at"]
    of_sample = told.append_column("used", current).group_by(key)
    rows = of_sample.aggregate([("used", "sum"), ("topic", "count")])
    found: dict[tuple[int, str], DirectoryHistory] = {}
    for row in rows.sort_by([(name, "ascending") for name in key]).to_pylist():
        moment = f"{row['sampled_at']:{_MOMENT}}"
        one = found.setdefault(
            (row["broker"], row["directory"]),
            {
                "broker": row["broker"], "logDir": row["directory"], "first": moment,
                "last": moment, "samples": 0, "was": row["used_sum"], "is": 0, "replicas": 0,
            },
        )  # fmt: skip
        one["samples"] += 1
        one["last"], one["is"], one["replicas"] = moment, row["used_sum"], row["topic_count"]
    return list(found.values())
