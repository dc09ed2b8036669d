"""States that are put together, beside a slow model that looks at each record."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.share.share_values import StateBatch
from spindle.core.share.state_batches import combined

pytestmark = [pytest.mark.spec("C-04")]
BATCH = st.builds(
    lambda first, size, state, count: StateBatch(first, first + size, state, count),
    st.integers(0, 20), st.integers(0, 8), st.sampled_from((0, 2, 4)), st.integers(1, 3),
)  # fmt: skip


@given(st.lists(BATCH, max_size=6), st.lists(BATCH, max_size=6), st.integers(-1, 20))
def test_the_later_delivery_counts_then_the_later_state(
    kept: list[StateBatch], written: list[StateBatch], start: int
) -> None:
    slow: dict[int, tuple[int, int]] = {}
    for batch in (*kept, *written):
        for offset in range(batch.first, batch.last + 1):
            if offset >= start:
                slow[offset] = max(slow.get(offset, (0, 0)), (batch.deliveries, batch.state))
    found = combined(kept, written, start)
    assert {
        offset: (b.deliveries, b.state) for b in found for offset in range(b.first, b.last + 1)
    } == slow
    for before, after in pairwise(found):
        assert before.last < after.first
        assert before.last + 1 < after.first or before[2:] != after[2:]
