"""In which form the leader writes records, while the metadata.version changes."""

from __future__ import annotations

from tests.unit.node.quorum_hosts import FOLDER, Hosts, QuorumMachine
from tests.unit.node.test_quorum import topic

from spindle.model import metadata_records as r
from spindle.model.batches import CONTROL
from spindle.wire import batch

REGISTRATION = 3
"""The key of a PartitionRegistration; its version 2 knows directories, version 0 does not."""


def written(hosts: Hosts, machine: QuorumMachine) -> list[tuple[int, int]]:
    """The key and the version of each record in a node's metadata log, in order."""
    log = hosts.disks[machine.config.node_id].open(f"{FOLDER}/{0:020}.log")
    batches = batch.split(log.read(0, log.size()))
    found = [batch.records(one) for one in batches if not one.attributes & CONTROL]
    values = [bytes(record.value or b"") for records in found for record in records]
    return [(value[1], value[2]) for value in values]


def test_records_have_the_form_of_the_level_before_them_in_the_log_committed_or_not() -> None:
    hosts = Hosts(voters=1)
    leader = hosts.await_leader()
    hosts.pass_time(1)
    for level in (14, 30, 15):  # 14 and 15 know no directories.
        leader.quorum.append([r.FeatureLevel(name="metadata.version", level=level)])
        last = hosts.append(leader, *topic(level))
        assert leader.metadata.image.features["metadata.version"] == 30, "nothing is committed yet"
    hosts.until(last.__len__)
    assert [v for key, v in written(hosts, leader) if key == REGISTRATION] == [0, 2, 0]


def test_a_level_that_was_lost_with_the_leadership_counts_no_more() -> None:
    hosts = Hosts(voters=3, seed=7)
    first = hosts.await_leader()
    hosts.pass_time(1)
    hosts.cut_off(first)
    hosts.append(first, r.FeatureLevel(name="metadata.version", level=14))
    assert first.controller is not None
    hosts.until(lambda: first.controller is not None and first.controller.resigned)
    hosts.world.net.cuts.clear()
    while (leader := hosts.await_leader()) is not first:
        hosts.stop(leader.config.node_id)
        hosts.until(lambda: leader.controller and hosts.leader())
        hosts.start(leader.config.node_id)
    hosts.until(hosts.append(first, *topic(1)).__len__)
    assert written(hosts, first)[-1] == (REGISTRATION, 2)
