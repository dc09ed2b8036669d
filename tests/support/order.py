"""The order of the files of tests, for several processes beside each other.

Most files of `tests/interop` wait half of their time: for elections, sessions, copies that are
slow on purpose. Those of `tests/pipeline` and `tests/sim` compute. So the ones run beside the
others, and the many short ones of `tests/unit` fill up the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Final, TypeVar

T = TypeVar("T")

WAITING: Final = ("conformance", "interop")
SHORT: Final = ("unit",)


def ordered(tests: Iterable[T], path: Callable[[T], Path]) -> list[T]:
    """The tests in that order; those of a file stay together, as they stood."""
    waiting: list[list[T]] = []
    computing: list[list[T]] = []
    short: list[list[T]] = []
    for file, of_file in groupby(tests, path):
        folders = file.parts
        if any(name in folders for name in SHORT):
            kind = short
        else:
            kind = waiting if any(name in folders for name in WAITING) else computing
        kind.append(list(of_file))
    return [one for file in (*spread(waiting, computing), *short) for one in file]


def spread(ones: Sequence[T], others: Sequence[T]) -> list[T]:
    """Both in their own order, evenly among each other."""
    places = [((n + 0.5) / len(some), one) for some in (ones, others) for n, one in enumerate(some)]
    return [one for _, one in sorted(places, key=lambda place: place[0])]
