"""What the quorum does rests on files: votes and snapshots count once they are written."""

from __future__ import annotations

import errno

import pytest
from tests.unit.node.quorum_hosts import Hosts
from tests.unit.node.test_quorum import names, snapshots, topic, with_snapshots

from spindle.model.jobs import PutFile
from spindle.storage import small_files
from spindle.storage.disk import Disk


def without_room(monkeypatch: pytest.MonkeyPatch, ending: str) -> dict[str, bool]:
    """Small files of this name are not written, and tried again, until `full` is said no more."""
    put, state = small_files.put, {"full": True}

    def refused(disk: Disk, job: PutFile) -> None:
        if state["full"] and job.name.endswith(ending):
            raise OSError(errno.ENOSPC, "no room", job.directory)
        put(disk, job)

    monkeypatch.setattr(small_files, "put", refused)
    return state


def test_no_vote_counts_before_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    state = without_room(monkeypatch, "quorum-state")
    hosts = Hosts(voters=3)
    hosts.pass_time(20)
    assert hosts.leader() is None
    state["full"] = False
    hosts.await_leader()


def test_a_voter_without_room_gives_no_vote() -> None:
    hosts = Hosts(voters=3)
    faults = [hosts.disks[id].fail("/meta", errno.ENOSPC, "write") for id in (2, 3)]
    hosts.pass_time(20)
    assert hosts.leader() is None
    for id, fault in zip((2, 3), faults, strict=True):
        hosts.disks[id].mend(fault)
    hosts.await_leader()


def test_nothing_is_given_up_for_a_snapshot_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state = without_room(monkeypatch, ".checkpoint")
    hosts = with_snapshots(0)
    leader = hosts.await_leader()
    for n in range(60):
        hosts.append(leader, *topic(n))
        hosts.pass_time(0.05)
    assert leader.quorum.raft is not None
    assert leader.quorum.raft.log.start == 0
    assert leader.quorum.raft.log.snapshot is None
    state["full"] = False
    hosts.pass_time(3)
    assert snapshots(hosts, 1)


def test_a_log_is_not_thrown_away_for_a_snapshot_that_is_not_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hosts = with_snapshots(1)
    leader = hosts.await_leader()
    hosts.append(leader, *topic(1000))
    hosts.until(lambda: names(hosts[2]) == {"topic-1000"})
    hosts.stop(2)
    for n in range(60):
        hosts.append(leader, *topic(n))
        hosts.pass_time(0.05)
    hosts.pass_time(1)
    state = without_room(monkeypatch, ".checkpoint")
    late = hosts.start(2)
    hosts.pass_time(5)
    assert late.quorum.raft is not None
    assert late.quorum.raft.log.snapshot is None
    assert not snapshots(hosts, 2)
    state["full"] = False
    hosts.until(lambda: len(names(late)) == 61)
    assert snapshots(hosts, 2)
