"""What stops an execution, or a broker's part in it: harm, a pause, other limits on the way."""

from __future__ import annotations

import dataclasses

import pytest
from tests.unit.pipeline.moving_world import A, B, World, move, rules, started

from spindle.client.failures import OutOfTime
from spindle.client.results import ReplicaLogDirs
from spindle.model.ids import TopicPartition
from spindle.pipeline.execution import ROOM_SECONDS, STALL_SECONDS, Execution
from spindle.pipeline.execution_values import (
    ExecutionRules,
    Halt,
    KnownTrouble,
    ReplicationHealth,
    TakeBack,
    replica_of,
)
from spindle.pipeline.harm import BEHIND_SECONDS, SILENT_SECONDS
from spindle.planning.schedule import WaveLimits

NOT_STARTED = "not started: the moves of broker 1 were stopped"
CANCELLED = "cancelled: the moves of broker 1 were stopped"


@pytest.mark.spec("V-05")
def test_a_directory_that_goes_offline_stops_its_broker_and_no_other() -> None:
    moves, waits, other = move(0), move(1), move(2, broker=2)
    world = World(moves, waits, other)
    machine = Execution([[moves, waits, other]], rules(), 0.0)
    assert started(machine.on_look(0.0, world.look(machine))) == [moves, other]
    world.start(moves, other, copied=5)
    harmed = dataclasses.replace(world.look(machine), offline=frozenset({(1, "/z")}))
    halt, back = machine.on_look(1.0, harmed)
    assert isinstance(halt, Halt)
    assert halt == Halt(1, "its log directory /z is offline; it was online when the run began")
    assert back == TakeBack((moves,))
    world.at[replica_of(moves)] = ReplicaLogDirs(A, 0, 100)
    world.finish(other)
    assert (
        machine.on_look(2.0, dataclasses.replace(world.look(machine), offline=harmed.offline)) == []
    )
    assert machine.over
    outcome = machine.outcome(2.0)
    assert outcome.done == (other,)
    assert dict(outcome.failed) == {moves: CANCELLED, waits: NOT_STARTED}
    assert outcome.halted == {1: halt.why}
    assert not outcome.complete


@pytest.mark.spec("V-05")
def test_trouble_that_was_known_at_the_start_stops_nothing() -> None:
    one, late = move(0), TopicPartition("u", 7)
    world = World(one)
    known = KnownTrouble(frozenset({(1, "/z")}), frozenset({late}), frozenset({1}))
    machine = Execution([[one]], ExecutionRules(WaveLimits(), {}, known=known), 0.0)
    for now in (0.0, 99.0):
        ill = dataclasses.replace(
            world.look(machine),
            offline=known.offline,
            health=ReplicationHealth(frozenset({1}), {late: frozenset({1})}, frozenset({late})),
        )
        assert not any(isinstance(e, Halt) for e in machine.on_look(now, ill))
        world.start(one, copied=round(now))


@pytest.mark.spec("V-05")
def test_a_broker_whose_replicas_fall_out_of_sync_for_long_is_stopped() -> None:
    one, late = move(0), TopicPartition("u", 7)
    world = World(one)
    machine = Execution([[one]], rules(), 0.0)
    machine.on_look(0.0, world.look(machine))
    world.start(one, copied=5)

    def seen(now: float, *brokers: int) -> list[object]:
        behind = {late: frozenset(brokers)} if brokers else {}
        look = dataclasses.replace(world.look(machine), health=ReplicationHealth(behind=behind))
        return list(machine.on_look(now, look))

    assert seen(1.0, 1) == []
    assert seen(20.0) == [], "it was in sync again"
    assert seen(25.0, 1) == []
    assert seen(25.0 + BEHIND_SECONDS - 1, 1) == []
    halt, back = seen(25.0 + BEHIND_SECONDS, 1)
    assert halt == Halt(1, "1 replica of it fell out of sync since the run began: u-7")
    assert back == TakeBack((one,))
    assert seen(26.0 + BEHIND_SECONDS, 1, 2) == [], "a broker is reported once, and in time"


