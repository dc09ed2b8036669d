"""A straight line through how much has been written: robust against what is not growth. Pure.

Bytes against seconds. What jumps once or twice (a bulk load, a topic deleted) is no growth and is
taken out; of the rest the slope is the median over pairs of points (Theil-Sen), whole days apart
where there are such, so that gaps, retention's steps and single wrong samples do not bend it. How
far the future may be from the line follows from how far days (of a short past: half days) were
from each other. Called by `forecast`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

CONFIDENCE: Final = 0.8
"""The part of all futures that are to lie between the bounds of a forecast."""
_JUMPS_MAX: Final = 2
"""So many jumps are events; more of them are how this directory grows."""
_JUMP: Final = 12.0
"""A jump is so many times as far from the median as the others are at the median."""
_DAY: Final = 86_400.0
_BLOCKS_MIN: Final = 4
"""Blocks without which nothing is said of how they differ."""
_ALIKE: Final = 0.8
"""Of a correlation more is not believed."""


class Line(NamedTuple):
    """Growth in bytes/s: the slope, and how much the growth of blocks of time differs.

    `spread`: its standard deviation over so many `blocks` of `block` s each; a block holds a day
    or half of one, so that the hours of a day are no difference. `peak`: bytes by which it rises
    within a block above where it ends, before retention takes them.
    """

    slope: float
    spread: float
    peak: float
    blocks: int
    block: float

    @property
    def known(self) -> bool:
        """Whether there were enough blocks to say how far the future may be from the line."""
        return self.blocks >= _BLOCKS_MIN

    def after(self, seconds: float) -> tuple[float, float, float]:
        """Bytes that will have come: the least, the expected and the most (prediction interval).

        Blocks to come differ from each other as those of the past do, and the mean of the past is
        itself known only from so many blocks.
        """
        reach = self._factor() * sqrt(seconds * seconds / self.blocks + seconds * self.block)
        middle = self.slope * seconds
        return middle - reach, middle, middle + reach + self.peak * min(1.0, seconds / self.block)

    def until(self, room: float) -> tuple[float | None, float | None, float | None]:
        """Seconds until so many bytes have come: at the earliest, expected, at the latest.

        None: never. A peak fills it as well, only the latest moment does not count on one.
        """
        below = max(0.0, room - self.peak)
        earliest, _ = self._reached(below)
        if self.slope <= 0:
            return earliest, None, None
        return earliest, below / self.slope, self._reached(max(0.0, room))[1]

    def _reached(self, room: float) -> tuple[float | None, float | None]:
        """Where the upper and the lower bound, without peaks, reach a room.

        There (room - slope t)^2 = factor^2 (t^2 / blocks + t block): a t^2 - b t + room^2 = 0.
        """
        slope, factor2 = self.slope, self._factor() ** 2
        a = slope * slope - factor2 / self.blocks
        b = 2 * room * slope + factor2 * self.block
        under = 4 * room * factor2 * (slope * self.block + room / self.blocks)
        root = sqrt(max(0.0, under + (factor2 * self.block) ** 2))
        if b + root <= 0:
            return (None, None) if room else (0.0, 0.0)
        return 2 * room * room / (b + root), (b + root) / (2 * a) if a > 0 else None

    def _factor(self) -> float:
        return self.spread * _student((1 + CONFIDENCE) / 2, self.blocks - 1)


def fit(moments: Sequence[float], changes: Sequence[float]) -> Line | None:
    """The line of a directory; `changes[n]`: bytes that came (or went) between two moments (s).

    So there is one moment more than there are changes. None with fewer than two moments.
    """
    at = np.asarray(moments, dtype=np.float64)
    if len(at) < 2 or at[-1] <= at[0]:
        return None
    steps = _without_jumps(np.asarray(changes, dtype=np.float64), np.diff(at))
    total = np.concatenate([[0.0], np.cumsum(steps)])
    block = _block(at)
    return Line(_slope(at, total, block), *_blocks(at, total, block), block)


def _block(at: NDArray[np.float64]) -> float:
    """A day, of a short past half a day; no less than what lies between two samples, mostly."""
    block = _DAY if at[-1] - at[0] >= _BLOCKS_MIN * _DAY else _DAY / 2
    return block * max(1.0, float(np.ceil(np.median(np.diff(at)) / block)))


def _slope(at: NDArray[np.float64], total: NDArray[np.float64], block: float) -> float:
    """The median over pairs of points; where there are such, over pairs whole blocks apart.

    So what comes at an hour of the day and goes at another one bends nothing.
    """
    first, second = np.triu_indices(len(at), 1)
    slopes = (total[second] - total[first]) / (at[second] - at[first])
    found = [
        (total[at >= at[0] + far] - np.interp(at[at >= at[0] + far] - far, at, total)) / far
        for far in np.arange(block, (at[-1] - at[0]) * (1 + 1e-9), block)
    ]
    return float(np.median(np.concatenate(found) if len(found) > 1 else slopes))


def _blocks(
    at: NDArray[np.float64], total: NDArray[np.float64], block: float
) -> tuple[float, float, int]:
    """How much blocks differ, how high they rise in between, and how many there are.

    They are counted back from the last moment. Where one is like the one before it, there are in
    truth fewer of them: the deviation is larger by what the correlation takes from their number.
    """
    blocks = int((at[-1] - at[0]) / block + 1e-6)
    if blocks < 2:
        return 0.0, 0.0, blocks
    edges = at[-1] - block * np.arange(blocks, -1, -1)
    ends = np.interp(edges, at, total)
    rates = np.diff(ends) / block
    off = rates - rates.mean()
    whole = float(np.sum(off * off))
    alike = float(np.sum(off[1:] * off[:-1])) / whole + 1 / blocks if whole > 0 else 0.0
    alike = min(max(0.0, alike), _ALIKE)
    above = np.maximum(0.0, total - np.interp(at, edges, ends))
    place = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, blocks - 1)
    peaks = [np.max(above[place == n], initial=0.0) for n in range(blocks)]
    spread = float(np.std(rates, ddof=1)) * sqrt((1 + alike) / (1 - alike))
    return spread, float(np.median(peaks)), blocks


def _student(share: float, freedom: int) -> float:
    """The quantile of Student's distribution: Fisher's expansion around the normal one."""
    z, n = NormalDist().inv_cdf(share), float(freedom)
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
    )


def _without_jumps(steps: NDArray[np.float64], spans: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same with single jumps replaced by what is usual in such a time."""
    rates = steps / spans
    usual = float(np.median(rates))
    spread = float(np.median(np.abs(rates - usual)))
    limit = _JUMP * max(spread, abs(usual) / 4, 1e-9)
    jumps = np.abs(rates - usual) > limit
    if not 0 < int(jumps.sum()) <= _JUMPS_MAX or len(steps) <= 4 * _JUMPS_MAX:
        return steps
    return np.where(jumps, usual * spans, steps)
