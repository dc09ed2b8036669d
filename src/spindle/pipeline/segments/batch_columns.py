"""The records of many batches at once, as columns of numbers that point into unpacked bytes.

Where each record begins depends on the one before it: that is one small loop. All else is done for
all records together. A batch whose CRC is right and whose records are nonsense all the same is
named, and its records are left out. Called by `rows`; knows no files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from spindle.model.batches import Buffer
from spindle.model.errors import Corrupt

Longs = npt.NDArray[np.int64]

_PAD: Final = bytes(16)
_LEAST: Final = 7
"""Bytes of the smallest record."""


@dataclass(frozen=True, slots=True)
class Records:
    """Decoded records: places and lengths in `data`; a length of -1 is null.

    `batch`: the number of each record's batch among those that were given. `header_first`: the
    first of its headers among all headers; one entry more than there are records.
    """

    data: bytes
    batch: Longs
    offset_delta: Longs
    time_delta: Longs
    key_at: Longs
    key_size: Longs
    value_at: Longs
    value_size: Longs
    header_first: Longs
    header_key_at: Longs
    header_key_size: Longs
    header_value_at: Longs
    header_value_size: Longs


class Unpacked:
    """Batches unpacked one behind another, until there is enough to be decoded together."""

    def __init__(self) -> None:
        self._parts: list[Buffer] = []
        self.size = 0
        self.records = 0
        self._counts: list[int] = []
        self._starts: list[int] = []

    def add(self, data: Buffer, count: int) -> None:
        """Take in the records of a batch. Corrupt where there cannot be so many."""
        if not 0 <= count * _LEAST <= len(data):
            raise Corrupt(f"{count} records cannot be in {len(data)} bytes")
        self._parts.append(data)
        self._starts.append(self.size)
        self._counts.append(count)
        self.size += len(data)
        self.records += count

    def decode(self) -> tuple[Records, dict[int, str]]:
        """All records, and for each batch that is nonsense why."""
        data = b"".join([*self._parts, _PAD])
        ends = [*self._starts[1:], self.size]
        bad: dict[int, str] = {}
        first: list[int] = []
        last: list[int] = []
        kept: list[int] = []
        for number, (start, end, count) in enumerate(
            zip(self._starts, ends, self._counts, strict=True)
        ):
            before = len(first)
            if not _chain(data, start, end, count, first, last):
                del first[before:], last[before:]
                bad[number] = f"its {count} records do not fill its {end - start} bytes"
            kept.append(len(first) - before)
        batch = np.repeat(np.arange(len(kept)), kept)
        found, wrong = _fields(data, batch, np.array(first, np.int64), np.array(last, np.int64))
        if len(wrong):
            bad |= {int(n): "a record's lengths contradict each other" for n in np.unique(wrong)}
            good = ~np.isin(batch, wrong)
            places = np.array(first, np.int64)[good], np.array(last, np.int64)[good]
            found, _ = _fields(data, batch[good], *places)
        return found, bad


def _chain(
    data: bytes, position: int, end: int, count: int, first: list[int], last: list[int]
) -> bool:
    """Note where the body of each record of a batch begins and ends; whether they fill it."""
    begin, stop = first.append, last.append
    for _ in range(count):
        if position >= end:
            return False
        byte = data[position]
        if byte < 128:
            size = byte
            position += 1
        else:
            second = data[position + 1]
            if second < 128:
                size = byte & 127 | second << 7
                position += 2
            else:
                size, shift = byte & 127, 0
                while byte > 127 and shift < 28:
                    position += 1
                    shift += 7
                    byte = data[position]
                    size |= (byte & 127) << shift
                position += 1
        begin(position)
        position += size >> 1
        if size & 1 or position > end:
            return False
        stop(position)
    return position == end


def _fields(data: bytes, batch: Longs, at: Longs, end: Longs) -> tuple[Records, Longs]:
    """All fields of records whose bodies lie in [at, end); the batches that have bad ones."""
    every: npt.NDArray[np.uint8] = np.frombuffer(data, np.uint8)
    time_delta, at = _varints(every, at + 1)
    offset_delta, at = _varints(every, at)
    key_size, key_at = _varints(every, at)
    good = (key_size >= -1) & (key_size <= end - key_at)
    value_size, value_at = _varints(every, key_at + np.where(good, key_size, 0).clip(0))
    good &= (value_size >= -1) & (value_size <= end - value_at)
    headers, at = _varints(every, value_at + np.where(good, value_size, 0).clip(0))
    good &= (headers >= 0) & (2 * headers <= end - at)
    headers = np.where(good, headers, 0)
    header_first = np.zeros(len(headers) + 1, np.int64)
    np.cumsum(headers, out=header_first[1:])
    columns = _headers(every, headers, header_first, at, end, good)
    good &= (offset_delta >= 0) & (at == end)
    found = Records(
        data, batch, offset_delta, time_delta, key_at, key_size, value_at, value_size,
        header_first, *columns,
    )  # fmt: skip
    return found, batch[~good]


def _headers(
    every: npt.NDArray[np.uint8], counts: Longs, first: Longs, at: Longs, end: Longs,
    good: npt.NDArray[np.bool_],
) -> tuple[Longs, Longs, Longs, Longs]:  # fmt: skip
    """Headers, the nth of all records together; moves `at` behind them, clears `good` for bad."""
    total = int(first[-1])
    columns = tuple(np.zeros(total, np.int64) for _ in range(4))
    live = np.flatnonzero(counts)
    step = 0
    while len(live):
        key_size, key_at = _varints(every, at[live])
        fits = (key_size >= 0) & (key_size <= end[live] - key_at)
        value_size, value_at = _varints(every, key_at + np.where(fits, key_size, 0))
        fits &= (value_size >= -1) & (value_size <= end[live] - value_at)
        place = first[live] + step
        for column, values in zip(columns, (key_at, key_size, value_at, value_size), strict=True):
            column[place] = np.where(fits, values, 0)
        at[live] = value_at + np.where(fits, value_size, 0).clip(0)
        good[live[~fits]] = False
        step += 1
        live = live[fits & (counts[live] > step)]
    return columns  # type: ignore[return-value]


def _varints(every: npt.NDArray[np.uint8], at: Longs) -> tuple[Longs, Longs]:
    """Zigzag varints at many places: (values, the places behind them). Ten bytes at most."""
    limit = len(every) - len(_PAD)
    at = np.minimum(at, limit)
    byte = every[at]
    value = (byte & 127).astype(np.uint64)
    behind = at + 1
    longer = np.flatnonzero(byte > 127)
    shift = 7
    while len(longer) and shift < 70:
        byte = every[behind[longer]]
        value[longer] |= (byte & 127).astype(np.uint64) << np.uint64(shift)
        behind[longer] += 1
        longer = longer[byte > 127]
        shift += 7
    signs = -(value & np.uint64(1)).astype(np.int64)
    return (value >> np.uint64(1)).astype(np.int64) ^ signs, behind
