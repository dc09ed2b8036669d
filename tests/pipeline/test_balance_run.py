"""`spindle balance apply`, `watch`, `cancel` as processes: killed, gone on with, replanned."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.pipeline.conftest import Desk
from tests.pipeline.plan_files import plan_file
from tests.support.clients import produce, values
from tests.support.commands import begin, run
from tests.support.waiting import eventually

from spindle.cli.reassign.throttles import MOVE_RATE
from spindle.client.results import (
    Change,
    ConfigChange,
    ConfigSource,
    NewTopic,
    Resource,
    ResourceType,
)
from spindle.model.errors import Failure
from spindle.planning.leaders import WeightedPartition
from spindle.planning.load import PlannedMove

TOPIC, PARTITIONS = "travelling", 4
SLOW = 20_000
"""Bytes/s at which a wave of these tests does not end by itself before it is looked at."""


@pytest.fixture
def size(desk: Desk) -> Iterator[int]:
    """A topic whose replicas all lie in their brokers' first directories; bytes of each."""
    total = desk.skewed(TOPIC, PARTITIONS, records=100, size=20_000)
    yield total // PARTITIONS
    desk.drop(TOPIC)


def moves(desk: Desk, size: int, *partitions: int, broker: int = 1) -> list[PlannedMove]:
    first, second = map(str, desk.cluster.broker(broker).log_dirs)
    return [PlannedMove(broker, TOPIC, n, first, second, size) for n in partitions]


def answers(desk: Desk, broker: int) -> bool:
    """Whether a broker answers for itself."""
    try:
        desk.ask("describe_log_dirs", [broker])
    except Failure:
        return False
    return True


def rate_of(desk: Desk, broker: int) -> str | None:
    """The throttle that is set on a broker."""
    resource = Resource(ResourceType.BROKER, str(broker))
    setting = desk.ask("describe_configs", [resource])[resource].get(MOVE_RATE)
    if setting is None:  # A throttle that was never set is not described.
        return None
    return setting.value if setting.source == ConfigSource.DYNAMIC_BROKER else None


def set_rate(desk: Desk, broker: int, rate: str | None) -> None:
    change = Change.DELETE if rate is None else Change.SET
    resource = Resource(ResourceType.BROKER, str(broker))
    desk.ask("incremental_alter_configs", {resource: [ConfigChange(MOVE_RATE, change, rate)]})
    eventually(lambda: rate_of(desk, broker) == rate, "the broker knows its setting")


def there(desk: Desk, broker: int = 1) -> set[str]:
    """The topic's replicas in a broker's second directory."""
    second = str(desk.cluster.broker(broker).log_dirs[1])
    return {name for name in desk.directories(broker)[second] if name.startswith(TOPIC)}


def copies(desk: Desk) -> list[str]:
    told = desk.ask("describe_log_dirs", [1, 2])
    return [str(name) for dirs in told.values() for d in dirs for name in d.future]


def answer(desk: Desk, verb: str, *options: str, code: int = 0) -> dict[str, Any]:
    done = run("spindle", "balance", verb, "-b", desk.bootstrap, *options, "--json", seconds=120)
    assert done.code == code, done
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.spec("P-07")
def test_a_plan_of_leaders_alone_is_carried_out_and_copies_nothing(
    desk: Desk, size: int, tmp_path: Path
) -> None:
    orders = [WeightedPartition(TOPIC, n, (2, 1), 0.0) for n in range(PARTITIONS)]
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, [], orders=orders)
    throttled = ("--throttle", "1000000")
    done = run("spindle", "balance", "apply", "-b", desk.bootstrap, str(plan), *throttled)
    assert done.code == 0, done
    assert f"{PARTITIONS} of {PARTITIONS} partitions led as planned" in done.stderr
    assert "throttle" not in done.stderr, "nothing is copied that could be held to a rate"

    def leaders() -> set[tuple[int, ...]]:
        told = desk.ask("describe_topics", [TOPIC])[TOPIC].partitions
        return {(p.leader, *p.replicas) for p in told}

    eventually(lambda: leaders() == {(2, 2, 1)}, "broker 2 leads all", 60)
    assert answer(desk, "apply", str(plan))["complete"], "once more is no harm"


