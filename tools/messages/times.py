"""Durations and points in time, as the classes of kio's schema have them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from spindle.model.errors import Corrupt

_MILLISECOND: Final = timedelta(milliseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=4096)
def duration(milliseconds: int) -> timedelta:
    """Milliseconds as a timedelta; Corrupt where Python cannot hold it."""
    try:
        return timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise Corrupt(f"a duration of {milliseconds} ms is out of range") from None


def milliseconds(value: timedelta | int) -> int:
    """A duration as whole milliseconds; plain numbers are milliseconds already."""
    if isinstance(value, int):
        return value
    return value.days * 86_400_000 + value.seconds * 1000 + round(value.microseconds / 1000)


def instant(milliseconds: int) -> datetime | None:
    """Milliseconds since 1970 as a datetime, None for -1; Corrupt where Python cannot hold it."""
    if milliseconds == -1:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        raise Corrupt(f"a timestamp of {milliseconds} ms is out of range") from None


def timestamp(value: datetime | int | None) -> int:
    """A point in time as milliseconds since 1970, None as -1; plain numbers stay as they are."""
    if value is None:
        return -1
    if isinstance(value, int):
        return value
    return round((value - _EPOCH) / _MILLISECOND)
