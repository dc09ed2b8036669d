"""The quorum at its nodes: disks, requests, commits, snapshots, in the simulated world."""

from __future__ import annotations

import errno
import uuid

import pytest
from tests.unit.node.quorum_hosts import FOLDER, Hosts, QuorumMachine

from spindle.core.raft.roles import FollowerState
from spindle.model import metadata_records as r
from spindle.model.image import ClusterImage
from spindle.model.jobs import Close
from spindle.model.offsets import OffsetAndEpoch
from spindle.node.quorum import raft_wire
from spindle.node.quorum.metadata_snapshots import (
    SnapshotWriter,
    image_records,
    read_snapshot,
    snapshot_of_name,
)
from spindle.storage.formatting import DEFAULT_LEVELS
from spindle.wire.quorum_state import decode_quorum_state

TOPIC = uuid.UUID(int=77777)


def topic(n: int) -> tuple[r.MetadataRecord, ...]:
    """A topic with one partition."""
    id = uuid.UUID(int=1000 + n)
    return (
        r.Topic(name=f"topic-{n}", topic_id=id),
        r.PartitionRegistration(
            partition_id=0,
            topic_id=id,
            replicas=(1,),
            isr=(1,),
            leader=1,
            leader_epoch=0,
            partition_epoch=0,
            directories=(uuid.UUID(int=500),),
        ),
    )


def names(machine: QuorumMachine) -> set[str]:
    """Topics in a node's image."""
    return set(machine.metadata.image.topic_ids)


def content(image: ClusterImage) -> list[r.MetadataRecord]:
    """All that an image says."""
    return list(image_records(image))


def test_one_voter_leads_commits_and_applies() -> None:
    hosts = Hosts(voters=1)
    leader = hosts.await_leader()
    assert leader.controller is not None
    assert leader.controller.epochs == [1]
    committed = hosts.append(leader, *topic(1))
    hosts.until(lambda: committed)
    last = len(DEFAULT_LEVELS) + 2  # After LeaderChange, the levels and the topic itself.
    assert committed == [last]
    assert names(leader) == {"topic-1"}
    assert leader.metadata.offset == last
    state = decode_quorum_state(hosts.disks[1].open(f"{FOLDER}/quorum-state").read(0, 1000))
    assert (state.epoch, state.leader, state.voted) == (1, 1, 1)


def test_appends_during_a_write_go_into_the_next_one_in_order() -> None:
    hosts = Hosts(voters=1)
    leader = hosts.await_leader()
    hosts.pass_time(1)
    answers = [hosts.append(leader, *topic(n)) for n in range(20)]
    hosts.until(lambda: all(answers))
    offsets = [answer[0] for answer in answers]
    assert offsets == sorted(offsets)
    assert len(names(leader)) == 20


def test_a_restart_finds_everything_again_and_opens_a_new_epoch() -> None:
    hosts = Hosts(voters=1)
    leader = hosts.await_leader()
    hosts.until(hosts.append(leader, *topic(1)).__len__)
    hosts.stop(1)
    again = hosts.start(1)
    hosts.await_leader()
    assert again.controller is not None
    assert again.controller.epochs == [2]
    assert again.controller.image is not None
    assert set(again.controller.image.topic_ids) == {"topic-1"}
    assert again.controller.bootstrap == ()


def test_the_controllers_image_is_its_own() -> None:
    hosts = Hosts(voters=1)
    leader = hosts.await_leader()
    hosts.until(hosts.append(leader, *topic(1)).__len__)
    hosts.stop(1)
    hosts.start(1)
    leader = hosts.await_leader()
    assert leader.controller is not None
    assert leader.controller.image is not None
    for record in topic(2):
        leader.controller.image.apply(record)
    assert names(leader) == {"topic-1"}