@pytest.mark.spec("V-05")
def test_partitions_that_lose_their_leader_are_listed_before_those_out_of_sync() -> None:
    lost, late = TopicPartition("u", 10), TopicPartition("u", 7)
    world = World(move(0))
    machine = Execution([[move(0)]], rules(), 0.0)
    health = ReplicationHealth(
        behind=dict.fromkeys((late, lost), frozenset({1})), leaderless=frozenset({lost})
    )
    ill = dataclasses.replace(world.look(machine), health=health)
    machine.on_look(0.0, ill)
    halt, *_ = machine.on_look(BEHIND_SECONDS, ill)
    assert halt == Halt(
        1,
        "1 partition of it lost the leader since the run began: u-10; "
        "1 replica of it fell out of sync since the run began: u-7",
    )


@pytest.mark.spec("V-05")
def test_a_broker_that_leaves_is_stopped_and_one_that_was_away_before_is_not() -> None:
    one, other, dead = move(0), move(1, broker=2), move(2, broker=3)
    world = World(one, other, dead)
    known = KnownTrouble(live=frozenset({1, 2}))
    machine = Execution([[one, other, dead]], ExecutionRules(WaveLimits(), {}, known=known), 0.0)
    machine.on_look(0.0, world.look(machine))
    world.start(one, other, dead, copied=5)

    def seen(now: float, *live: int) -> list[object]:
        health = ReplicationHealth(frozenset(live), {TopicPartition("u", 0): frozenset({2})})
        return list(machine.on_look(now, dataclasses.replace(world.look(machine), health=health)))

    assert seen(1.0, 1) == []
    assert seen(5.0, 1, 2) == [], "a restart"
    assert seen(6.0, 1) == []
    halt, back = seen(6.0 + BEHIND_SECONDS, 1)
    assert halt == Halt(2, "it left the cluster; it was live when the run began")
    assert back == TakeBack((other,))
    assert seen(7.0 + BEHIND_SECONDS, 1) == [], "it is reported once"


@pytest.mark.spec("V-05")
def test_on_a_silent_broker_nothing_starts_and_one_that_stays_silent_is_stopped() -> None:
    one, other = move(0), move(1, broker=2)
    world = World(one, other)
    machine = Execution([[one, other]], rules(), 0.0)

    def seen(now: float, *silent: int) -> list[object]:
        look = dataclasses.replace(world.look(machine), silent=frozenset(silent))
        return list(machine.on_look(now, look))

    assert started(seen(0.0, 2)) == [one]
    assert started(seen(1.0)) == [other]
    world.start(one, other, copied=5)
    assert seen(2.0, 2) == []
    assert seen(2.0 + SILENT_SECONDS - 1, 2) == []
    assert seen(60.0) == [], "it has answered"
    assert seen(61.0, 2) == []
    world.start(one, other, copied=50)
    assert seen(61.0 + SILENT_SECONDS - 1, 2) == []
    halt, back = seen(61.0 + SILENT_SECONDS, 2)
    assert halt == Halt(2, "it has given no answer for 30 s")
    assert back == TakeBack((other,))
    world.finish(one)
    assert seen(62.0 + SILENT_SECONDS, 2) == [], "it is not waited for until its move is gone"
    assert machine.over
    assert dict(machine.outcome(0.0).failed) == {
        other: "it could not be cancelled: broker 2 gives no answer, and may go on to /b once it"
        " does"
    }


@pytest.mark.spec("V-05")
def test_of_a_broker_that_was_silent_before_nothing_is_moved() -> None:
    here, there, arriving = move(0), move(1, broker=2), move(2)._replace(destination=2)
    world = World(here, there, arriving)
    known = KnownTrouble(silent=frozenset({2}))
    machine = Execution([[here, there, arriving]], rules(known=known), 0.0)
    assert started(machine.on_look(0.0, world.look(machine))) == [here]
    world.finish(here)
    assert machine.on_look(1.0, world.look(machine)) == []
    outcome = machine.outcome(1.0)
    why = "it gave no answer before the run began"
    assert outcome.halted == {2: why}
    assert dict(outcome.failed) == dict.fromkeys((there, arriving), f"not started: {why}")


