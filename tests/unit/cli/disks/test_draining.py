"""Which replica of a directory goes where when it is drained, and what a drain says in the end."""

from __future__ import annotations

import pytest

from spindle.cli.disks.draining import Drained, not_leaving, plan, what_else_is_there
from spindle.client.failures import Refused
from spindle.client.results import DiskDescription, LogDescription, LogDirDescription, Replica
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition

GIB = 1 << 30


def directory(
    path: str,
    usable: int | None,
    current: dict[str, int],
    future: dict[str, int] | None = None,
    *,
    online: bool = True,
    cordoned: bool = False,
) -> LogDirDescription:
    return LogDirDescription(
        path,
        Error.NONE if online else Error.KAFKA_STORAGE_ERROR,
        None if usable is None else usable * 2,
        usable,
        cordoned,
        {TopicPartition(t, 0): LogDescription(size, 0, False) for t, size in current.items()},
        {TopicPartition(t, 0): LogDescription(s, 0, True) for t, s in (future or {}).items()},
    )


@pytest.mark.spec("B-19")
def test_all_of_it_leaves_and_nothing_else_moves() -> None:
    found = [
        directory("/a", 10 * GIB, {f"t{n}": GIB for n in range(6)}, cordoned=True),
        directory("/b", 10 * GIB, {"big": 9 * GIB}),
        directory("/c", 10 * GIB, {}),
        directory("/d", 90 * GIB, {}, cordoned=True),
        directory("/e", None, {}, online=False),
    ]
    wanted, notes = plan(1, found, "/a")
    assert set(wanted) == {Replica(f"t{n}", 0, 1) for n in range(6)}
    assert set(wanted.values()) <= {"/b", "/c"}
    assert notes == ()


def test_what_is_moving_already_is_left_to_it() -> None:
    found = [
        directory("/a", GIB, {"gone": 100, "stays": 100}, {"comes": 5}, cordoned=True),
        directory("/b", GIB, {"comes": 100}, {"gone": 50}),
    ]
    wanted, _ = plan(1, found, "/a")
    assert wanted == {Replica("stays", 0, 1): "/b"}


def test_what_is_reported_in_both_directories_is_leaving() -> None:
    """Apache Kafka 4.3, in the moment in which it puts the copy in place."""
    found = [
        directory("/b", GIB, {"swapped": 100}, {"copied": 50}),
        directory("/a", GIB, {"swapped": 100, "copied": 100, "stays": 100}, cordoned=True),
    ]
    assert not_leaving(found, "/a") == {TopicPartition("stays", 0)}


def test_what_has_no_room_is_reported() -> None:
    found = [
        directory("/a", GIB, {"huge": 50 * GIB}, cordoned=True),
        directory("/b", GIB, {}),
    ]
    wanted, notes = plan(1, found, "/a")
    assert wanted == {}
    assert notes


@pytest.mark.spec("B-19", "V-06")
def test_what_is_free_on_a_device_is_free_once_however_many_directories_are_there() -> None:
    leaving = {f"t{n}": 3 * GIB for n in range(4)}

    def planned(left: int) -> int:
        shared = [directory(f"/b/{n}", left, {f"b{n}": GIB}) for n in (1, 2)]
        wanted, _ = plan(1, [directory("/a", GIB, leaving, cordoned=True), *shared], "/a")
        assert len(set(wanted.values())) <= 1
        return len(wanted)

    assert planned(13 * GIB) == 4
    assert planned(10 * GIB) < 4, "20 GiB were counted where there are 10"


def test_disks_that_are_alike_but_not_the_same_all_take_replicas() -> None:
    leaving = {f"t{n}": 3 * GIB for n in range(4)}
    others = [directory(f"/b{n}", 10 * GIB, {f"b{n}": 10 * GIB}) for n in (1, 2)]
    wanted, _ = plan(1, [directory("/a", GIB, leaving, cordoned=True), *others], "/a")
    assert sorted(wanted.values()) == ["/b1", "/b1", "/b2", "/b2"]


def test_without_figures_of_space_nothing_is_planned() -> None:
    found = [directory("/a", None, {"t": 1}, cordoned=True), directory("/b", GIB, {})]
    assert plan(1, found, "/a") == ({}, ("broker 1 does not report the free space of /a",))


def test_the_end_says_whether_it_may_be_pulled() -> None:
    done = Drained(1, "/a", True, 2, 2048, ("/b", "/c"), ("1.0 KiB of stray logs",))
    assert done.lines() == [
        "moved 2 replicas (2.0 KiB) to /b, /c",
        "note: 1.0 KiB of stray logs",
        "safe to pull: /a on broker 1 is empty, and gets nothing new (cordoned)",
    ]
    assert Drained(1, "/a", False, 0, 0).lines() == ["NOT safe to pull: /a on broker 1"]
    assert done.document()["safeToPull"] is True


def disk(state: str = "healthy", *, cordoned: bool = True, offline: int = 0) -> DiskDescription:
    return DiskDescription(
        "/a", None, state, "", cordoned, 100, 50, 0, 0, offline, 0, 0, 2048, 0, 0.0, ()
    )


@pytest.mark.spec("B-19", "N-06")
def test_a_directory_is_safe_to_pull_only_where_that_is_known() -> None:
    """Apache Kafka's brokers have no such request; any other failure leaves it open."""
    theirs = Refused(Error.UNSUPPORTED_VERSION, "DescribeLogDirStates", "broker 1")
    assert what_else_is_there(theirs, "/a") == (True, [])
    for failure in (
        TimeoutError("no answer within 30 s"),
        Refused(Error.UNKNOWN_SERVER_ERROR, "", "b"),
    ):
        safe, notes = what_else_is_there(failure, "/a")
        assert not safe
        assert notes == [f"whether anything else is there is not known: {failure}"]
    strays = "2.0 KiB of logs that no topic claims (-stray) go with it"
    assert what_else_is_there([disk()], "/a") == (True, [strays])
    assert what_else_is_there([disk(offline=2)], "/a")[0] is False
    uncordoned = what_else_is_there([disk(cordoned=False)], "/a")
    assert uncordoned == (False, ["the directory takes new replicas again: drain it again"])
    failed = what_else_is_there([disk("failed")], "/a")
    assert failed == (False, ["the directory is failed by now: drain it again"])
    assert what_else_is_there([], "/a")[0] is False