def test_observers_follow_and_hear_of_changes() -> None:
    hosts = Hosts(voters=1, observers=2)
    leader = hosts.await_leader()
    hosts.until(hosts.append(leader, *topic(1)).__len__)
    for id in (2, 3):
        hosts.until(lambda id=id: names(hosts[id]) == {"topic-1"})
        assert content(hosts[id].metadata.image) == content(leader.metadata.image)
    assert hosts[2].quorum.leader_endpoint() == ("host-1", 9001)
    began = hosts.world.time.now
    hosts.append(leader, *topic(2))
    hosts.until(lambda: "topic-2" in names(hosts[2]))
    assert hosts.world.time.now - began < 0.1  # Long polls are answered at once.


def test_listeners_first_hear_when_all_that_is_committed_is_there() -> None:
    hosts = Hosts(voters=1, observers=1)
    leader = hosts.await_leader()
    hosts.stop(2)
    for n in range(50):
        hosts.append(leader, *topic(n))
    hosts.pass_time(2)
    hosts.start(2)
    hosts.until(lambda: hosts[2].deltas)
    assert len(hosts[2].deltas[0].partitions) == 50


def test_an_observer_fetches_again_what_a_power_cut_has_taken() -> None:
    """It syncs nothing, so as not to keep its replicas' disk busy: some cuts take records."""
    kept = [kept_by_an_observer(seed) for seed in range(20)]
    assert min(kept) < max(kept) == len(DEFAULT_LEVELS) + 7


def kept_by_an_observer(seed: int) -> int:
    """How many records of the log an observer has after a power cut and a start."""
    hosts = Hosts(voters=1, observers=1, seed=seed)
    leader = hosts.await_leader()
    for n in range(3):
        hosts.until(hosts.append(leader, *topic(n)).__len__)
        hosts.until(lambda n=n: f"topic-{n}" in names(hosts[2]))
    hosts.stop(2)
    again = hosts.start(2)
    hosts.until(lambda: again.loaded)
    assert again.quorum.raft is not None
    kept = again.quorum.raft.log.end
    hosts.until(lambda: content(again.metadata.image) == content(leader.metadata.image))
    return kept


def test_three_voters_commit_and_fail_over() -> None:
    hosts = Hosts(voters=3, observers=1, seed=5)
    first = hosts.await_leader()
    hosts.until(hosts.append(first, *topic(1)).__len__)
    hosts.stop(first.config.node_id)
    hosts.until(lambda: hosts.leader() is not None)
    second = hosts.await_leader()
    assert second is not first
    assert second.controller is not None
    assert second.controller.image is not None
    assert set(second.controller.image.topic_ids) == {"topic-1"}
    hosts.until(hosts.append(second, *topic(2)).__len__)
    hosts.start(first.config.node_id)
    for id in (1, 2, 3, 4):
        hosts.until(lambda id=id: names(hosts[id]) == {"topic-1", "topic-2"})


def test_it_is_hopeless_where_most_voters_refuse_connections() -> None:
    hosts = Hosts(voters=3, observers=1)
    first = hosts.await_leader()
    hosts.pass_time(1)
    assert not any(hosts[id].quorum.is_hopeless for id in (1, 2, 3, 4))
    dead = first.config.node_id
    hosts.stop(dead)
    leader = hosts.await_leader()
    hosts.pass_time(5)
    left = [id for id in hosts.voters if id != dead]
    assert not any(hosts[id].quorum.is_hopeless for id in (*left, 4))
    (other,) = set(left) - {leader.config.node_id}
    hosts.stop(other)
    hosts.feed(leader.config.node_id, leader.quorum.sound_out)
    hosts.pass_time(0.1)
    assert leader.quorum.is_leader, "it does not miss the other yet"
    hosts.until(lambda: leader.quorum.is_hopeless)
    hosts.start(dead)
    hosts.until(lambda: not leader.quorum.is_hopeless)
    hosts.until(lambda: not hosts[4].quorum.is_hopeless)


