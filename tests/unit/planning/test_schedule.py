"""The order of moves: both copies exist for a while, and no disk may pass its mark meanwhile."""

from __future__ import annotations

import random
from collections import Counter

from spindle.planning.schedule import ScheduleStep, WaveLimits, schedule

ROOM = {"/a": 40.0, "/b": 90.0, "/c": 90.0}


def step(source: str, target: str, size: int, to: int = 1) -> ScheduleStep[str]:
    return ScheduleStep(size, source, target, 1, to)


def test_a_disk_takes_part_in_as_many_moves_at_once_as_allowed() -> None:
    steps = [step("/a", "/b", 1) for _ in range(4)]
    assert set(schedule(steps, ROOM, WaveLimits(1)).waves) == {0, 1, 2, 3}
    assert schedule(steps, ROOM, WaveLimits(3)).waves == [0, 0, 0, 1]
    assert schedule(steps, ROOM, WaveLimits(0)).waves == [0, 0, 0, 0]
    assert schedule(steps, ROOM, WaveLimits(0, 2)).waves == [0, 0, 1, 1]


def test_disks_that_have_nothing_to_do_with_each_other_work_side_by_side() -> None:
    steps = [step("/a", "/b", 5), step("/c", "/d", 5), step("/a", "/d", 1)]
    assert schedule(steps, {**ROOM, "/d": 90.0}, WaveLimits(1)) == ([0, 0, 1], 2)


def test_a_broker_has_as_many_hands_on_both_ends_of_a_move() -> None:
    steps = [
        step("/a", "/b", 5, to=2),
        ScheduleStep(4, "/c", "/d", 2, 3),
        ScheduleStep(3, "/e", "/f", 3, 3),
    ]
    assert schedule(steps, dict.fromkeys(["/b", "/d", "/f"], 90.0), WaveLimits(0, 1)).waves == [
        0,
        1,
        0,
    ]


def test_a_move_waits_until_another_has_made_room_for_it() -> None:
    steps = [step("/a", "/b", 40), step("/b", "/c", 30)]
    assert schedule(steps, {"/a": 10, "/b": 30, "/c": 90}, WaveLimits(0)) == ([1, 0], 2)


def test_moves_that_wait_for_each_other_are_left_out() -> None:
    steps = [step("/a", "/b", 60), step("/b", "/a", 50)]
    assert schedule(steps, {"/a": 10, "/b": 10}, WaveLimits(1)) == ([None, None], 0)


def test_a_disk_above_its_mark_gives_and_does_not_take() -> None:
    steps = [step("/a", "/b", 5), step("/c", "/a", 1)]
    assert schedule(steps, {"/a": -9, "/b": 90}, WaveLimits(0)).waves == [0, None]


def test_no_wave_ever_fills_a_disk_above_its_room() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        disks = [f"/{n}" for n in range(5)]
        room = {d: float(rng.randrange(-10, 120)) for d in disks}
        pairs = [rng.sample(disks, 2) for _ in range(rng.randrange(1, 25))]
        steps = [step(source, target, rng.randrange(60)) for source, target in pairs]
        limits = WaveLimits(rng.randrange(4), rng.randrange(4))
        waves, count = schedule(steps, room, limits)
        for wave in range(count):
            now = [s for s, w in zip(steps, waves, strict=True) if w == wave]
            assert now, f"seed {seed}: wave {wave} is empty"
            busy = Counter(d for s in now for d in (s.source, s.target))
            assert not limits.moves_per_disk or max(busy.values()) <= limits.moves_per_disk
            assert not limits.moves_per_broker or len(now) <= limits.moves_per_broker
            for s in now:
                room[s.target] -= s.size
            assert all(room[s.target] >= 0 for s in now if s.size), f"seed {seed}"
            for s in now:
                room[s.source] += s.size
