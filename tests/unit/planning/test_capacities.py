"""Capacities that brokers report, that an operator gives, or that are not known."""

from __future__ import annotations

import pytest

from spindle.planning.capacities import ENDLESS, ReportedSpace, settle


def space(
    broker: int, path: str, capacity: int | None = None, online: bool = True
) -> ReportedSpace:
    return ReportedSpace(broker, path, online, capacity)


def test_what_is_given_goes_before_what_is_reported() -> None:
    found = settle([space(1, "/a", 10), space(1, "/b", 20)], {"1:/b": 7}, False)
    assert (found.planned(1, "/a"), found.planned(1, "/b")) == (10, 7)
    assert not list(found.notes())


@pytest.mark.spec("V-02")
def test_bytes_alone_are_evened_where_nothing_is_known_of_a_broker() -> None:
    spaces = [space(1, "/a"), space(1, "/b"), space(2, "/a", 10)]
    found = settle(spaces, {}, False)
    assert [found.planned(s.broker, s.path) for s in spaces] == [ENDLESS, ENDLESS, 10]
    (note,) = found.notes()
    assert note.startswith("broker 1: the space of the disks is not reported")
    assert "evens out bytes" in note
    assert "--capacity" in note


@pytest.mark.spec("V-02")
def test_brokers_planned_as_one_are_known_all_or_none() -> None:
    found = settle([space(1, "/a"), space(2, "/a", 10)], {}, True)
    assert (found.planned(1, "/a"), found.planned(2, "/a")) == (None, 10)
    (note,) = found.notes()
    assert "broker 1: nothing is planned: the space of /a is not reported" in note
    assert settle([space(1, "/a"), space(2, "/a")], {}, True).bytes_only == (1, 2)


def test_a_broker_of_which_a_part_is_known_is_left_out_by_name() -> None:
    found = settle([space(1, "/a"), space(1, "/b")], {"1:/a": 5}, False)
    assert found.planned(1, "/a") is None
    assert found.known == {(1, "/a"): 5}
    (note,) = found.notes()
    assert "--capacity 1:/b=SIZE" in note


def test_an_offline_directory_need_not_be_known() -> None:
    found = settle([space(1, "/a", 5), space(1, "/b", online=False)], {}, False)
    assert found.planned(1, "/a") == 5
    assert not found.missing