@pytest.mark.spec("V-05")
def test_a_reassignment_to_a_silent_broker_is_taken_back_by_the_controller() -> None:
    coming = move(0)._replace(destination=2)
    world = World(coming)
    machine = Execution([[coming]], rules(), 0.0)
    name = TopicPartition("t", 0)

    def seen(now: float, to: int, *, active: bool) -> list[object]:
        look = dataclasses.replace(
            world.look(machine),
            places={replica_of(coming): OutOfTime("frozen")},
            assigned={name: (to,)},
            reassigning=frozenset({name} if active else ()),
            silent=frozenset({2}),
        )
        return list(machine.on_look(now, look))

    assert started(machine.on_look(0.0, world.look(machine))) == [coming]
    assert seen(1.0, 2, active=True) == []
    assert seen(1.0 + SILENT_SECONDS, 2, active=True)[1] == TakeBack((coming,))
    assert seen(2.0 + SILENT_SECONDS, 2, active=True) == []
    assert seen(3.0 + SILENT_SECONDS, 1, active=False) == []
    assert dict(machine.outcome(0.0).failed) == {
        coming: "cancelled: the moves of broker 2 were stopped"
    }


@pytest.mark.spec("V-05")
def test_a_copy_that_is_whole_and_not_put_in_place_says_so() -> None:
    one = move(0, size=1000)
    world = World(one)
    machine = Execution([[one]], rules(), 0.0)
    machine.on_look(0.0, world.look(machine))
    for second in range(1, int(STALL_SECONDS) + 1):
        # Clients go on writing: both grow, so bytes come all the time.
        world.at[replica_of(one)] = ReplicaLogDirs(
            A, 0, 1000 + second, B, 1, future_size=995 + second
        )
        assert machine.on_look(float(second), world.look(machine)) == []
    halt, back = machine.on_look(STALL_SECONDS + 2, world.look(machine))
    why = "copied whole, but the broker has not put it in place for 120 s"
    assert halt == Halt(1, f"t-0, going to /b: {why}")
    assert back == TakeBack((one,))
    assert dict(machine.outcome(0.0).failed) == {one: why}


@pytest.mark.spec("V-05")
def test_a_new_plan_brings_no_moves_to_a_broker_that_was_stopped() -> None:
    one, later, other = move(0), move(1), move(2, broker=2)
    world = World(one, later, other)
    machine = Execution([[one], [later, other]], rules(), 0.0)
    machine.on_look(0.0, world.look(machine))
    harmed = dataclasses.replace(world.look(machine), offline=frozenset({(1, "/z")}))
    machine.on_look(1.0, harmed)
    machine.on_replanned([[move(3), other]], {})
    assert machine.waves[-1] == (other,)


def test_paused_it_starts_nothing_and_what_moves_goes_on() -> None:
    one, two = move(0), move(1)
    world = World(one, two)
    machine = Execution([[one, two]], rules(), 0.0)
    assert started(machine.on_look(0.0, world.look(machine))) == [one]
    machine.on_pace(WaveLimits(), None, paused=True)
    world.finish(one)
    assert machine.on_look(1.0, world.look(machine)) == []
    assert machine.on_look(2.0 + 2 * ROOM_SECONDS, world.look(machine)) == []
    assert not machine.over
    assert machine.outcome(0.0).done == (one,)
    machine.on_pace(WaveLimits(), None, paused=False)
    assert started(machine.on_look(3.0 + 2 * ROOM_SECONDS, world.look(machine))) == [two]


def test_limits_that_change_on_the_way_count_from_then_on() -> None:
    moves = [move(n) for n in range(3)]
    world = World(*moves)
    machine = Execution([moves], rules(), 0.0)
    assert started(machine.on_look(0.0, world.look(machine))) == [moves[0]]
    machine.on_pace(WaveLimits(2), None, paused=False)
    assert started(machine.on_look(1.0, world.look(machine))) == [moves[1]]
