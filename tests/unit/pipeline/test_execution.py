"""The machine that carries plans out: order, limits, room, what ends how; without any cluster."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from random import Random

import pytest
from tests.unit.pipeline.moving_world import A, B, C, World, move, rules, started

from spindle.client.results import Replica, ReplicaLogDirs
from spindle.model.ids import TopicPartition
from spindle.pipeline.execution import (
    BACK_SECONDS,
    ROOM_SECONDS,
    STALL_SECONDS,
    STILL_SECONDS,
    Execution,
)
from spindle.pipeline.execution_values import (
    ClusterLook,
    Count,
    ExecutionRules,
    Halt,
    ParticipatingDirectory,
    TakeBack,
    ends,
    replica_of,
)
from spindle.planning.load import PlannedMove
from spindle.planning.schedule import WaveLimits


def test_a_disk_takes_part_in_as_many_moves_as_it_may() -> None:
    one, two, other = move(0), move(1), move(2, C, C + "2")
    world = World(one, two, other)
    machine = Execution([[one, two, other]], rules(), 0.0)
    assert set(started(machine.on_look(0.0, world.look(machine)))) == {one, other}
    world.start(one, other)
    assert started(machine.on_look(1.0, world.look(machine))) == []
    world.finish(one)
    assert started(machine.on_look(2.0, world.look(machine))) == [two]


@pytest.mark.spec("P-07")
def test_a_broker_takes_part_in_as_many_moves_as_it_may_and_others_too() -> None:
    mine = [move(n, f"/s{n}", f"/t{n}") for n in range(4)]
    theirs = [move(n, f"/s{n}", f"/t{n}", broker=2) for n in range(4)]
    world = World(*mine, *theirs)
    machine = Execution([[*mine, *theirs]], rules(WaveLimits(1, 2)), 0.0)
    begun = started(machine.on_look(0.0, world.look(machine)))
    assert sorted(m.broker for m in begun) == [1, 1, 2, 2]


@pytest.mark.spec("P-07")
def test_a_disk_rests_until_its_moves_have_kept_to_its_rate() -> None:
    """Each move is done at once; 100 bytes at 10 bytes/s: one begins each 10 s, of each disk."""
    mine, other = [move(n) for n in range(3)], move(3, C, C + "2")
    world = World(*mine, other)
    machine = Execution([[*mine, other]], ExecutionRules(WaveLimits(0, 0), {}, disk_rate=10.0), 0.0)
    began: dict[PlannedMove, float] = {}
    for now in range(0, 40, 2):
        begun = started(machine.on_look(float(now), world.look(machine)))
        began.update(dict.fromkeys(begun, float(now)))
        world.finish(*begun)
    assert [began[m] for m in mine] == [0.0, 10.0, 20.0]
    assert began[other] == 0.0, "another disk is not held up"
    assert machine.over
    assert machine.outcome(40.0).complete


@pytest.mark.spec("P-07")
def test_resting_longer_than_one_waits_for_room_is_no_lack_of_room() -> None:
    one, two = move(0, size=1000), move(1, size=1000)
    world = World(one, two, free={(1, B): 5000})
    machine = Execution([[one, two]], ExecutionRules(WaveLimits(), {}, disk_rate=1.0), 0.0)
    now = 0.0
    while not machine.over and now < 2000:
        world.finish(*started(machine.on_look(now, world.look(machine))))
        now += ROOM_SECONDS / 2
    assert machine.outcome(now).complete
    assert now > 1000


@pytest.mark.spec("P-07")
def test_the_fullest_disk_is_relieved_first_and_by_the_largest() -> None:
    rooms = {
        (1, d): ParticipatingDirectory(1000, 0, used) for d, used in ((A, 900), (B, 500), (C, 100))
    }
    small, large, other = move(0, A, C, 50), move(1, A, C, 450), move(2, B, C, 300)
    world = World(small, large, other)
    machine = Execution([[other, small, large]], rules(WaveLimits(1), rooms), 0.0)
    order = []
    for now in range(6):
        begun = started(machine.on_look(float(now), world.look(machine)))
        order += begun
        world.finish(*begun)
    assert order == [large, other, small], "after the first, b is fuller than a"
    assert machine.over


def test_what_is_there_or_on_its_way_already_is_not_started_again() -> None:
    there, coming, waiting = move(0), move(1, A, C), move(2, "/d", "/e")
    world = World(waiting)
    world.finish(there)
    world.start(coming, copied=60)
    machine = Execution([[there, coming, waiting]], rules(), 0.0)
    assert started(machine.on_look(0.0, world.look(machine))) == [waiting]
    seen = machine.progress(0.0)
    assert (seen.done_moves, seen.moves) == (1, 3)
    assert (seen.done_bytes, seen.bytes) == (160, 300)
    assert seen.disks["broker 1 /c"] == (60, 100)
    assert set(machine.running) == {coming, waiting}


def test_a_move_waits_for_room_with_what_is_on_its_way_and_what_stays_free() -> None:
    one, two = move(0, A, C, 100), move(1, B, C, 100)
    rooms = {(1, C): ParticipatingDirectory(1000, 50, 0)}
    world = World(one, two, free={(1, C): 240})
    machine = Execution([[one, two]], rules(WaveLimits(2), rooms), 0.0)
    (first,) = started(machine.on_look(0.0, world.look(machine)))
    world.start(first, copied=90)
    world.free[1, C] = 150
    assert started(machine.on_look(1.0, world.look(machine))) == [], "150 - 50 - 10 on their way"
    world.finish(first)
    world.free[1, C] = 150
    assert started(machine.on_look(2.0, world.look(machine))) == [two if first == one else one]


def test_a_tight_directory_takes_what_comes_in_the_order_of_the_waves() -> None:
    early, late = move(0, A, C, 100), move(1, B, C, 60)
    world = World(early, late, free={(1, C): 80})
    machine = Execution([[early], [late]], rules(WaveLimits(2)), 0.0)
    assert started(machine.on_look(0.0, world.look(machine))) == [], "the later one would fit"
    world.free[1, C] = 110
    assert started(machine.on_look(1.0, world.look(machine))) == [early]


def test_without_room_for_long_a_move_is_given_up_and_the_others_go_on() -> None:
    huge, small = move(0, A, C, 500), move(1, B, C, 10)
    world = World(huge, small, free={(1, C): 80})
    machine = Execution([[huge], [small]], rules(), 0.0)
    assert started(machine.on_look(0.0, world.look(machine))) == []
    machine.on_look(ROOM_SECONDS + 1, world.look(machine))
    assert machine.on_look(ROOM_SECONDS + 2, world.look(machine)) == [Count()]
    assert started(machine.on_look(ROOM_SECONDS + 3, world.look(machine))) == [small]
    world.finish(small)
    machine.on_look(ROOM_SECONDS + 4, world.look(machine))
    outcome = machine.outcome(ROOM_SECONDS + 4)
    assert outcome.done == (small,)
    assert outcome.failed == ((huge, "/c has room for 80 bytes, not for 500"),)


def test_a_move_that_no_broker_makes_and_one_that_stalls_are_given_up() -> None:
    still, stalls = move(0), move(1, C, C + "2")
    world = World(still, stalls)
    machine = Execution([[still, stalls]], rules(), 0.0)
    machine.on_look(0.0, world.look(machine))
    world.start(stalls, copied=5)
    machine.on_look(1.0, world.look(machine))
    machine.on_look(2.0 + STILL_SECONDS, world.look(machine))
    assert dict(machine.outcome(1.0).failed)[still] == "it is in /a and is not moving"
    assert machine.on_look(STALL_SECONDS, world.look(machine)) == []
    halt, effect = machine.on_look(STALL_SECONDS + 2, world.look(machine))
    assert halt == Halt(1, "t-1, going to /c2: nothing was copied for 120 s")
    assert effect == TakeBack((stalls,))
    assert machine.over
    assert "nothing was copied" in dict(machine.outcome(1.0).failed)[stalls]


def test_a_broker_that_is_away_for_a_moment_fails_nothing() -> None:
    one = move(0)
    world = World(one)
    machine = Execution([[one]], rules(), 0.0)
    machine.on_look(0.0, world.look(machine))
    away = ClusterLook({replica_of(one): ConnectionError("no answer")}, {})
    assert machine.on_look(STILL_SECONDS + 9, away) == []
    world.finish(one)
    machine.on_look(STILL_SECONDS + 10, world.look(machine))
    assert machine.outcome(0.0).complete


def test_a_refused_move_has_failed() -> None:
    one = move(0)
    machine = Execution([[one]], rules(), 0.0)
    machine.on_look(0.0, World(one).look(machine))
    machine.on_refused(one, "LOG_DIR_NOT_FOUND")
    assert machine.outcome(1.0).failed == ((one, "LOG_DIR_NOT_FOUND"),)
    assert not machine.outcome(1.0).complete


@pytest.mark.spec("P-07")
def test_cancelled_it_takes_back_what_is_under_way_and_starts_nothing() -> None:
    one, two = move(0), move(1)
    world = World(one, two)
    machine = Execution([[one], [two]], rules(), 0.0)
    machine.on_look(0.0, world.look(machine))
    world.start(one, copied=50)
    machine.on_look(1.0, world.look(machine))
    assert machine.on_cancel(2.0) == [TakeBack((one,))]
    assert machine.on_look(2.5, world.look(machine)) == []
    assert not machine.over
    world.at[replica_of(one)] = ReplicaLogDirs(A, 0, 100)
    assert machine.on_look(3.0, world.look(machine)) == []
    assert machine.over
    reasons = dict(machine.outcome(3.0).failed)
    assert "cancelled" in reasons[one]
    assert "not started" in reasons[two]


def test_what_cannot_be_taken_back_is_reported() -> None:
    one = move(0)
    world = World(one)
    machine = Execution([[one]], rules(), 0.0)
    machine.on_look(0.0, world.look(machine))
    world.start(one)
    machine.on_cancel(1.0)
    machine.on_look(2.0 + BACK_SECONDS, world.look(machine))
    assert machine.over
    assert "continues in the cluster" in dict(machine.outcome(3.0).failed)[one]


@pytest.mark.spec("P-07")
def test_after_a_wave_sizes_are_counted_and_the_rest_is_planned_again() -> None:
    mib = 1 << 20
    rooms = {
        (1, d): ParticipatingDirectory(1000 * mib, 0, used * mib)
        for d, used in ((A, 40), (B, 20), (C, 0))
    }
    one, two, rest = move(0, A, C, 10 * mib), move(1, A, C, 10 * mib), move(3, A, C, mib)
    world = World(one, two, rest)
    machine = Execution([[one], [two, rest]], rules(WaveLimits(), rooms), 0.0)
    assert not any(isinstance(w, Count) for w in machine.on_look(0.0, world.look(machine)))
    world.finish(one)
    assert machine.on_look(1.0, world.look(machine)) == [Count()], "what it finds may change that"
    assert started(machine.on_look(2.0, world.look(machine))) == [two]
    every = frozenset(rooms)
    as_planned = {(1, A): 30 * mib, (1, B): 20 * mib, (1, C): 10 * mib}
    three = move(2, B, A, 10 * mib)
    machine.on_replanned([[three]], as_planned)
    assert not machine.on_census(as_planned, every), "nothing has changed"
    world.start(two, copied=9 * mib)
    machine.on_look(3.0, world.look(machine))
    assert not machine.on_census(as_planned, every), "a copy that is being made is no change"
    assert machine.on_census({**as_planned, (1, B): 25 * mib}, every), "b has grown"
    assert machine.on_census(as_planned, every - {(1, A)}), "a takes nothing any more"
    assert machine.replanned == 1
    assert machine.running == (two,), "what is under way stays"
    assert [m for wave in machine.waves for m in wave] == [one, two, three]


def test_of_a_replica_that_moves_twice_the_second_waits_for_the_first() -> None:
    there = move(0)
    back = move(0, B, A)
    world = World(there)
    machine = Execution([[there], [back]], rules(WaveLimits(0)), 0.0)
    assert started(machine.on_look(0.0, world.look(machine))) == [there]
    world.finish(there)
    assert machine.on_look(1.0, world.look(machine)) == [Count()]
    assert started(machine.on_look(1.5, world.look(machine))) == [back]
    world.finish(back)
    machine.on_look(2.0, world.look(machine))
    assert machine.outcome(2.0).done == (there, back)


@pytest.mark.spec("P-07")
@pytest.mark.parametrize(
    ("place", "left"),
    [
        (ReplicaLogDirs(A, 0, 100), {A: B}),
        (ReplicaLogDirs(A, 0, 100, B, 1, future_size=9), {}),
        (ReplicaLogDirs(B, 0, 100), {B: C}),
        (ReplicaLogDirs(B, 0, 100, C, 1, future_size=9), {}),
        (ReplicaLogDirs(C, 0, 100), {}),
    ],
    ids=["not begun", "on its way to the first", "there", "on its way to the second", "done"],
)
def test_a_killed_run_goes_on_at_the_step_that_a_replica_is_at(
    place: ReplicaLogDirs, left: dict[str, str]
) -> None:
    first, second = move(0, A, B), move(0, B, C)
    world = World(first)
    world.at[replica_of(first)] = place
    machine = Execution([[first], [second]], rules(), 0.0)
    begun = started(machine.on_look(0.0, world.look(machine)))
    begun += started(machine.on_look(0.1, world.look(machine)))
    assert {m.source: m.target for m in begun} == left
    for now in range(1, 20):
        world.start(*begun)
        for m in (first, second):
            if world.at[replica_of(m)].future == m.target:
                world.finish(m)
        begun = started(machine.on_look(float(now), world.look(machine)))
    assert machine.over
    assert machine.outcome(20.0).complete
    assert world.at[replica_of(first)].current == C


@pytest.mark.spec("P-07")
def test_a_replica_that_comes_back_to_where_it_was_moves_all_the_same() -> None:
    out, back = move(0, A, B), move(0, B, A)
    world = World(out)
    machine = Execution([[out], [back]], rules(), 0.0)
    assert started(machine.on_look(0.0, world.look(machine))) == [out]


@pytest.mark.spec("P-07")
def test_a_killed_run_between_brokers_goes_on_at_the_step_that_a_replica_is_at() -> None:
    first = PlannedMove(1, "t", 0, A, B, 100, destination=2)
    second = PlannedMove(2, "t", 0, B, C, 100, destination=3)
    name = TopicPartition("t", 0)

    def begun(brokers: tuple[int, ...], moving: bool, **at: str) -> list[PlannedMove]:
        places: dict[Replica, ReplicaLogDirs | Exception] = {
            Replica("t", 0, n): ReplicaLogDirs(at.get(f"on_{n}"), 0, 100) for n in (1, 2, 3)
        }
        under_way = frozenset([name] if moving else [])
        look = ClusterLook(places, {}, {name: brokers}, {name: brokers}, under_way)
        machine = Execution([[first], [second]], rules(), 0.0)
        found = started(machine.on_look(0.0, look)) + started(machine.on_look(0.1, look))
        assert machine.over == (brokers == (3,) and not moving)
        return found

    assert begun((1,), False, on_1=A) == [first]
    assert begun((1, 2), True, on_1=A, on_2=B) == []
    assert begun((2,), False, on_2=B) == [second]
    assert begun((2, 3), True, on_2=B, on_3=C) == []
    assert begun((3,), False, on_3=C) == []


def test_between_brokers_it_is_done_when_the_controller_says_so() -> None:
    one = PlannedMove(1, "t", 0, A, B, 100, destination=2)
    name, replica = TopicPartition("t", 0), Replica("t", 0, 2)
    machine = Execution([[one]], rules(), 0.0)
    absent = ClusterLook({replica: ReplicaLogDirs()}, {}, {name: (1, 3)})
    assert started(machine.on_look(0.0, absent)) == [one]
    half = ReplicaLogDirs(B, 5, 50)
    coming = ClusterLook({replica: half}, {}, {name: (1, 3, 2)}, {name: (1, 3)}, frozenset({name}))
    machine.on_look(1.0, coming)
    assert machine.progress(1.0).done_bytes == 50
    whole = ReplicaLogDirs(B, 0, 100)
    machine.on_look(2.0, ClusterLook({replica: whole}, {}, {name: (2, 3)}, {name: (2, 3)}))
    assert machine.outcome(2.0).done == (one,)


@pytest.mark.parametrize("comes", [True, False])
def test_between_brokers_it_is_not_done_while_the_replica_is_out_of_sync(comes: bool) -> None:
    one = PlannedMove(1, "t", 0, A, B, 100, destination=2)
    name, replica = TopicPartition("t", 0), Replica("t", 0, 2)
    machine = Execution([[one]], rules(), 0.0)
    machine.on_look(0.0, ClusterLook({replica: ReplicaLogDirs()}, {}, {name: (1, 3)}))
    whole = ReplicaLogDirs(B, 0, 100)
    for second in (1.0, 2.0 + STILL_SECONDS):
        machine.on_look(second, ClusterLook({replica: whole}, {}, {name: (2, 3)}, {name: (3,)}))
        assert not machine.over
    after = 3.0 + STALL_SECONDS
    isr = (3, 2) if comes else (3,)
    effects = machine.on_look(after, ClusterLook({replica: whole}, {}, {name: (2, 3)}, {name: isr}))
    assert machine.outcome(after).done == ((one,) if comes else ())
    cause = "t-0, going to /b: nothing was copied for 120 s"
    assert effects == ([] if comes else [Halt(2, cause), TakeBack((one,))])


def test_a_partition_is_in_one_move_between_brokers_at_a_time() -> None:
    first = PlannedMove(1, "t", 0, A, A, 100, destination=3)
    second = PlannedMove(2, "t", 0, B, B, 100, destination=4)
    machine = Execution([[first, second]], rules(WaveLimits(0)), 0.0)
    name = TopicPartition("t", 0)
    places: dict[Replica, ReplicaLogDirs | Exception] = {
        replica_of(m): ReplicaLogDirs() for m in (first, second)
    }
    look = ClusterLook(places, {}, {name: (1, 2)})
    assert len(started(machine.on_look(0.0, look))) == 1


def random_plan(rng: Random) -> Iterator[PlannedMove]:
    paths = [f"/d{n}" for n in range(4)]
    for n in range(rng.randrange(1, 25)):
        source, target = rng.sample(paths, 2)
        yield PlannedMove(rng.randrange(2), "t", n, source, target, rng.randrange(1, 100))


@pytest.mark.parametrize("seed", range(150))
def test_whatever_happens_limits_and_room_are_kept_and_it_ends(seed: int) -> None:
    rng = Random(seed)
    moves = list(dict.fromkeys(random_plan(rng)))
    cut = rng.randrange(len(moves) + 1)
    limits = WaveLimits(rng.randrange(1, 3), rng.randrange(0, 3))
    free = {(b, f"/d{n}"): rng.randrange(50, 400) for b in range(2) for n in range(4)}
    world = World(*moves, free=free)
    machine = Execution([moves[:cut], moves[cut:]], rules(limits), 0.0)
    now, under_way = 0.0, dict[PlannedMove, int]()
    while not machine.over:
        now += 1.0
        assert now < 2000, "it ends"
        for m in started(machine.on_look(now, world.look(machine))):
            assert m not in under_way
            under_way[m] = 0
        for broker in range(2):
            busy = [m for m in under_way if m.broker == broker]
            assert not limits.moves_per_broker or len(busy) <= limits.moves_per_broker
            for n in range(4):
                path = f"/d{n}"
                parts = [m for m in busy if path in (m.source, m.target)]
                assert len(parts) <= limits.moves_per_disk
        for m in list(under_way):
            copied = min(m.size - under_way[m], rng.randrange(40))
            under_way[m] += copied
            world.free[m.broker, m.target] -= copied
            assert world.free[m.broker, m.target] >= 0, "never overfilled"
            world.start(m, copied=under_way[m])
            if under_way[m] == m.size:
                world.finish(m)
                world.free[m.broker, m.source] += m.size
                del under_way[m]
    outcome = machine.outcome(now)
    assert len(outcome.done) + len(outcome.failed) == len(moves)
    assert all("has room for" in why for _, why in outcome.failed)


def test_what_was_deleted_is_skipped_and_what_was_there_is_not_counted_as_moved() -> None:
    one, two, late = move(0), move(1), move(2)
    world = World(one, two, late)
    world.finish(two)
    machine = Execution([[one, two, late]], rules(WaveLimits(3)), 0.0)
    name = TopicPartition("t", 0)
    look = dataclasses.replace(world.look(machine), gone=frozenset({name}))
    assert started(machine.on_look(0.0, look)) == [late]
    machine.on_gone(TopicPartition("t", 2))
    assert machine.over
    outcome = machine.outcome(1.0)
    assert (outcome.gone, outcome.there, outcome.moved) == ((one, late), (two,), ())
    assert outcome.complete, "what is gone has not failed"


def test_a_run_that_was_taken_back_is_not_at_a_hundred_percent() -> None:
    one, two = move(0), move(1)
    world = World(one, two)
    machine = Execution([[one, two]], rules(), 0.0)
    machine.on_look(0.0, world.look(machine))
    world.start(one, copied=40)
    machine.on_cancel(1.0)
    world.at[replica_of(one)] = ReplicaLogDirs(A, 0, 100)
    machine.on_look(2.0, world.look(machine))
    assert machine.over
    assert (machine.progress(2.0).done_bytes, machine.progress(2.0).bytes) == (0, 200)


@pytest.mark.spec("P-08")
def test_a_replica_that_moves_on_is_looked_for_only_where_it_ends() -> None:
    there = PlannedMove(2, "t", 0, "/a", "/a", 10, destination=1)
    within = PlannedMove(1, "t", 0, "/a", "/b", 10)
    on = PlannedMove(1, "t", 0, "/b", "/a", 10, destination=3)
    back = PlannedMove(3, "t", 0, "/a", "/c", 10, destination=1)
    other = PlannedMove(4, "t", 0, "/a", "/a", 10, destination=2)
    assert ends([there, other]) == [there, other]
    assert ends([there, within, other]) == [within, other]
    assert ends([there, within, other, on]) == [other, on]
    assert ends([there, within, other, on, back]) == [other, back]
