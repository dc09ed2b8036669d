"""Columns by rank, summed and grouped by place: the arithmetic of a cluster that is planned.

Knows no band and no plan. Called by `search_state` and `staying_replicas`.
"""

from __future__ import annotations

from array import array
from itertools import pairwise

import numpy as np

from spindle.planning.cluster_model import Flags, Floats, Ints


def sums(places: Ints, values: Ints | Floats, count: int) -> Floats:
    """The sum of the values at each place, exact up to 2^53: 9 PB in a directory."""
    return np.bincount(places, weights=values.astype(np.float64), minlength=count).astype(float)


def packed(kind: str, values: Ints) -> array[int]:
    """The same as plain numbers, in eight bytes each."""
    packed: array[int] = array(kind)
    packed.frombytes(values.astype(packed.typecode).data.cast("B"))
    return packed


def grouped(directory: Ints, chosen: Flags, count: int) -> list[array[int]]:
    """The chosen ranks of each directory, ascending."""
    ranks = np.flatnonzero(chosen)
    theirs = directory[ranks]
    narrow = theirs.astype(np.uint16) if count <= 1 << 16 else theirs  # Sorted by radix.
    order = np.argsort(narrow, kind="stable")
    ends = np.cumsum(np.bincount(theirs, minlength=count)).tolist()
    flat = packed("q", ranks[order])
    return [flat[begin:end] for begin, end in pairwise([0, *ends])]
