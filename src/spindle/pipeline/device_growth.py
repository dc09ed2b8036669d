"""How each device has grown, in one pass over the samples of its replicas: numpy, no Spark.

Rows come in any order. Of each replica the last sample of every stretch of time is kept, so memory
is bounded by replicas and stretches, however dense the samples are. What a step is stands in
`forecast.changes`, which says it in SQL for single replicas. Bytes and seconds. Called by
`forecast`, in Spark's workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from spindle.pipeline.growth import Line, fit
from spindle.pipeline.schemas import FORECAST, arrow

MADE_ANEW: Final = 0.1
"""A replica that shrinks below this share of itself, once in the window, is another one."""
COLUMNS: Final = ("device", "replica", "at", "size")
"""Of the rows: two numbers, seconds since 1970, bytes."""
_FOLD_ROWS: Final = 1 << 20
_MILLIS: Final = 1e3
Batches = Iterable[pa.RecordBatch]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Stretches(NamedTuple):
    """The window of the samples, cut into equal stretches, counted back from its end."""

    last: float
    width: float

    def numbers(self, at: Floats) -> Ints:
        """The stretch of each moment."""
        return np.floor((self.last - at) / self.width).astype(np.int64)


class _Rows(NamedTuple):
    device: Ints
    replica: Ints
    at: Floats
    size: Ints

    def of(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> _Rows:
        """Some of the rows."""
        return _Rows(self.device[chosen], self.replica[chosen], self.at[chosen], self.size[chosen])


class _Steps(NamedTuple):
    """Bytes that came to a device between two moments."""

    device: Ints
    since: Floats
    at: Floats
    change: Floats


def lines(stretches: Stretches) -> Callable[[Batches], Iterator[pa.RecordBatch]]:
    """A function for `mapInArrow`: rows (`COLUMNS`) of whole devices become rows of FORECAST."""

    def run(batches: Batches) -> Iterator[pa.RecordBatch]:
        kept = _kept(batches, stretches)
        if len(kept.at):
            rows = list(_fitted(_of_devices(_steps(kept))))
            yield pa.RecordBatch.from_pylist(rows, schema=arrow(FORECAST))

    return run


def _kept(batches: Batches, stretches: Stretches) -> _Rows:
    """The last row of each replica in each stretch: by replica, in the order of time."""
    parts = [_rows(pa.RecordBatch.from_pylist([], schema=_EMPTY))]
    waiting = 0
    for batch in batches:
        parts.append(_rows(batch))
        waiting += batch.num_rows
        if waiting > _FOLD_ROWS:
            parts, waiting = [_folded(parts, stretches)], 0
    return _folded(parts, stretches)


_EMPTY: Final = pa.schema(
    zip(COLUMNS, (pa.int32(), pa.int64(), pa.float64(), pa.int64()), strict=True)
)


def _rows(batch: pa.RecordBatch) -> _Rows:
    device, replica, at, size = (batch.column(batch.schema.get_field_index(n)) for n in COLUMNS)
    return _Rows(
        device.to_numpy(zero_copy_only=False).astype(np.int64),
        replica.to_numpy(zero_copy_only=False).astype(np.int64),
        at.to_numpy(zero_copy_only=False).astype(np.float64),
        size.to_numpy(zero_copy_only=False).astype(np.int64),
    )


def _folded(parts: list[_Rows], stretches: Stretches) -> _Rows:
    every = _Rows(*map(np.concatenate, zip(*parts, strict=True)))
    stretch = stretches.numbers(every.at)
    order = np.lexsort((every.at, -stretch, every.replica))
    ordered, stretch = every.of(order), stretch[order]
    next_ = (ordered.replica[1:] != ordered.replica[:-1]) | (stretch[1:] != stretch[:-1])
    last = np.append(next_, True)[: len(stretch)]
    return ordered.of(last)


def _steps(kept: _Rows) -> _Steps:
    """What each replica has changed by from one row to its next."""
    same = kept.replica[1:] == kept.replica[:-1]
    replica = np.cumsum(np.append(0, ~same))[1:][same]
    before, size = kept.size[:-1][same], kept.size[1:][same]
    fell = (before > 0) & (size < before * MADE_ANEW)
    falls = np.bincount(replica, weights=fell)[replica] if len(replica) else fell
    change = np.where(fell & (falls == 1), size, size - before).astype(np.float64)
    return _Steps(kept.device[1:][same], kept.at[:-1][same], kept.at[1:][same], change)


def _of_devices(steps: _Steps) -> _Steps:
    """Summed up by device and moment (to a millisecond), in this order."""
    if not len(steps.at):
        return steps
    at = np.floor(steps.at * _MILLIS + 0.5) / _MILLIS
    order = np.lexsort((at, steps.device))
    device, at = steps.device[order], at[order]
    first = np.flatnonzero(np.append(True, (device[1:] != device[:-1]) | (at[1:] != at[:-1])))
    return _Steps(
        device[first],
        np.minimum.reduceat(steps.since[order], first),
        at[first],
        np.add.reduceat(steps.change[order], first),
    )


def _fitted(steps: _Steps) -> Iterator[dict[str, object]]:
    """A line through the steps of each device."""
    for device in np.unique(steps.device):
        of = steps.device == device
        moments = [float(steps.since[of].min()), *steps.at[of].tolist()]
        changes = steps.change[of].tolist()
        found = fit(moments, changes) or Line(0.0, 0.0, 0.0, 0, 0.0)
        yield {
            "device": int(device), **found._asdict(), "moments": moments, "changes": changes
        }  # fmt: skip
