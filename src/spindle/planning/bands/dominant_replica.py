"""Bands of two measures that contradict each other: what a large replica needs beside it.

A disk whose largest replica takes all its bytes has no room for those that would bring it its part
of the writes, and one with a replica that takes all its writes cannot be filled but with replicas
that are written to as well. No plan has such a disk in both bands. So it may hold more than they
say: from the least that must lie beside its largest replica half a band further. Called by the
field for brokers where rates count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spindle.planning.bands.bound import Edges, least_that_brings
from spindle.planning.cluster_model import Floats


class BrokerMeasure(NamedTuple):
    """Bytes, or bytes per second, of a broker's directories.

    `of`: of each replica that may be moved, one directory's after the other's; `total`: of all that
    is in each directory; `marks`: what it may hold at most.
    """

    of: Floats
    total: Sequence[float]
    around: Sequence[Edges]
    marks: Sequence[float]


def widened_bands(counts: Sequence[int], this: BrokerMeasure, other: BrokerMeasure) -> list[Edges]:
    """The bands of a measure, wider where no plan could bring a directory into both.

    `counts`: replicas of each directory that may be moved.
    """
    result = list(this.around)
    fair = max((e.fair for e in this.around if e.low > 0), default=0.0)
    ends = np.cumsum(counts).tolist()
    more = 0.0
    for n, here in enumerate(map(slice, [0, *ends[:-1]], ends)):
        e = this.around[n]
        needs = _needs(n, here, this, other, fair)
        if needs > max(e.high, fair):
            more += needs - e.mean
            # Half a band for the choice, as for all.
            high = min(needs + (e.fair - e.low) / 2, this.marks[n])
            result[n] = e._replace(high=max(e.high, high))
    if not more:
        return result
    rest = [n for n, e in enumerate(result) if e is this.around[n]]
    left = max(0.0, 1 - more / max(1.0, sum(result[n].mean for n in rest)))
    for n in rest:  # They share what is left.
        result[n] = result[n]._replace(low=result[n].low * left)
    return result


def _needs(n: int, here: slice, this: BrokerMeasure, other: BrokerMeasure, fair: float) -> float:
    """The least that a directory holds in any plan that has the other measure in its band."""
    low = other.around[n].low
    if here.start == here.stop or low <= 0 or this.around[n].low <= 0:
        return 0.0
    largest = here.start + int(np.argmax(this.of[here]))
    size, worth = float(this.of[largest]), float(other.of[largest])
    prices, worths = np.delete(this.of, largest), np.delete(other.of, largest)
    stays = this.total[n] - float(this.of[here].sum())
    beside = other.total[n] - float(other.of[here].sum())
    # Wherever the largest lies it needs this much: more than any directory's fair part?
    if size + least_that_brings(prices, worths, low - worth) > fair:
        return stays + size + least_that_brings(prices, worths, low - worth - beside)
    return stays + least_that_brings(this.of, other.of, low - beside)
