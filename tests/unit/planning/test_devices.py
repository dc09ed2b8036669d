"""Which directories count as one device: what is alike, and holds no more than is used there."""

from __future__ import annotations

import pytest

from spindle.planning.devices import DRIFT_BYTES, Room, devices

GIB = 1 << 30
TOTAL = 100 * GIB


def grouped(*rooms: Room) -> list[list[str]]:
    return sorted(sorted(room.path for room in device) for device in devices(rooms))


@pytest.mark.spec("V-06")
def test_directories_of_one_file_system_are_one_device() -> None:
    used = (Room("/a", TOTAL, 80 * GIB, 12 * GIB), Room("/b", TOTAL, 80 * GIB + 5, 8 * GIB))
    assert grouped(*used) == [["/a", "/b"]]
    assert grouped(*used, Room("/c", TOTAL, 70 * GIB, GIB)) == [["/a", "/b"], ["/c"]]


def test_disks_that_are_alike_by_chance_are_not() -> None:
    """Each holds what is used there: together they hold twice as much as one has used."""
    rooms = [Room(path, TOTAL, 80 * GIB, 20 * GIB) for path in ("/a", "/b")]
    assert grouped(*rooms) == [["/a"], ["/b"]]


def test_empty_directories_are_taken_for_disks_of_their_own() -> None:
    """Nothing that a broker tells of them says otherwise (docs/balance.md)."""
    rooms = [Room(path, TOTAL, 80 * GIB, 0) for path in ("/a", "/b")]
    assert grouped(*rooms) == [["/a"], ["/b"]]


def test_free_bytes_may_drift_while_a_broker_looks_but_not_by_more() -> None:
    for apart, together in ((DRIFT_BYTES, True), (DRIFT_BYTES + 1, False)):
        rooms = (Room("/a", TOTAL, 50 * GIB, GIB), Room("/b", TOTAL, 50 * GIB + apart, GIB))
        assert (grouped(*rooms) == [["/a", "/b"]]) == together


def test_where_no_total_is_known_nothing_is_assumed() -> None:
    assert grouped(Room("/a", None, GIB, 1), Room("/b", None, GIB, 1)) == [["/a"], ["/b"]]
