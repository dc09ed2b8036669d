"""Brings the write rates of brokers nearer to their bands, with bytes kept in theirs.

Each step is the best move or exchange between the broker that is farthest out and those that lack
what it has, or have it. Deterministic. Called by `walk` where rates count.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from spindle.planning.between.ground import NEAR, Ground
from spindle.planning.within.trade import Side, Trade, exchanges, moves

_FEWEST_STEPS = 64
TRADES_PER_BROKER = 24
"""Steps for the sake of rates, at most."""


class RateTrade:
    """Trades on a ground, which it changes."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def run(self) -> None:
        """Bring rates nearer to their bands, by moves and exchanges that keep bytes in theirs."""
        stuck: dict[int, None] = {}
        count = len(self._ground.own)
        for _ in range(_FEWEST_STEPS + TRADES_PER_BROKER * count):
            off = [(self._ground.off(b), -b) for b in range(count) if b not in stuck]
            most, worst = max(off, default=(0.0, 0))
            if most <= 0:
                return
            if self._trade_best(-worst):
                stuck.clear()
            else:
                stuck[-worst] = None

    def _trade_best(self, broker: int) -> bool:
        """Take the best step between a broker and those that lack what it has, or have it."""
        ground = self._ground
        rates = np.array([e.mean for e in ground.levels.flows])
        sign = 1.0 if ground.flow[broker] >= rates[broker] else -1.0
        others = np.arange(len(ground.own)) != broker
        near = islice(ground.order(sign * (ground.flow - rates), others), NEAR)
        one = self._side(broker)
        best: tuple[float, list[tuple[int, int]]] | None = None
        for other in near:
            side = self._side(other)
            for found, source, target in (
                (moves(one, side), broker, other),
                (moves(side, one), other, broker),
                (exchanges(one, side), broker, other),
            ):
                step = next((s for s in found if self._may(s, source, target)), None)
                if step is not None and (best is None or step.score > best[0]):
                    both = [(step.rank, target), (step.back, source)]
                    best = (step.score, both[: 1 if step.back < 0 else 2])
        for rank, to in best[1] if best is not None else ():
            ground.shift_to(rank, to)
        return best is not None

    def _may(self, step: Trade, source: int, target: int) -> bool:
        ground = self._ground
        if step.back >= 0:
            return ground.may_exchange(step.rank, step.back)
        fits = ground.landing(target, ground.field.sizes[step.rank]) is not None
        return fits and ground.rules.allows(step.rank, target)

    def _side(self, broker: int) -> Side:
        ground, field, held = self._ground, self._ground.field, self._ground.free(broker)
        assert field.rates is not None
        sizes = np.array([field.sizes[rank] for rank in held], dtype=np.float64)
        away = np.array([rank in ground.home for rank in held], dtype=np.bool_)
        return Side(
            held, sizes, np.array([field.rates.of[rank] for rank in held], dtype=np.float64),
            np.where(away, 0.0, sizes), float(ground.total[broker]), float(ground.flow[broker]),
            ground.levels.aims[broker], ground.levels.flows[broker], field.rates.scale, np.inf,
            bool(ground.takes[broker]),
        )  # fmt: skip