@pytest.mark.spec("P-07")
def test_a_leader_that_is_refused_is_reported_with_the_cause_and_the_exit_code(
    desk: Desk, size: int, tmp_path: Path
) -> None:
    orders = [WeightedPartition(TOPIC, n, (2, 1), 0.0) for n in range(PARTITIONS)]
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, [], orders=orders)
    node = desk.cluster.broker(2)
    desk.run(desk.cluster.stop_node(node))
    try:
        done = run("spindle", "balance", "apply", "-b", desk.bootstrap, str(plan), seconds=120)
        assert done.code == 1, done
        assert f"0 of {PARTITIONS} partitions led as planned" in done.stderr
        assert f"{TOPIC}-0 is not led by broker 2: " in done.stderr
        assert "Then apply the plan again" in done.stdout
        watched = answer(desk, "watch", code=1)
        assert not watched["run"]["ended"]["complete"]
    finally:
        desk.run(desk.cluster.start_node(node))
        desk.run(desk.cluster.wait_serving())
    eventually(
        lambda: all(2 in p.isr for p in desk.ask("describe_topics", [TOPIC])[TOPIC].partitions),
        "broker 2 is in sync again",
        120,
    )
    again = answer(desk, "apply", str(plan))
    assert (again["complete"], again["unled"]) == (True, [])


@pytest.mark.spec("P-07")
def test_killed_in_the_middle_of_a_move_it_goes_on_and_throttles_come_back(
    desk: Desk, size: int, tmp_path: Path
) -> None:
    set_rate(desk, 1, "123456789")
    records = values(desk.bootstrap, TOPIC)
    waves = [moves(desk, size, 0), moves(desk, size, 1, 2), moves(desk, size, 0, broker=2)]
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, waves)
    process = begin(
        "spindle", "balance", "apply", "-b", desk.bootstrap, str(plan), "--throttle", str(SLOW)
    )
    try:
        eventually(lambda: copies(desk), "it is moving", 120, 0.2)
        alive = answer(desk, "watch", code=1)["run"]
        assert alive["alive"]
        assert 0 <= alive["doneBytes"] < alive["bytes"]
        assert 4 * size <= alive["bytes"] < 4.1 * size, "as it lies on the disk"
        process.send_signal(signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()
    assert rate_of(desk, 1) == str(SLOW), "no run has put it back"

    def inside() -> bool:
        seen = answer(desk, "watch", code=1)["run"]
        assert not seen["alive"]
        return bool(seen["moving"]) and 0 < seen["doneBytes"] < seen["bytes"]

    eventually(inside, "the move goes on in the cluster, and is seen from inside", 60, 0.2)
    said = run("spindle", "balance", "watch", "-b", desk.bootstrap, "--once")
    assert "The process of `apply` is gone" in said.stdout

    other = plan_file(tmp_path / "other.json", desk.bootstrap, [moves(desk, size, 3)])
    refused = run("spindle", "balance", "apply", "-b", desk.bootstrap, str(other))
    assert refused.code == 1
    assert "an earlier run in this cluster has not ended" in refused.stderr

    done = answer(desk, "apply", "--throttle", str(200 << 20))
    assert done["complete"]
    assert done["done"] == 4
    assert there(desk, 1) == {f"{TOPIC}-{n}" for n in (0, 1, 2)}
    assert f"{TOPIC}-0" in there(desk, 2)
    eventually(lambda: rate_of(desk, 1) == "123456789", "as it was before the killed run")
    eventually(lambda: rate_of(desk, 2) is None, "as it was before the killed run")
    assert values(desk.bootstrap, TOPIC) == records
    ended = answer(desk, "watch")["run"]
    assert ended["ended"]["complete"]
    nothing = run("spindle", "balance", "apply", "-b", desk.bootstrap)
    assert "nothing to resume for this cluster on this machine" in nothing.stderr
    set_rate(desk, 1, None)


@pytest.mark.spec("V-05")
def test_moves_of_other_brokers_go_on_while_one_is_frozen(
    desk: Desk, size: int, tmp_path: Path
) -> None:
    every = [move for b in (1, 2) for move in moves(desk, size, 0, 1, broker=b)]
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, [every])
    frozen = desk.cluster.broker(2).process
    assert frozen is not None
    process = begin(
        "spindle", "balance", "apply", "-b", desk.bootstrap, str(plan), "--throttle", str(20 * SLOW)
    )
    try:
        eventually(lambda: copies(desk), "it is moving", 120, 0.2)
        frozen.send_signal(signal.SIGSTOP)
        # One move of a disk at a time: the second starts when a look has shown the first one's end.
        eventually(lambda: len(there(desk)) == 2, "those of broker 1 are done", 240, 0.2)
    finally:
        frozen.send_signal(signal.SIGCONT)
        _, said = process.communicate(timeout=240)
    assert "warning: broker 2 gives no answer (nothing within 5 s): its moves are not seen" in said


