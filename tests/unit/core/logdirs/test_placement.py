"""Where new replicas go: by room, evenly, and never where they must not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.logdirs.placement import Candidate, Round

GIB = 1 << 30
TIB = 1 << 40


def place(some: list[Candidate], wish: str | None = None, assigned: str | None = None) -> list[str]:
    return Round(some).order(wish, assigned)


def disk(
    path: str,
    usable: int = TIB,
    *,
    total: int = 2 * TIB,
    sizes: tuple[int, ...] = (),
    rate: float = 0.0,
    online: bool = True,
    cordoned: bool = False,
    device: int = -1,
) -> Candidate:
    return Candidate(path, online, cordoned, total, usable, device, rate, sizes)


@pytest.mark.spec("K113-27", "B-07")
def test_free_bytes_decide_and_not_the_number_of_logs() -> None:
    full = disk("/full", usable=100 * GIB, sizes=(1900 * GIB,))
    empty = disk("/empty", usable=2 * TIB - 1, sizes=(0,) * 12)
    assert place([full, empty])[0] == "/empty"


@pytest.mark.spec("K113-27", "B-07")
def test_among_equals_the_write_rate_then_the_number_of_logs_then_the_order() -> None:
    busy, idle = disk("/busy", rate=50e6), disk("/idle")
    assert place([busy, idle]) == ["/idle", "/busy"]
    assert place([disk("/b"), disk("/a")]) == ["/b", "/a"]


@pytest.mark.spec("K113-27")
@pytest.mark.parametrize("shared_file_system", [True, False])
def test_ties_are_even(shared_file_system: bool) -> None:
    placed: dict[str, list[int]] = {"/a": [], "/b": [], "/c": []}
    for number in range(30):
        jitter = number % 3 if shared_file_system else 0
        candidates = [disk(p, TIB - jitter, sizes=tuple(s)) for p, s in placed.items()]
        placed[place(candidates)[0]].append(0)
    assert {len(s) for s in placed.values()} == {10}


@pytest.mark.spec("K113-27")
def test_a_run_of_new_replicas_fills_what_is_emptier_until_it_is_even() -> None:
    placed: dict[str, list[int]] = {"/a": [100 * GIB] * 4, "/b": [100 * GIB] * 8}
    free = {"/a": 2 * TIB - 400 * GIB, "/b": 2 * TIB - 800 * GIB}
    for _ in range(10):
        candidates = [disk(p, free[p], sizes=tuple(s)) for p, s in placed.items()]
        placed[place(candidates)[0]].append(0)
    assert {p: len(s) for p, s in placed.items()} == {"/a": 11, "/b": 11}


@pytest.mark.spec("K113-27", "B-07")
def test_directories_on_one_device_get_no_more_than_the_device_has() -> None:
    """Two on a device of 1 TiB, one alone on another: each device gets half, not each directory."""
    logs = (100 * GIB,) * 2
    some = [
        disk("/a", sizes=logs, device=7),
        disk("/b", sizes=logs, device=7),
        disk("/c", sizes=logs * 2, device=8),
    ]
    round = Round(some)
    placed = []
    for _ in range(8):
        placed.append(round.order()[0])
        round.took(placed[-1])
    assert sorted(placed) == ["/a", "/a", "/b", "/b", "/c", "/c", "/c", "/c"]
    assert {room.left for room in round.rooms.of.values()} == {TIB - 400 * GIB}


def test_what_young_logs_will_need_and_what_is_written_count_for_their_whole_device() -> None:
    old, young = disk("/old", sizes=(300 * GIB,), device=0, rate=5.0), disk("/young", sizes=(0,))
    rooms = Round([old, young, disk("/beside", sizes=(0,), device=0, rate=7.0)]).rooms
    grown = rooms.grown
    assert grown > 0
    assert [(room.left, room.rate) for _, room in sorted(rooms.of.items())] == [
        (TIB - grown, 12),
        (TIB - grown, 12),
        (TIB - grown, 0),
    ]


def test_file_systems_that_tell_nothing_fall_back_to_the_fewest_logs() -> None:
    unknown = disk("/u", usable=-1, total=-1, sizes=(1, 1))
    assert place([unknown, disk("/k", sizes=(1, 1, 1))]) == ["/u", "/k"]


@pytest.mark.spec("B-19")
def test_cordoned_only_where_a_client_named_it_or_all_are() -> None:
    a, b = disk("/a", cordoned=True, usable=2 * TIB), disk("/b", usable=GIB)
    assert place([a, b]) == ["/b"]
    assert place([a, b], assigned="/a") == ["/a", "/b"]
    assert place([a, b], wish="/a") == ["/a", "/b"]
    assert place([a]) == ["/a"]


@pytest.mark.spec("K113-10", "B-09")
def test_order_before_assignment_before_room_and_none_of_them_where_offline() -> None:
    a, b, c = disk("/a", online=False), disk("/b", usable=GIB), disk("/c")
    assert place([a, b, c], wish="/b", assigned="/c") == ["/b", "/c"]
    assert place([a, b, c], wish="/a", assigned="/b") == ["/b", "/c"]
    assert place([a, b, c], wish="/gone") == ["/c", "/b"]
    assert place([a]) == []


candidates = st.lists(
    st.builds(
        Candidate,
        path=st.sampled_from([f"/d{n}" for n in range(6)]),
        online=st.booleans(),
        cordoned=st.booleans(),
        total=st.integers(-1, 1 << 45),
        usable=st.integers(-1, 1 << 45),
        device=st.integers(-1, 2),
        rate=st.floats(0, 1e9),
        sizes=st.lists(st.integers(0, 1 << 40), max_size=5),
    ),
    unique_by=lambda c: c.path,
    max_size=6,
)


@given(candidates, st.none() | st.sampled_from([f"/d{n}" for n in range(7)]))
def test_always_online_never_twice_and_cordoned_last_resort(
    some: list[Candidate], wish: str | None
) -> None:
    ranked = place(some, wish)
    by_path = {c.path: c for c in some}
    assert len(set(ranked)) == len(ranked)
    assert all(by_path[p].online for p in ranked)
    assert bool(ranked) == any(c.online for c in some)
    if any(c.online and not c.cordoned for c in some):
        assert all(not by_path[p].cordoned for p in ranked if p != wish)


@given(candidates, st.integers(0, 40))
def test_a_round_is_the_same_as_looking_again_each_time(some: list[Candidate], count: int) -> None:
    # As long as the new logs do not change what is held to be a grown log's size: they are empty.
    round = Round(some)
    sizes = {c.path: list(c.sizes) for c in some}
    for _ in range(count):
        anew = Round([replace(c, sizes=tuple(sizes[c.path])) for c in some]).order()
        assert round.order() == anew
        if anew:
            round.took(anew[0])
            sizes[anew[0]].append(0)
