"""The audit finds exactly what went wrong, and nothing where nothing did."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest

from spindle.pipeline.audit_job import BY_PLACE, Audit, audit, events, judge
from spindle.pipeline.session import Session

NAMES = ("topic", "partition", "offset", "producer", "sequence", "checksum")
Event = tuple[str, int, int, int, int, int]


@dataclass
class Run:
    """What brokers acknowledged and consumers got; both the same at first."""

    told: list[Event] = field(default_factory=list)
    got: list[Event] = field(default_factory=list)

    @classmethod
    def of(cls, seed: int, count: int = 400) -> Run:
        rng = random.Random(seed)
        ends = [0, 0, 0]
        made = []
        for sequence in range(count):
            partition = rng.randrange(3)
            made.append(("t", partition, ends[partition], 1 + sequence % 2, sequence,
                         rng.getrandbits(32)))  # fmt: skip
            ends[partition] += 1
        return cls(list(made), sorted(made, key=lambda e: (e[1], e[2])))

    def judge(self, spark: Session) -> Audit:
        return audit(table(spark, self.told), table(spark, self.got))


def table(spark: Session, rows: list[Event]) -> Any:
    columns = zip(*rows, strict=True) if rows else [()] * 6
    return events(spark, dict(zip(NAMES, columns, strict=True)))


def changed(event: Event, **what: int) -> Event:
    fields = dict(zip(NAMES, event, strict=True))
    return tuple({**fields, **what}.values())  # type: ignore[return-value]


@pytest.mark.spec("P-08")
def test_a_clean_run_is_sound(spark: Session) -> None:
    found = Run.of(1).judge(spark)
    assert found == Audit(400, 400, 0, 0, 0, 0, 0)
    assert found.sound


@pytest.mark.spec("P-08")
@pytest.mark.parametrize("seed", [2, 3])
def test_each_fault_is_found_and_counted(spark: Session, seed: int) -> None:
    run, rng = Run.of(seed), random.Random(seed)
    victims = rng.sample(range(400), 12)
    lost, doubled, torn, moved = (victims[n : n + 3] for n in (0, 3, 6, 9))
    got = []
    for event in run.got:
        if event[4] in lost:
            continue
        if event[4] in torn:
            event = changed(event, checksum=event[5] ^ 1)
        if event[4] in moved:
            event = changed(event, offset=event[2] + 10_000)
        got += [event, event] if event[4] in doubled else [event]
    unheard = [("t", 0, 50_000 + n, 3, n, 5) for n in range(4)]
    found = Run(run.told, [*got, *unheard]).judge(spark)
    assert (found.lost, found.doubled, found.changed, found.unacknowledged) == (3, 3, 6, 4)
    assert found.acknowledged == 400
    assert found.consumed == 400 - 3 + 3 + 4
    assert not found.sound


@pytest.mark.spec("P-08")
def test_what_a_partition_holds_out_of_order_is_found(spark: Session) -> None:
    run = Run.of(4)
    own = [e for e in run.got if e[1] == 1 and e[3] == 1]
    early, late = own[5], own[6]
    swapped = {
        early: changed(early, offset=late[2]),
        late: changed(late, offset=early[2]),
    }
    run.got = [swapped.get(e, e) for e in run.got]
    run.told = [swapped.get(e, e) for e in run.told]
    found = run.judge(spark)
    assert found.reordered == 1
    assert (found.lost, found.doubled, found.changed) == (0, 0, 0)
    assert not found.sound


@pytest.mark.spec("P-08")
def test_of_two_records_acknowledged_at_one_place_one_is_lost(spark: Session) -> None:
    """A leader that lost its end gives offsets a second time; only sequences tell records apart."""
    first, other = ("t", 0, 5, 1, 1, 7), ("t", 0, 5, 1, 2, 8)
    told = table(spark, [first, first, other])
    found = judge(told, table(spark, [other]), BY_PLACE).whole
    assert found == Audit(2, 1, 1, 0, 0, 0, 0)
    found = audit(table(spark, [first, first]), table(spark, [first]))
    assert found == Audit(1, 1, 0, 0, 0, 0, 0)


def test_a_run_that_consumed_nothing_lost_all(spark: Session) -> None:
    run = Run.of(5, 10)
    run.got = []
    assert run.judge(spark).lost == 10
    assert Run().judge(spark) == Audit(0, 0, 0, 0, 0, 0, 0)
