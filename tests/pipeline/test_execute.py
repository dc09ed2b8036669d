"""Carrying plans out on a live cluster: moves, failures, throttles, verification, cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

import pytest
from tests.pipeline.conftest import Desk
from tests.support.clients import values
from tests.support.waiting import eventually

from spindle.client.admin import AdminClient
from spindle.client.results import Change, ConfigChange, Replica, Resource, ResourceType
from spindle.pipeline import execute as executing
from spindle.pipeline.execute import THROTTLE, Outcome, Progress, execute, verify
from spindle.planning.load import Move

TOPIC, PARTITIONS = "moving", 4


@pytest.fixture
def size(desk: Desk) -> Iterator[int]:
    """A topic whose replicas all lie in their brokers' first directories; bytes of each."""
    total = desk.skewed(TOPIC, PARTITIONS, records=100, size=20_000)
    yield total // PARTITIONS
    desk.ask("delete_topics", [TOPIC])


def moves(desk: Desk, size: int, *partitions: int, broker: int = 1) -> list[Move]:
    first, second = map(str, desk.cluster.broker(broker).log_dirs)
    return [Move(broker, TOPIC, n, first, second, size) for n in partitions]


def carry_out(
    desk: Desk, waves: Sequence[Sequence[Move]], throttle: int | None = None
) -> tuple[Outcome, list[Progress], list[tuple[Move, str]]]:
    seen: list[Progress] = []

    async def work() -> tuple[Outcome, list[tuple[Move, str]]]:
        async with AdminClient(desk.bootstrap) as admin:
            outcome = await execute(admin, waves, seen.append, throttle)
            return outcome, await verify(admin, [m for wave in waves for m in wave])

    outcome, wrong = desk.run(work())
    return outcome, seen, wrong


def throttle_of(desk: Desk, broker: int) -> tuple[str | None, int]:
    resource = Resource(ResourceType.BROKER, str(broker))
    setting = desk.ask("describe_configs", [resource])[resource][THROTTLE]
    return setting.value, int(setting.source)


def set_throttle(desk: Desk, broker: int, change: ConfigChange) -> None:
    resource = Resource(ResourceType.BROKER, str(broker))
    desk.ask("incremental_alter_configs", {resource: [change]})
    eventually(
        lambda: (throttle_of(desk, broker)[0] == change.value) == (change.change == Change.SET),
        "the broker knows its setting",
    )


@pytest.mark.spec("P-08")
def test_waves_are_carried_out_and_verified_and_the_records_stay(desk: Desk, size: int) -> None:
    before = values(desk.bootstrap, TOPIC)
    waves = [moves(desk, size, 0, 1), moves(desk, size, 0, broker=2)]
    outcome, seen, wrong = carry_out(desk, waves)
    assert outcome.complete
    assert len(outcome.done) == 3
    assert wrong == []
    last = seen[-1]
    assert (last.done_moves, last.moves, last.waves) == (3, 3, 2)
    assert last.done_bytes == last.bytes == 3 * size
    assert [p.done_bytes for p in seen] == sorted(p.done_bytes for p in seen)
    second = str(desk.cluster.broker(1).log_dirs[1])
    assert {f"{TOPIC}-0", f"{TOPIC}-1"} <= desk.directories(1)[second]
    assert values(desk.bootstrap, TOPIC) == before


def test_what_is_done_already_is_not_done_again(desk: Desk, size: int) -> None:
    wave = moves(desk, size, 0)
    assert carry_out(desk, [wave])[0].complete
    again, _, wrong = carry_out(desk, [wave])
    assert again.complete
    assert wrong == []


def test_of_a_replica_that_moves_twice_the_last_place_is_verified(desk: Desk, size: int) -> None:
    (there,) = moves(desk, size, 0)
    back = there._replace(source=there.target, target=there.source)
    outcome, _, wrong = carry_out(desk, [[there], [back]])
    assert outcome.complete
    assert wrong == []


@pytest.mark.spec("K113-28")
def test_a_throttle_slows_the_moves_and_is_put_back(desk: Desk, size: int) -> None:
    set_throttle(desk, 1, ConfigChange(THROTTLE, Change.SET, "123456789"))
    before = {broker: throttle_of(desk, broker) for broker in (1, 2)}
    during: list[tuple[str | None, int]] = []

    async def work() -> Outcome:
        async with AdminClient(desk.bootstrap) as admin:
            resource = Resource(ResourceType.BROKER, "1")

            async def look() -> None:
                while not during or during[-1][0] != str(size):
                    setting = (await admin.describe_configs([resource]).all())[resource][THROTTLE]
                    during.append((setting.value, int(setting.source)))
                    await asyncio.sleep(0.05)

            looking = asyncio.create_task(look())
            waves = [[*moves(desk, size, 0, 1), *moves(desk, size, 0, broker=2)]]
            outcome = await execute(admin, waves, throttle=size)
            await asyncio.wait_for(looking, 10)
            return outcome

    try:
        outcome = desk.run(work())
        assert outcome.complete
        assert outcome.seconds > 0.9, "two replicas at one a second, less what may be saved up"
        assert during[-1][0] == str(size)
        eventually(lambda: {b: throttle_of(desk, b) for b in (1, 2)} == before, "it is put back")
    finally:
        set_throttle(desk, 1, ConfigChange(THROTTLE, Change.DELETE))


def test_moves_that_cannot_be_are_told_with_the_reason_and_stop_no_others(
    desk: Desk, size: int
) -> None:
    (good,) = moves(desk, size, 0)
    (nowhere,) = moves(desk, size, 1)
    nowhere = nowhere._replace(target="/no/such/directory")
    unknown = good._replace(topic="never-made")
    absent = good._replace(broker=77, partition=2)
    outcome, _, wrong = carry_out(desk, [[nowhere, unknown, absent, good]])
    assert outcome.done == (good,)
    reasons = dict(outcome.failed)
    assert "LOG_DIR_NOT_FOUND" in reasons[nowhere]
    assert "there is no such topic" in reasons[unknown]
    assert "there is no broker 77" in reasons[absent]
    assert {move for move, _ in wrong} == {nowhere, unknown, absent}
    assert not outcome.complete


def test_a_move_without_room_waits_for_it_and_is_given_up(
    desk: Desk, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executing, "ROOM_SECONDS", 0.5)
    (small,) = moves(desk, size, 0)
    huge = moves(desk, 1 << 60, 1, broker=2)[0]
    outcome, _, _ = carry_out(desk, [[small, huge]])
    assert outcome.done == (small,)
    assert "bytes free" in dict(outcome.failed)[huge]


def test_cancelled_it_takes_back_what_is_under_way_and_the_throttle(desk: Desk, size: int) -> None:
    before = throttle_of(desk, 1)
    wave = moves(desk, size, 0, 1)
    replicas = [Replica(m.topic, m.partition, m.broker) for m in wave]

    async def work() -> None:
        async with AdminClient(desk.bootstrap) as admin:
            running = asyncio.create_task(execute(admin, [wave], throttle=1000))
            while not any(
                place.future
                for place in (await admin.describe_replica_log_dirs(replicas).all()).values()
            ):
                assert not running.done(), running.result()
                await asyncio.sleep(0.05)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            places = await admin.describe_replica_log_dirs(replicas).all()
            assert {place.future for place in places.values()} == {None}
            assert {place.current for place in places.values()} == {wave[0].source}

    desk.run(work())
    eventually(lambda: throttle_of(desk, 1) == before, "the throttle is put back")