@pytest.mark.spec("P-07")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_ended_it_takes_back_what_is_under_way_and_the_throttle(
    desk: Desk, size: int, tmp_path: Path, end: signal.Signals
) -> None:
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, [moves(desk, size, 0, 1)])
    process = begin(
        "spindle", "balance", "apply", "-b", desk.bootstrap, str(plan), "--throttle", "1000",
        "--moves-per-disk", "2",
    )  # fmt: skip
    try:
        eventually(lambda: len(copies(desk)) == 2, "both are moving", 120, 0.2)
        process.send_signal(end)
        # It waits for moves to be gone and for brokers to take settings, 30 s each at most.
        _, said = process.communicate(timeout=120)
    finally:
        process.kill()
    assert "Traceback" not in said
    if end == signal.SIGTERM:
        assert process.returncode == 130, said
        assert f"To resume: spindle balance apply -b {desk.bootstrap} PLAN" in said
    else:
        assert copies(desk), "no run has taken them back"
        stopped = answer(desk, "cancel")
        assert (stopped["done"], stopped["complete"]) == (0, False)
    eventually(lambda: not copies(desk), "no copy is left")
    assert there(desk) == set()
    eventually(lambda: rate_of(desk, 1) is None, "the throttle is as before")
    again = run("spindle", "balance", "cancel", "-b", desk.bootstrap)
    assert "there is no run to cancel" in again.stderr


@pytest.mark.spec("P-07")
def test_what_has_changed_since_the_plan_is_planned_again_between_waves(
    desk: Desk, size: int, tmp_path: Path
) -> None:
    waves = [moves(desk, size, 0), moves(desk, size, 1)]
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, waves)
    # What the plan took for the smaller half is three times as large when it is carried out.
    produce(desk.bootstrap, TOPIC, [b"." * 20_000] * 200, 0)
    done = answer(desk, "apply", str(plan))
    assert done["complete"]
    assert done["replanned"] >= 1
    assert there(desk) == {f"{TOPIC}-0"}, "half of all is there now: partition 1 stays"


@pytest.mark.spec("P-07")
def test_a_plan_with_write_rates_is_planned_again_by_bytes_and_rates(
    desk: Desk, size: int, tmp_path: Path
) -> None:
    """What grows makes room for one replica more: for a cold one, by bytes it might be any."""
    waves = [moves(desk, size, 0), moves(desk, size, 1)]
    rates = {(TOPIC, n): (1000, 1, 1, 1000)[n] for n in range(PARTITIONS)}
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, waves, tolerance=0.3, rates=rates)
    produce(desk.bootstrap, TOPIC, [b"." * 20_000] * 100, 1)
    done = answer(desk, "apply", str(plan))
    assert done["complete"]
    assert done["replanned"] >= 1
    assert there(desk) == {f"{TOPIC}-0", f"{TOPIC}-2"}


def test_two_processes_do_not_carry_out_plans_in_one_cluster(
    desk: Desk, size: int, tmp_path: Path
) -> None:
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, [moves(desk, size, 0)])
    arguments = ["apply", "-b", desk.bootstrap, str(plan)]
    process = begin("spindle", "balance", *arguments, "--throttle", "1000")
    try:
        eventually(lambda: copies(desk), "it is moving", 120, 0.2)
        second = run("spindle", "balance", *arguments)
        assert second.code == 1
        assert "is being carried out in this cluster by another process" in second.stderr
        process.terminate()
        process.communicate(timeout=60)
    finally:
        process.kill()
    eventually(lambda: not copies(desk), "no copy is left")