def test_a_leader_cut_off_hears_that_it_resigned_and_its_appends_are_never_answered() -> None:
    hosts = Hosts(voters=3, seed=7)
    first = hosts.await_leader()
    hosts.pass_time(1)
    hosts.cut_off(first)
    lost = hosts.append(first, *topic(9))
    assert first.controller is not None
    hosts.until(lambda: first.controller is not None and first.controller.resigned)
    hosts.pass_time(5)
    hosts.world.net.cuts.clear()
    second = hosts.await_leader()
    hosts.until(hosts.append(second, *topic(1)).__len__)
    hosts.until(lambda: names(first) == {"topic-1"})
    assert lost == []


def test_a_transaction_counts_at_its_end_alone() -> None:
    hosts = Hosts(voters=1, observers=1)
    leader = hosts.await_leader()
    hosts.append(leader, r.BeginTransaction(name="t"), *topic(1))
    hosts.pass_time(1)
    assert names(leader) == names(hosts[2]) == set()
    assert leader.metadata.in_transaction
    before = leader.metadata.offset
    hosts.append(leader, r.EndTransaction())
    hosts.until(lambda: "topic-1" in names(hosts[2]))
    assert leader.metadata.offset > before
    hosts.append(leader, r.BeginTransaction(), *topic(2), r.AbortTransaction())
    hosts.pass_time(1)
    assert names(hosts[2]) == {"topic-1"}


def test_a_new_leader_drops_a_transaction_that_was_left_open() -> None:
    hosts = Hosts(voters=1)
    leader = hosts.await_leader()
    hosts.append(leader, r.BeginTransaction(name="t"), *topic(1))
    hosts.pass_time(1)
    hosts.stop(1)
    hosts.start(1)
    leader = hosts.await_leader()
    assert not leader.metadata.in_transaction
    assert names(leader) == set()


def snapshots(hosts: Hosts, id: int) -> list[OffsetAndEpoch]:
    """Snapshots that a node has on disk."""
    found = (snapshot_of_name(name) for name in hosts.disks[id].list(FOLDER))
    return [s for s in found if s is not None]


RETENTION_BYTES = 20_000


def metadata_bytes(hosts: Hosts, id: int) -> int:
    """Bytes of log and snapshots on a node's disk."""
    disk = hosts.disks[id]
    stats = [disk.stat(f"{FOLDER}/{n}") for n in disk.list(FOLDER) if n.endswith((".log", "point"))]
    return sum(stat.size for stat in stats if stat is not None)


def with_snapshots(observers: int) -> Hosts:
    """A cluster that writes a snapshot every few topics."""
    return Hosts(
        voters=1,
        observers=observers,
        metadata_log_max_record_bytes_between_snapshots="2000",
        metadata_log_segment_bytes="2000",
        metadata_max_retention_bytes=str(RETENTION_BYTES),
    )


def test_snapshots_are_written_kept_and_loaded() -> None:
    hosts = with_snapshots(0)
    leader = hosts.await_leader()
    for n in range(60):
        hosts.append(leader, *topic(n))
        hosts.pass_time(0.05)
    hosts.pass_time(1)
    assert snapshots(hosts, 1)
    assert metadata_bytes(hosts, 1) < RETENTION_BYTES + 4_000
    assert leader.quorum.raft is not None
    assert leader.quorum.raft.log.start == min(snapshots(hosts, 1)).offset > 0
    before = content(leader.metadata.image)
    hosts.stop(1)
    again = hosts.start(1)
    hosts.await_leader()
    assert content(again.metadata.image) == before


def test_nothing_is_given_up_within_the_limits() -> None:
    hosts = Hosts(voters=1, metadata_log_max_record_bytes_between_snapshots="2000")
    leader = hosts.await_leader()
    for n in range(60):
        hosts.append(leader, *topic(n))
        hosts.pass_time(0.05)
    hosts.pass_time(100)
    assert len(snapshots(hosts, 1)) > 2
    assert leader.quorum.raft is not None
    assert leader.quorum.raft.log.start == 0


