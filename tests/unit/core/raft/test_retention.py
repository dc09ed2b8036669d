"""What of the metadata log's past may go, by bytes and by age."""

import pytest

from spindle.core.raft.log_retention import Kept, Retention
from spindle.model.offsets import OffsetAndEpoch

THREE = [Kept(OffsetAndEpoch(n * 100, 1), 1_000, n * 10_000) for n in (1, 2, 3)]
SECOND = OffsetAndEpoch(200, 1)


@pytest.mark.parametrize(
    ("max_bytes", "max_ms", "now_ms", "expected"),
    [
        (8_000, -1, 10**12, None),
        (7_999, -1, 0, SECOND),
        (-1, 5_000, 15_000, None),
        (-1, 5_000, 15_001, SECOND),
        (-1, -1, 10**12, None),
        (0, 0, 10**12, SECOND),
    ],
)
def test_the_oldest_goes_when_it_is_too_much_or_too_old(
    max_bytes: int, max_ms: int, now_ms: int, expected: OffsetAndEpoch | None
) -> None:
    retention = Retention(max_bytes, max_ms)
    assert retention.next_start(THREE, 5_000, now_ms) == expected


def test_the_two_newest_stay() -> None:
    assert Retention(0, 0).next_start(THREE[1:], 10**9, 10**12) is None
