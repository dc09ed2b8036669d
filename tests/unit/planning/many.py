"""What every plan keeps, on as many clusters as asked for: python -m tests.unit.planning.many 10000

The unit tests check the first ones only.
"""

from __future__ import annotations

import sys
import traceback

from tests.unit.planning.clusters import (
    after,
    band_by_seed,
    by_seed,
    carry_out,
    limits_by_seed,
)

from spindle.planning.field import Field
from spindle.planning.levels import levels
from spindle.planning.whole import plan_cluster


def check(seed: int, between: bool) -> None:
    """Plan the cluster of a seed, carry the plan out, plan again; fails where a rule is broken."""
    cluster, band, limits = by_seed(seed), band_by_seed(seed), limits_by_seed(seed)
    plan = plan_cluster(cluster, band, limits, between)
    end = after(cluster, carry_out(cluster, plan, band, limits))
    again = plan_cluster(end, band, limits, between)
    assert not again.moves, f"seed {seed}: a result is planned again"
    assert plan_cluster(cluster, band, limits, between) == plan, f"seed {seed}: another plan"
    if between and not plan.notes:
        field = Field(end, band)
        around = levels(field)
        off = [e.outside(u) for e, u in zip(around.directories, field.used, strict=True)]
        assert not any(off), f"seed {seed}: out of the band, and nothing is said"


def main() -> None:
    """Check the first so many seeds, and tell which fail."""
    failed = 0
    for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000):
        for between in (True, False):
            try:
                check(seed, between)
            except AssertionError:
                failed += 1
                print(f"seed {seed}, between={between}")
                traceback.print_exc()
    print(f"{failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
