"""Carrying plans out on a live cluster: moves, failures, verification."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from tests.pipeline.conftest import Desk
from tests.support.clients import values

from spindle.cli.balance.applying import carry_out as carry
from spindle.cli.balance.cluster_look import verify
from spindle.client.admin import AdminClient
from spindle.pipeline import execution, harm
from spindle.pipeline.execution_values import ExecutionProgress, PlanOutcome
from spindle.planning.load import PlannedMove

TOPIC, PARTITIONS = "moving", 4


@pytest.fixture
def size(desk: Desk) -> Iterator[int]:
    """A topic whose replicas all lie in their brokers' first directories; bytes of each."""
    total = desk.skewed(TOPIC, PARTITIONS, records=100, size=20_000)
    yield total // PARTITIONS
    desk.drop(TOPIC)


def moves(desk: Desk, size: int, *partitions: int, broker: int = 1) -> list[PlannedMove]:
    first, second = map(str, desk.cluster.broker(broker).log_dirs)
    return [PlannedMove(broker, TOPIC, n, first, second, size) for n in partitions]


def carry_out(
    desk: Desk, waves: Sequence[Sequence[PlannedMove]]
) -> tuple[PlanOutcome, list[ExecutionProgress], list[tuple[PlannedMove, str]]]:
    seen: list[ExecutionProgress] = []

    async def work() -> tuple[PlanOutcome, list[tuple[PlannedMove, str]]]:
        async with AdminClient(desk.bootstrap) as admin:
            outcome = await carry(admin, waves, seen.append)
            return outcome, await verify(admin, [m for wave in waves for m in wave])

    outcome, wrong = desk.run(work())
    return outcome, seen, wrong


@pytest.mark.spec("P-08")
def test_waves_are_carried_out_and_verified_and_the_records_stay(desk: Desk, size: int) -> None:
    before = values(desk.bootstrap, TOPIC)
    waves = [moves(desk, size, 0, 1), moves(desk, size, 0, broker=2)]
    outcome, seen, wrong = carry_out(desk, waves)
    assert outcome.complete
    assert len(outcome.done) == 3
    assert wrong == []
    last = seen[-1]
    assert (last.done_moves, last.moves) == (3, 3)
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


def test_moves_that_cannot_be_are_reported_with_the_reason_and_stop_no_others(
    desk: Desk, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harm, "SILENT_SECONDS", 0.5)
    (good,) = moves(desk, size, 0)
    (nowhere,) = moves(desk, size, 1)
    nowhere = nowhere._replace(target="/no/such/directory")
    unknown = good._replace(topic="never-made")
    absent = good._replace(broker=77, partition=2)
    outcome, _, wrong = carry_out(desk, [[nowhere, unknown, absent, good]])
    assert outcome.done == (good,)
    reasons = dict(outcome.failed)
    assert "LOG_DIR_NOT_FOUND" in reasons[nowhere]
    assert outcome.gone == (unknown,)
    assert reasons[absent] == "not started: the moves of broker 77 were stopped"
    assert outcome.halted == {77: "it has given no answer for 0.5 s"}
    assert {move for move, _ in wrong} == {nowhere, unknown, absent}
    assert not outcome.complete


def test_a_move_without_room_waits_for_it_and_is_given_up(
    desk: Desk, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "ROOM_SECONDS", 0.5)
    (small,) = moves(desk, size, 0)
    huge = moves(desk, 1 << 60, 1, broker=2)[0]
    outcome, _, _ = carry_out(desk, [[small, huge]])
    assert outcome.done == (small,)
    assert "has room for" in dict(outcome.failed)[huge]
