"""What tells situations apart, and what does not."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest
from tools.messages.entities import request_types

from spindle.model.ids import PartitionId, TopicPartition
from spindle.sim.exhaustive.digest import digest
from spindle.sim.exhaustive.situation import ID, LEAVE_OUT, Choice, ExplorationBounds, Situation
from spindle.sim.exhaustive.transacting import TransactionSituation
from spindle.sim.exhaustive.transaction_bounds import TransactionBounds
from spindle.wire.apis import Key

NOW = 1e6


def of(*things: object) -> bytes:
    return digest(NOW, LEAVE_OUT, *things)


def _kinds(kind: type) -> Iterator[type]:
    subclasses: list[type] = type.__subclasses__(kind)
    for sub in subclasses:
        if str(sub.__module__).startswith(("spindle.", "kio.")):
            yield sub
        yield from _kinds(sub)


def _attributes(kind: Any) -> set[str]:
    """What an object of this class may have, from its bases as well."""
    found: set[str] = set()
    for base in kind.__mro__:
        init = base.__dict__.get("__init__")
        found |= {*(init.__code__.co_names if hasattr(init, "__code__") else ())}
        found |= {*inspect.get_annotations(base)}
    return found


def test_what_is_left_out_is_there() -> None:
    request_types(Key.ASSIGN_REPLICAS_TO_DIRS, 0)
    known = {f"{kind.__name__}.{name}" for kind in _kinds(object) for name in _attributes(kind)}
    assert sorted(LEAVE_OUT - known) == []


@pytest.mark.spec("C-01")
def test_what_is_not_learned_yet_tells_situations_apart() -> None:
    """Two changes that no broker has read, in one order or the other, are learned one by one."""
    situations = []
    for kinds in (("coordinate", "lead"), ("lead", "coordinate")):
        situation = TransactionSituation(TransactionBounds(coordinators=1, leaders=1))
        for kind in kinds:
            situation.take(next(c for c in situation.choices() if c.kind == kind))
        situations.append(situation)
    assert situations[0].digest() != situations[1].digest()


def test_each_search_leaves_out_its_own() -> None:
    class Thing:
        def __init__(self, counts: int) -> None:
            self.counts = counts

    left_out = frozenset({"Thing.counts"})
    assert digest(NOW, left_out, Thing(1)) == digest(NOW, left_out, Thing(2))
    assert digest(NOW, frozenset(), Thing(1)) != digest(NOW, frozenset(), Thing(2))


def test_equal_values_are_one_whether_they_are_the_same_object_or_not() -> None:
    one, other = PartitionId(ID.topic_id, 7), PartitionId(ID.topic_id, 7)
    assert one is not other
    assert of([one, one]) == of([one, other])
    assert of([one, one]) != of([one, TopicPartition("t", 7)])


def test_what_may_change_is_one_only_if_it_is_the_same_object() -> None:
    shared: list[int] = []
    assert of([shared, shared]) != of([shared, []])


def test_times_count_from_now() -> None:
    assert of(NOW + 0.02) == digest(NOW + 7, LEAVE_OUT, NOW + 7.02)
    assert of(NOW + 0.02) != of(NOW + 0.03)
    assert of(NOW + 0.98) == of(NOW + 1.01)
    assert of(NOW + 0.9) != of(NOW + 1.0)
    assert of(NOW + 50) == of(NOW + 90_000)
    assert of(NOW - 1) == of(NOW - 90_000) == of(0.0)
    assert of(NOW - 1) != of(NOW + 1)


def test_a_broker_left_alone_comes_back_to_where_it_was() -> None:
    situation = Situation(ExplorationBounds())
    marks = []
    for _ in range(40):
        situation.take(Choice("time"))
        marks.append(situation.digest())
    assert len(set(marks)) < len(marks)
