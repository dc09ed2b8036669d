"""Which replica a consumer should read: the rules of Apache Kafka's RackAwareReplicaSelector."""

from __future__ import annotations

import pytest

from spindle.core.replica.replica_selector import ReplicaView, nearest

HERE, BEHIND, LATE = ReplicaView(9, 5.0, 2), ReplicaView(8, 6.0, 3), ReplicaView(9, 4.0, 4)


@pytest.mark.spec("C-06")
@pytest.mark.parametrize(
    ("rack", "leader", "racked", "chosen"),
    [
        ("", "", [("", HERE)], None),  # The consumer does not say where it is.
        ("a", "a", [("a", HERE)], None),  # The leader is as near.
        ("a", "b", [("b", HERE), (None, BEHIND)], None),  # No replica is near.
        ("a", "b", [], None),
        ("a", None, [("a", BEHIND)], 3),
        ("a", "b", [("a", BEHIND), ("a", HERE)], 2),  # The one with more records,
        ("a", "b", [("a", LATE), ("a", HERE)], 2),  # then the one that was caught up last,
        ("a", "b", [("a", HERE), ("a", HERE._replace(broker=7))], 7),  # then the higher id.
    ],
)
def test_the_nearest_replica_is_in_the_consumers_rack(
    rack: str, leader: str | None, racked: list[tuple[str | None, ReplicaView]], chosen: int | None
) -> None:
    assert nearest(rack, leader, racked) == chosen
    assert nearest(rack, leader, reversed(racked)) == chosen