def test_what_is_too_old_is_given_up_after_a_restart_too() -> None:
    hosts = Hosts(
        voters=1,
        metadata_log_max_record_bytes_between_snapshots="2000",
        metadata_log_segment_bytes="2000",
        metadata_max_retention_ms="20000",
    )
    leader = hosts.await_leader()
    for n in range(60):
        hosts.append(leader, *topic(n))
        hosts.pass_time(0.05)
    hosts.pass_time(1)
    assert len(snapshots(hosts, 1)) > 2
    before = content(leader.metadata.image)
    hosts.stop(1)
    again = hosts.start(1)
    hosts.pass_time(100)
    left = snapshots(hosts, 1)
    assert len(left) == 2
    assert again.quorum.raft is not None
    assert again.quorum.raft.log.start == min(left).offset
    assert content(again.metadata.image) == before


def test_a_snapshot_is_due_after_some_time_if_anything_is_new() -> None:
    hosts = Hosts(voters=1, metadata_log_max_snapshot_interval_ms="30000")
    leader = hosts.await_leader()
    hosts.pass_time(31)
    first = snapshots(hosts, 1)
    assert len(first) == 1, "the records of the start"
    hosts.pass_time(100)
    assert snapshots(hosts, 1) == first
    hosts.append(leader, *topic(1))
    hosts.pass_time(29)
    assert snapshots(hosts, 1) == first
    hosts.pass_time(2)
    assert len(snapshots(hosts, 1)) == 2


def test_an_observer_far_behind_loads_the_snapshot_and_hears_of_what_is_gone() -> None:
    hosts = with_snapshots(1)
    leader = hosts.await_leader()
    hosts.append(leader, *topic(999))
    hosts.until(lambda: names(hosts[2]) == {"topic-999"})
    hosts.world.net.cuts["node-2", "node-1"] = None
    hosts.append(leader, r.RemoveTopic(topic_id=uuid.UUID(int=1999)))
    for n in range(60):
        hosts.append(leader, *topic(n))
        hosts.pass_time(0.05)
    hosts.world.net.cuts.clear()
    hosts.until(lambda: len(names(hosts[2])) == 60)
    assert content(hosts[2].metadata.image) == content(leader.metadata.image)
    assert any(uuid.UUID(int=1999) in delta.removed for delta in hosts[2].deltas)
    raft = hosts[2].quorum.raft
    assert raft is not None
    assert raft.log.start > 0
    hosts.stop(2)
    hosts.start(2)
    hosts.until(lambda: len(names(hosts[2])) == 60)


def test_a_snapshot_alone_is_not_announced_while_records_are_missing() -> None:
    hosts = with_snapshots(1)
    leader = hosts.await_leader()
    hosts.stop(2)
    hosts.disks[2] = hosts.formatted(2)
    for n in range(60):
        hosts.append(leader, *topic(n))
        hosts.pass_time(0.05)
    hosts.start(2)
    hosts.until(lambda: hosts[2].deltas)
    assert len(hosts[2].deltas[0].partitions) == 60


def test_a_snapshot_that_takes_long_unseats_no_leader(monkeypatch: pytest.MonkeyPatch) -> None:
    """The leader's majority is itself and a voter that has been reading for many timeouts."""
    monkeypatch.setattr(raft_wire, "SNAPSHOT_CHUNK_BYTES", 100)
    hosts = Hosts(voters=3, metadata_log_max_record_bytes_between_snapshots="2000")
    leader = hosts.await_leader()
    for n in range(60):
        hosts.append(leader, *topic(n))
        hosts.pass_time(0.05)
    gone, behind = (id for id in hosts.voters if id != leader.config.node_id)
    hosts.stop(gone)
    hosts.stop(behind)
    hosts.disks[behind] = hosts.formatted(behind)
    epoch, began = leader.quorum.epoch, hosts.world.time.now
    hosts.world.net.latency = 0.1
    hosts.start(behind)
    hosts.until(lambda: hosts[behind].quorum.leader_id == leader.config.node_id)

    def loaded() -> bool:
        raft = hosts[behind].quorum.raft
        assert raft is not None
        assert isinstance(raft.state.role, FollowerState), "it has a leader, which answers"
        return names(hosts[behind]) == names(leader)

    hosts.until(loaded, 100)
    assert hosts.world.time.now - began > 10
    assert leader.quorum.is_leader
    assert leader.quorum.epoch == hosts[behind].quorum.epoch == epoch


