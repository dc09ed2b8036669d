"""A plan cut to a number of moves, of bytes, or to what is worth its bytes."""

from __future__ import annotations

from spindle.planning.budget import CutPlan, PlanBudget, Vessel, cut
from spindle.planning.load import PlannedMove

A, B, C = (1, "/a"), (1, "/b"), (1, "/c")


def move(number: int, source: str, target: str, size: int, to: int = 1) -> PlannedMove:
    return PlannedMove(1, "t", number, source, target, size, to)


def vessels(*used: int, mark: int = 1000) -> dict[tuple[int, str], Vessel]:
    return {p: Vessel(u, 1000, mark) for p, u in zip((A, B, C), used, strict=False)}


def numbers(found: CutPlan) -> list[list[int]]:
    return [[m.partition for m in wave] for wave in found.waves]


PLAN = ((move(0, "/a", "/b", 50), move(1, "/a", "/c", 30)), (move(2, "/a", "/b", 20),))


def test_the_first_moves_of_the_plan_are_kept() -> None:
    found = cut(PLAN, vessels(300, 0, 0), PlanBudget(moves=2), False)
    assert numbers(found) == [[0, 1]]
    assert found.notes[0].startswith("1 move of 20 B left out")
    assert numbers(cut(PLAN, vessels(300, 0, 0), PlanBudget(moves=3), False)) == [[0, 1], [2]]


def test_a_move_that_is_too_large_makes_way_for_smaller_ones() -> None:
    assert numbers(cut(PLAN, vessels(300, 0, 0), PlanBudget(bytes=50), False)) == [[0]]
    assert numbers(cut(PLAN, vessels(300, 0, 0), PlanBudget(bytes=49), False)) == [[1]]


def test_a_move_waits_for_no_room_of_one_that_is_left_out() -> None:
    plan = ((move(0, "/b", "/c", 60),), (move(1, "/a", "/b", 40),))
    full = vessels(100, 90, 0, mark=100)
    assert numbers(cut(plan, full, PlanBudget(bytes=100), False)) == [[0], [1]]
    assert cut(plan, full, PlanBudget(bytes=50), False).waves == ()


def test_later_moves_of_a_partition_are_left_out_with_its_first() -> None:
    plan = ((move(0, "/a", "/b", 60),), (move(0, "/b", "/c", 10),))
    assert cut(plan, vessels(100, 0, 0), PlanBudget(bytes=50), False).waves == ()


def test_bytes_that_bring_little_are_not_moved() -> None:
    # 60 there and 50 back: 110 bytes for 10.
    exchange = ((move(0, "/a", "/b", 60), move(1, "/b", "/a", 50)),)
    found = cut(exchange, vessels(110, 90), PlanBudget(least_benefit=0.2), False)
    assert found.waves == ()
    assert "broker 1: 2 moves of 110 B left out" in found.notes[0]
    assert "0.09 bytes closer to even" in found.notes[0]
    assert cut(exchange, vessels(110, 90), PlanBudget(least_benefit=0.05), False).waves == exchange
    assert cut(exchange, vessels(110, 90), PlanBudget(least_benefit=0.2), False, [A]).waves


def test_a_plan_of_brokers_together_is_judged_as_one() -> None:
    plan = ((move(0, "/a", "/a", 50, to=2),),)
    both = {A: Vessel(100, 1000, 1000), (2, "/a"): Vessel(0, 1000, 1000)}
    assert cut(plan, both, PlanBudget(least_benefit=1.0), True) == CutPlan(plan, ())
