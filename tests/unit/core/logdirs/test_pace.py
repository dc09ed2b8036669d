"""Slow disks: found by their past and their neighbours; good disks under load are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spindle.core.logdirs.health import PAST_LEAST, SLOW_AFTER, WELL_AFTER, Paces
from spindle.model.activity import Activity

ALLOWED = 0.1


def calls(each: float, count: int = 10, size: int = 0) -> Activity:
    """A second's calls: so many, each so many seconds long."""
    return Activity(calls=count, bytes=size, seconds=each * count)


def look(paces: Paces, times: int, **seen: Activity) -> list[str]:
    """So many looks at the same; which verdicts have changed."""
    return [path for _ in range(times) for path in paces.look(seen)]


@pytest.mark.spec("B-13")
def test_a_disk_much_slower_than_its_neighbours_is_slow_after_some_looks() -> None:
    paces = Paces(ALLOWED)
    assert look(paces, SLOW_AFTER - 1, a=calls(0.5), b=calls(0.005)) == []
    assert look(paces, 1, a=calls(0.5), b=calls(0.005)) == ["a"]
    assert paces.is_slow("a")
    assert not paces.is_slow("b")
    assert paces.latency("a") == pytest.approx(0.5)
    # Reported once; and well again only after a while.
    assert look(paces, 100, a=calls(0.5), b=calls(0.005)) == []
    assert look(paces, WELL_AFTER - 1, a=calls(0.005), b=calls(0.005)) == []
    assert look(paces, 1, a=calls(0.005), b=calls(0.005)) == ["a"]
    assert not paces.is_slow("a")


@pytest.mark.spec("B-13")
def test_an_only_disk_is_judged_by_its_past() -> None:
    paces = Paces(ALLOWED)
    look(paces, PAST_LEAST, a=calls(0.005))
    assert look(paces, SLOW_AFTER, a=calls(0.5)) == ["a"]
    # Without a past there is no verdict.
    fresh = Paces(ALLOWED)
    assert look(fresh, 100, a=calls(0.15)) == []


@pytest.mark.spec("B-13")
def test_a_stall_of_the_whole_machine_is_no_disks_fault() -> None:
    paces = Paces(ALLOWED)
    look(paces, PAST_LEAST, a=calls(0.005), b=calls(0.005), c=calls(0.004))
    assert look(paces, 100, a=calls(0.9), b=calls(0.8), c=calls(0.7)) == []


@pytest.mark.spec("B-13")
def test_much_work_makes_no_directory_slow() -> None:
    paces = Paces(ALLOWED)
    look(paces, PAST_LEAST, a=calls(0.005), b=calls(0.005))
    busy = calls(0.9, count=1, size=80_000_000)  # One call, but for 80 MB.
    assert look(paces, 100, a=busy, b=calls(0.001)) == []
    assert look(paces, 100, a=calls(0.001, count=1000), b=Activity()) == []


@pytest.mark.spec("B-13")
def test_a_call_that_does_not_return_counts_and_idleness_says_nothing() -> None:
    paces = Paces(ALLOWED)
    look(paces, PAST_LEAST, a=calls(0.005), b=calls(0.005))
    stuck = Activity(busy=1.0, verb="write", calls=1, seconds=1.0)
    assert look(paces, SLOW_AFTER, a=stuck, b=calls(0.005)) == ["a"]
    assert look(paces, 100, a=Activity(), b=calls(0.005)) == []
    assert paces.is_slow("a")
    paces.forget("a")
    assert not paces.is_slow("a")


@given(
    st.lists(
        st.tuples(
            st.floats(0.0001, ALLOWED),
            st.integers(0, 500),
            st.integers(0, 1 << 30),
            st.floats(0.0001, 2.0),
            st.integers(0, 100),
        ),
        max_size=60,
    )
)
@pytest.mark.spec("B-13")
def test_a_disk_within_its_allowance_is_never_called_slow(
    looks: list[tuple[float, int, int, float, int]],
) -> None:
    paces = Paces(ALLOWED)
    for each, count, size, others, their_count in looks:
        paces.look({"a": calls(each, count, size), "b": calls(others, their_count)})
        assert not paces.is_slow("a")
