"""What no plan can beat: the bytes that must move to bring a broker's directories into a band.

LB = max(bytes above the band's upper edge, bytes missing at its lower edge), plus all that drained
directories hold. It is also what the linear relaxation of the full problem gives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spindle.planning.load import Band, DirectoryLoad


class Edges(NamedTuple):
    """The bytes between which a directory is in the band."""

    low: float
    mean: float
    high: float


def edges(
    directories: Sequence[DirectoryLoad], sizes: Mapping[str, int], band: Band
) -> dict[str, Edges]:
    """The band of each directory. Those to drain get zero; closed ones may only lose."""
    capacity = sum(d.capacity for d in directories if not d.drain)
    mean = sum(sizes.values()) / capacity if capacity else 0.0
    result = {}
    for d in directories:
        if d.drain:
            result[d.path] = Edges(0.0, 0.0, 0.0)
        else:
            middle = mean * d.capacity
            top = min(middle * (1 + band.tolerance), d.capacity * band.high_mark)
            result[d.path] = Edges(middle * (1 - band.tolerance), middle, top)
    return result


def lower_bound(directories: Sequence[DirectoryLoad], sizes: Mapping[str, int], band: Band) -> int:
    """Bytes that any plan must move to reach the band."""
    around = edges(directories, sizes, band)
    above = sum(max(0.0, sizes[p] - e.high) for p, e in around.items())
    missing = sum(max(0.0, e.low - sizes[p]) for p, e in around.items())
    return round(max(above, missing))
