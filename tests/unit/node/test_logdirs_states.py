"""Single replicas that go offline and come back, as the controller hears of them (KIP-589)."""

from __future__ import annotations

import pytest
from tests.support.logdirs_world import World, pid, topic_id

from spindle.model import metadata_records as r
from spindle.model.errors import Error, LogFailed, PeerFailed
from spindle.model.ids import LOST
from spindle.node.logdirs.placement_registry import Stage

OFFLINE, ONLINE = 1, 2


def world_of(partitions: int = 3, leader: int = 2) -> World:
    """A broker under a Spindle controller, with a topic that another broker leads."""
    world = World(2)
    world.controller.has_states = True
    world.open()
    world.create_topic("t", partitions, leader=leader)
    world.wait(1)
    return world


def spoil(world: World, *partitions: int) -> None:
    """These replicas turn out to be bad."""
    for number in partitions:
        hosted = world.replicas.partitions.hosted[pid("t", number)]
        failure = LogFailed(hosted.directory, f"t-{number}", "the CRC of offset 7 is wrong")
        world.replicas.changes.on_failure(hosted, failure)


@pytest.mark.spec("K589-01", "K589-02", "K589-03")
def test_bad_replicas_are_reported_in_one_request_with_their_reason() -> None:
    world = world_of()
    told = len(world.controller.told)
    spoil(world, 0, 2)
    world.wait(0.5)
    ((state, reason, names, epoch),) = world.controller.states
    assert (state, sorted(names), epoch) == (OFFLINE, ["t-0", "t-2"], 1)
    for name in names:
        assert f"{name}: the CRC of offset 7 is wrong" in reason
    assert world.assigned("t", 0) == world.assigned("t", 2) == LOST
    assert world.place("t", 1).stage is Stage.READY
    assert len(world.controller.told) == told + 2, "no assignment says it a second time"


@pytest.mark.spec("K589-01", "K589-04")
def test_a_replica_that_is_fetched_again_is_online_and_then_assigned() -> None:
    world = world_of(1)
    spoil(world, 0)
    world.wait(0.5)
    world.change("t", isr=(2,))
    world.wait(3)
    assert [state for state, *_ in world.controller.states] == [OFFLINE, ONLINE]
    assert world.place("t").stage is Stage.READY
    assert world.assigned("t") == world.id_of(world.place("t").directory or "")


@pytest.mark.spec("K589-04", "K589-05")
@pytest.mark.parametrize("has_states", [True, False])
def test_a_replica_fetched_again_is_not_back_before_its_leader_knows_how_little_it_has(
    has_states: bool,
) -> None:
    world = world_of(1)
    world.controller.has_states = has_states
    spoil(world, 0)
    world.wait(0.5)
    world.fetchers.unheard.add(pid("t"))
    world.change("t", isr=(2,))
    world.wait(5)
    assert world.place("t").stage is Stage.READY
    assert world.assigned("t") == LOST
    assert ONLINE not in [state for state, *_ in world.controller.states]
    world.fetchers.unheard.clear()
    world.logs.assignments.on_answered(pid("t"))
    world.wait(3)
    assert world.assigned("t") == world.id_of(world.place("t").directory or "")


def test_where_no_broker_leads_none_remembers_what_a_replica_had() -> None:
    world = world_of(1)
    spoil(world, 0)
    world.wait(0.5)
    world.fetchers.unheard.add(pid("t"))
    world.change("t", isr=(2,))
    world.wait(5)
    assert world.assigned("t") == LOST
    world.change("t", leader=-1)
    world.wait(3)
    assert world.assigned("t") == world.id_of(world.place("t").directory or "")


@pytest.mark.spec("K589-03")
def test_what_fails_is_repeated_with_the_newest_epoch() -> None:
    world = world_of(1)
    world.controller.answers = False
    spoil(world, 0)
    world.wait(0.5)
    for failure in (PeerFailed("cut"), PeerFailed("cut again")):
        ((request, then),) = world.controller.asked
        assert request.broker_epoch == 1
        world.controller.asked.clear()
        then(failure)
        world.wait(1)
    world.controller.refuse[pid("t")] = Error.UNKNOWN_TOPIC_OR_PARTITION
    world.controller.answers = True
    world.lifecycle.epoch = 9
    world.wait(3)
    world.controller.refuse.clear()
    world.wait(3)
    assert world.assigned("t") == LOST
    assert {epoch for *_, epoch in world.controller.states} <= {1, 9}
    assert world.controller.states[-1][3] == 9
    count = len(world.controller.states)
    world.wait(30)
    assert len(world.controller.states) == count


@pytest.mark.spec("K589-05")
def test_a_controller_that_lacks_the_request_hears_by_assignments() -> None:
    world = world_of(1)
    world.controller.has_states = False
    spoil(world, 0)
    world.wait(0.5)
    assert world.controller.states == []
    assert world.assigned("t") == LOST
    world.change("t", isr=(2,))
    world.wait(3)
    assert world.controller.states == []
    assert world.assigned("t") == world.id_of(world.place("t").directory or "")


@pytest.mark.spec("K589-03")
def test_a_topic_that_is_deleted_meanwhile_is_not_spoken_of() -> None:
    world = world_of(1)
    world.controller.answers = False
    spoil(world, 0)
    world.wait(0.5)
    ((_, then),) = world.controller.asked
    world.controller.asked.clear()
    world.apply(r.RemoveTopic(topic_id=topic_id("t")))
    then(PeerFailed("cut"))
    world.controller.answers = True
    world.wait(20)
    assert world.controller.states == []


def test_nothing_is_reported_of_what_is_well() -> None:
    world = world_of(3)
    world.wait(30)
    assert world.controller.states == []
