"""The order of moves: both copies exist for a while, and no disk may pass its mark meanwhile."""

from __future__ import annotations

from spindle.planning.load import DirectoryLoad, Move
from spindle.planning.schedule import Limits, schedule

DISKS = [DirectoryLoad("/a", 100), DirectoryLoad("/b", 100), DirectoryLoad("/c", 100)]


def move(number: int, source: str, target: str, size: int) -> Move:
    return Move(1, "t", number, source, target, size)


def test_a_disk_takes_part_in_as_many_moves_at_once_as_allowed() -> None:
    moves = [move(n, "/a", "/b", 1) for n in range(4)]
    sizes = {"/a": 50, "/b": 0, "/c": 0}
    assert schedule(moves, DISKS, sizes, Limits(0.9, 1))[1] == [1, 1, 1, 1]
    assert schedule(moves, DISKS, sizes, Limits(0.9, 3))[1] == [3, 1]
    assert schedule(moves, DISKS, sizes, Limits(0.9, 0))[1] == [4]
    assert schedule(moves, DISKS, sizes, Limits(0.9, 0, 2))[1] == [2, 2]


def test_disks_that_have_nothing_to_do_with_each_other_work_side_by_side() -> None:
    moves = [move(1, "/a", "/b", 5), move(2, "/c", "/d", 5), move(3, "/a", "/d", 1)]
    disks = [*DISKS, DirectoryLoad("/d", 100)]
    ordered, waves, left = schedule(moves, disks, dict.fromkeys(["/a", "/b", "/c", "/d"], 10),
                                    Limits(0.9, 1))  # fmt: skip
    assert waves == [2, 1]
    assert {m.partition for m in ordered[:2]} == {1, 2}
    assert left == []


def test_a_move_waits_until_another_has_made_room_for_it() -> None:
    moves = [move(1, "/a", "/b", 40), move(2, "/b", "/c", 30)]
    ordered, waves, left = schedule(moves, DISKS, {"/a": 80, "/b": 60, "/c": 0}, Limits(0.9, 0))
    assert [m.partition for m in ordered] == [2, 1]
    assert waves == [1, 1]
    assert left == []


def test_moves_that_wait_for_each_other_are_left_out() -> None:
    moves = [move(1, "/a", "/b", 60), move(2, "/b", "/a", 50)]
    ordered, waves, left = schedule(moves, DISKS, {"/a": 80, "/b": 80, "/c": 0}, Limits(0.9, 1))
    assert ordered == []
    assert waves == []
    assert sorted(left) == sorted(moves)


def test_a_disk_above_its_mark_gives_and_does_not_take() -> None:
    moves = [move(1, "/a", "/b", 5), move(2, "/c", "/a", 1)]
    ordered, _, left = schedule(moves, DISKS, {"/a": 99, "/b": 0, "/c": 9}, Limits(0.9, 0))
    assert [m.partition for m in ordered] == [1]
    assert [m.partition for m in left] == [2]