def test_what_is_no_plan_is_said(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "kafkas.json"
    file.write_text('{"version": 1, "partitions": []}')
    done = run("spindle", "balance", "apply", "-b", desk.bootstrap, str(file))
    assert done.code == 1
    assert f"{file} is not a plan of `spindle balance plan`" in done.stderr
    assert "spindle reassign execute" in done.stderr


@pytest.mark.spec("P-07")
def test_a_replica_goes_to_the_named_directory_of_another_broker(
    desk: Desk, tmp_path: Path
) -> None:
    topic = "crossing"
    desk.ask("create_topics", [NewTopic(topic, assignment={0: (1,), 1: (1,)})])
    for partition in range(2):
        produce(desk.bootstrap, topic, [bytes([partition]) * 20_000] * 50, partition)
    records = values(desk.bootstrap, topic)
    told = desk.ask("describe_log_dirs", [1])[1]
    at = {name.partition: d.path for d in told for name in d.current if name.topic == topic}
    target = str(desk.cluster.broker(2).log_dirs[1])
    waves = [[PlannedMove(1, topic, n, at[n], target, 1_000_000, destination=2)] for n in range(2)]
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, waves)
    done = answer(desk, "apply", str(plan), "--throttle", str(50 << 20))
    assert (done["complete"], done["done"]) == (True, 2)
    assert {f"{topic}-0", f"{topic}-1"} <= desk.directories(2)[target]
    # Broker 1 lets its replicas go when it hears that it has none any more.
    eventually(
        lambda: not any(topic in name for names in desk.directories(1).values() for name in names),
        "nothing is left on broker 1",
    )
    assert values(desk.bootstrap, topic) == records
    again = answer(desk, "apply", str(plan), code=4)
    assert (again["done"], again["moved"]) == (2, 0), "what is done already is not done again"
    desk.drop(topic)


@pytest.mark.spec("N-06", "V-06")
def test_a_topic_that_was_deleted_since_the_plan_is_skipped_and_nothing_is_left_behind(
    desk: Desk, size: int, tmp_path: Path
) -> None:
    deleted = "deleted-since"
    desk.ask("create_topics", [NewTopic(deleted, assignment={0: (1,), 1: (1,)})])
    first, second = map(str, desk.cluster.broker(1).log_dirs)
    far = str(desk.cluster.broker(2).log_dirs[1])
    gone = [
        PlannedMove(1, deleted, 0, first, second, 1000),
        PlannedMove(1, deleted, 1, first, far, 1000, destination=2),
    ]
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, [[*moves(desk, size, 0), *gone]])
    desk.drop(deleted)
    command = ("spindle", "balance", "apply", "-b", desk.bootstrap, str(plan))
    done = run(*command, "--throttle", str(50 << 20), seconds=120)
    assert done.code == 0, done
    assert "1 replica moved and verified in " in done.stdout
    assert "2 skipped: deleted since the plan" in done.stdout
    assert f"warning: {deleted}-0 skipped" in done.stderr
    assert there(desk) == {f"{TOPIC}-0"}
    eventually(
        lambda: [rate_of(desk, broker) for broker in (1, 2)] == [None, None],
        "no throttle is left",
    )
    again = run(*command, "--throttle", str(50 << 20), seconds=120)
    assert again.code == 4, again
    assert again.lines() == [
        "nothing was moved; 1 replica was there before; 2 skipped: deleted since the plan"
    ]
    assert again.stderr.splitlines() == [
        f"warning: {deleted}-{n} skipped: it was deleted since the plan" for n in (0, 1)
    ], "nothing is throttled, and no progress shown, where nothing is moved"