def test_the_bootstrap_records_are_handed_over_while_the_log_is_empty() -> None:
    image = ClusterImage()
    image.apply(r.FeatureLevel(name="metadata.version", level=29))
    hosts = Hosts(voters=1, bootstrap=SnapshotWriter(OffsetAndEpoch(0, 0), image, 0).finish())
    leader = hosts.await_leader()
    assert leader.controller is not None
    assert leader.controller.bootstrap == (r.FeatureLevel(name="metadata.version", level=29),)


def test_a_damaged_snapshot_gives_way_to_the_one_before() -> None:
    hosts = with_snapshots(0)
    leader = hosts.await_leader()
    for n in range(60):
        hosts.append(leader, *topic(n))
        hosts.pass_time(0.05)
    hosts.pass_time(1)
    before = content(leader.metadata.image)
    hosts.stop(1)
    newest = max(snapshots(hosts, 1))
    name = f"{FOLDER}/{newest.offset:020d}-{newest.epoch:010d}.checkpoint"
    file = hosts.disks[1].open(name)
    file.write(100, [b"\xff" * 8])
    file.sync()
    file.close()
    again = hosts.start(1)
    hosts.await_leader()
    assert content(again.metadata.image) == before


def test_a_lost_metadata_directory_halts_the_node() -> None:
    hosts = Hosts(voters=1)
    leader = hosts.await_leader()
    hosts.disks[1].fail("/meta", errno.EIO)
    hosts.append(leader, *topic(1))
    hosts.pass_time(1)
    assert "metadata directory" in str(hosts.hosts[1].halted)


def test_after_a_shut_down_the_directory_may_close_whatever_still_comes_in() -> None:
    hosts = Hosts(voters=3, seed=5)
    leader = hosts.await_leader()
    me = leader.config.node_id
    hosts.pass_time(1)
    closed: list[object] = []
    hosts.append(leader, *topic(1))

    def close() -> None:
        leader.out.run(Close("/meta", -1), closed.append)

    hosts.feed(me, lambda: leader.quorum.shut_down(close))
    hosts.until(lambda: closed)
    hosts.until(lambda: hosts.leader() is not None)
    hosts.pass_time(10)
    assert closed == [None]
    assert hosts.hosts[me].halted is None


def test_a_full_disk_holds_commits_up_until_there_is_space() -> None:
    hosts = Hosts(voters=1)
    leader = hosts.await_leader()
    hosts.pass_time(1)
    fault = hosts.disks[1].fail("/meta", errno.ENOSPC, "write")
    committed = hosts.append(leader, *topic(1))
    hosts.pass_time(5)
    assert not committed
    assert hosts.hosts[1].halted is None
    hosts.disks[1].mend(fault)
    hosts.until(lambda: committed)
    assert names(leader) == {"topic-1"}


def test_a_snapshot_file_says_all_and_only_what_the_image_does() -> None:
    image = ClusterImage()
    image.apply(r.FeatureLevel(name="group.version", level=1))
    image.apply(r.FeatureLevel(name="metadata.version", level=30))
    for n in range(2500):
        for record in topic(n):
            image.apply(record)
    image.apply(r.DynamicConfig(resource_type=2, resource_name="topic-1", key="a", value="b"))
    image.apply(r.ProducerIdsBlock(broker_id=1, broker_epoch=1, next_producer_id=3000))
    data = SnapshotWriter(OffsetAndEpoch(100, 3), image, 1234).finish()
    found = read_snapshot("x", data)
    assert found[0] == r.FeatureLevel(name="metadata.version", level=30)
    again = ClusterImage()
    for record in found:
        again.apply(record)
    assert content(again) == content(image)
    assert again.next_producer_id == 3000


@pytest.mark.parametrize("name", ["x.checkpoint", "1-2.checkpoint", "00000000000000000001.log"])
def test_other_names_are_no_snapshots(name: str) -> None:
    assert snapshot_of_name(name) is None
