"""What every plan keeps, on as many clusters as asked for: python -m tests.unit.planning.many 10000

With two numbers: the seeds from the first on, before the second.
The unit tests check the first ones only.
"""

from __future__ import annotations

import sys
import traceback
from dataclasses import replace
from itertools import product

from tests.unit.planning.clusters import (
    after,
    band_by_seed,
    by_seed,
    carry_out,
    limits_by_seed,
    with_rates,
)

from spindle.planning.between.levels import levels
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.search_state import SearchState

TELL = 10
"""Seeds after which the check says how far it is; one in so many is planned twice, too."""


def check(seed: int, between: bool, rates: bool = False, twice: bool = True) -> None:
    """Plan the cluster of a seed, carry the plan out, plan again; fails where a rule is broken.

    `twice`: whether the same is planned from the same, too.
    """
    cluster, band, limits = by_seed(seed), band_by_seed(seed), limits_by_seed(seed)
    if rates:
        cluster = with_rates(cluster, seed)
        band = replace(band, rate_tolerance=(0.05, 0.2)[seed % 2])
    plan = plan_cluster(cluster, band, limits, between)
    end = after(cluster, carry_out(cluster, plan, band, limits))
    if rates:
        end = with_rates(end, seed)
    again = plan_cluster(end, band, limits, between)
    assert not again.moves, f"seed {seed}: a result is planned again"
    if twice:
        assert plan_cluster(cluster, band, limits, between) == plan, f"seed {seed}: another plan"
    if between and not plan.notes:
        field = SearchState(end, band)
        around = levels(field)
        for b in range(len(end.brokers)):
            own = end.of_broker(b)
            edges, flows = field.bands(b, [around.directories[d] for d in own])
            off = [e.outside(field.used[d]) for e, d in zip(edges, own, strict=True)]
            off += [] if flows is None else map(flows.off, range(len(own)))
            assert not any(off), f"seed {seed}: out of the band, and nothing is said"


def main() -> None:
    """Check the seeds asked for, and tell which fail; how far it is every few seeds."""
    plans = failed = 0
    begin, end = (0, *map(int, sys.argv[1:] or ["10000"]))[-2:]
    for seed in range(begin, end):
        for between, rates in product((True, False), repeat=2):
            plans += 1
            try:
                check(seed, between, rates, twice=seed % TELL == 0)
            except Exception:  # Whatever it is, the other seeds are checked, too.
                failed += 1
                print(f"seed {seed}, between={between}, rates={rates}")
                traceback.print_exc()
        if seed % TELL == TELL - 1 or seed == end - 1:
            print(f"seeds {begin}-{seed}: {plans} plans, {failed} failed", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