@pytest.mark.spec("N-06")
def test_a_run_that_is_refused_at_its_throttles_leaves_nothing_open(
    desk: Desk, size: int, tmp_path: Path
) -> None:
    """Broker 2 cannot get its rate: it is down. The topics' lists were set before."""
    at = str(desk.cluster.broker(1).log_dirs[0])
    far = str(desk.cluster.broker(2).log_dirs[1])
    crossing = PlannedMove(1, TOPIC, 0, at, far, size, destination=2)
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, [[crossing]])
    node = desk.cluster.broker(2)
    desk.run(desk.cluster.kill_node(node))
    try:
        refused = run(
            "spindle", "balance", "apply", "-b", desk.bootstrap, str(plan), "--throttle", "1000",
            seconds=120,
        )  # fmt: skip
        assert refused.code in (1, 6), refused
        cancelled = run("spindle", "balance", "cancel", "-b", desk.bootstrap)
        assert "there is no run to cancel" in cancelled.stderr
    finally:
        desk.run(desk.cluster.start_node(node))
        # It answers once the session of its killed self is over.
        eventually(lambda: answers(desk, 2), "broker 2 serves", 60)
    resource = Resource(ResourceType.TOPIC, TOPIC)
    configs = desk.ask("describe_configs", [resource])[resource]
    assert not any(c.value for n, c in configs.items() if "throttled" in n)
    assert rate_of(desk, 1) is None


@pytest.mark.spec("P-07", "V-05")
def test_a_run_is_paused_paced_listed_and_undone(desk: Desk, size: int, tmp_path: Path) -> None:
    at = ("-b", desk.bootstrap)
    nothing = run("spindle", "balance", "pause", *at)
    assert nothing.code == 1
    assert "no run is under way" in nothing.stderr
    plan = plan_file(tmp_path / "plan.json", desk.bootstrap, [moves(desk, size, 0, 1, 2)])
    rehearsed = answer(desk, "apply", str(plan), "--dry-run", "--throttle", str(SLOW))
    assert (rehearsed["moves"], rehearsed["there"]) == (3, 0)
    assert rehearsed["options"]["throttle"] == SLOW
    assert rate_of(desk, 1) is None, "it changes nothing"
    copied = tmp_path / "ended.json"
    hook = f"{sys.executable} -c \"import sys; open('{copied}', 'w').write(sys.stdin.read())\""
    process = begin(
        "spindle", "balance", "apply", *at, str(plan), "--throttle", str(SLOW), "--on-end", hook
    )
    try:
        eventually(lambda: len(copies(desk)) == 1, "the first is moving", 120, 0.2)
        answer(desk, "pause")
        answer(desk, "pace", "--throttle", str(100 << 20))
        eventually(lambda: rate_of(desk, 1) == str(100 << 20), "the throttle is another", 60)
        eventually(lambda: len(there(desk)) == 1, "what moves goes on to its end", 60)
        assert not copies(desk), "nothing new starts"
        answer(desk, "resume")
        _, said = process.communicate(timeout=120)
    finally:
        process.kill()
    assert process.returncode == 0, said
    assert "The replica-alter-dir throttle limit was set" in said
    assert "inter-broker" not in said, "no replica changes brokers"
    assert "paused: what moves goes on" in said
    assert "the pace is now: 1 move per disk at once, 100.0 MiB/s per broker" in said
    assert len(there(desk)) == 3
    eventually(lambda: rate_of(desk, 1) is None, "the throttle is as before")
    ended = json.loads(copied.read_text())
    assert (ended["ended"], ended["complete"], ended["moved"]) == ("done", True, 3)

    (*_, last) = answer(desk, "runs")["runs"]
    assert last["moves"] == 3
    assert "@" in last["by"]
    assert last["ended"]["complete"]
    back = tmp_path / "undo.json"
    undone = answer(desk, "undo", "--output", str(back))["spindle"]
    assert undone["moves"] == 3
    assert undone["exact"]
    assert answer(desk, "apply", str(back))["moved"] == 3
    assert there(desk) == set()
    assert answer(desk, "undo", "--output", str(back))["spindle"]["moves"] == 3, "and forth again"
    moved_away = run("spindle", "balance", "undo", *at, last["run"])
    assert moved_away.code == 4
    assert " stays: the run moved it to " in moved_away.stdout
