"""Cuts a plan to what an operator wants to pay for it: moves, bytes, and bytes for little. Pure.

What is left of a plan is carried out in its order, so a move that waits for the room of one that is
left out is left out as well, and so is each later move of the same partition. Called by the
pipeline once a plan is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from spindle.planning.amounts import amount, counted
from spindle.planning.load import PlannedMove

Place = tuple[int, str]
Waves = tuple[tuple[PlannedMove, ...], ...]


class Vessel(NamedTuple):
    """A directory: bytes in it, those it can hold, and those above which it is never filled."""

    used: int
    capacity: int
    mark: float


@dataclass(frozen=True, slots=True)
class PlanBudget:
    """Limits of a whole plan; None: no limit. `exact`: nothing is planned again on the way.

    `least_benefit`: bytes that come closer to even for each byte moved. 1: each byte moved does, as
    from the fullest disk to an empty one; exchanges bring less.
    """

    moves: int | None = None
    bytes: int | None = None
    least_benefit: float | None = None
    exact: bool = False

    @property
    def limits(self) -> bool:
        """Whether anything is limited."""
        return (self.moves, self.bytes, self.least_benefit) != (None, None, None)


class CutPlan(NamedTuple):
    """What is left of a plan, and what was left out."""

    waves: Waves
    notes: tuple[str, ...]


def cut(
    waves: Waves,
    vessels: Mapping[Place, Vessel],
    budget: PlanBudget,
    together: bool,
    drained: Collection[Place] = (),
) -> CutPlan:
    """The plan within its budget. `together`: brokers are planned as one; what empties the
    `drained` directories is wanted whatever its benefit."""
    notes: list[str] = []
    if budget.least_benefit is not None:
        dear = dict(_dear(waves, vessels, budget.least_benefit, together, drained))
        notes += dear.values()
        waves = _without(waves, lambda move: _group(move.broker, together) in dear)
    kept = _affordable(waves, vessels, budget)
    left_out = [m for wave in waves for m in wave if m not in kept]
    if left_out:
        size = amount(sum(move.size for move in left_out))
        notes.append(
            f"{counted(len(left_out), 'move')} of {size} left out, to keep to --max-moves and "
            "--max-bytes: plan again once this plan is applied"
        )
    return CutPlan(_without(waves, lambda move: move not in kept), tuple(notes))


def _without(waves: Waves, leave_out: Callable[[PlannedMove], bool]) -> Waves:
    left = (tuple(m for m in wave if not leave_out(m)) for wave in waves)
    return tuple(wave for wave in left if wave)


def _group(broker: int, together: bool) -> int | None:
    return None if together else broker


def _dear(
    waves: Waves,
    vessels: Mapping[Place, Vessel],
    least: float,
    together: bool,
    drained: Collection[Place],
) -> Iterator[tuple[int | None, str]]:
    """The brokers (None: all together) whose moves bring too little, and what to say of each."""
    groups: dict[int | None, list[PlannedMove]] = defaultdict(list)
    for wave in waves:
        for move in wave:
            groups[_group(move.broker, together)].append(move)
    for group, moves in groups.items():
        if any((move.broker, move.source) in drained for move in moves):
            continue
        there = {p: v for p, v in vessels.items() if group is None or p[0] == group}
        after = {p: v.used for p, v in there.items()}
        for move in moves:
            if (move.broker, move.source) in after:
                after[move.broker, move.source] -= move.size
            after[move.to, move.target] += move.size
        moved = sum(move.size for move in moves)
        won = _misplaced(there, {p: v.used for p, v in there.items()}) - _misplaced(there, after)
        if won < least * moved:
            who = "the plan" if group is None else f"broker {group}"
            note = (
                f"{who}: {counted(len(moves), 'move')} of {amount(moved)} left out: a byte moved "
                f"brings {won / moved:.2f} bytes closer to even (--least-benefit {least:g})"
            )
            yield group, note


def _misplaced(vessels: Mapping[Place, Vessel], used: Mapping[Place, int]) -> float:
    """Bytes that lie in another directory than they would if all were equally full."""
    room = sum(vessel.capacity for vessel in vessels.values())
    level = sum(used.values()) / room if room else 0.0
    return sum(abs(used[p] - level * vessel.capacity) for p, vessel in vessels.items()) / 2


def _affordable(
    waves: Waves, vessels: Mapping[Place, Vessel], budget: PlanBudget
) -> Collection[PlannedMove]:
    """The moves that the budget pays for, in the order of the plan."""
    used = {place: vessel.used for place, vessel in vessels.items()}
    kept: set[PlannedMove] = set()
    skipped: set[tuple[str, int]] = set()
    left = budget.bytes
    for wave in waves:
        freed: list[tuple[Place, int]] = []
        for move in wave:
            target, name = (move.to, move.target), (move.topic, move.partition)
            dear = budget.moves is not None and len(kept) >= budget.moves
            dear |= left is not None and move.size > left
            if dear or name in skipped or not _fits(move.size, target, used, vessels, skipped):
                skipped.add(name)
                continue
            kept.add(move)
            left = None if left is None else left - move.size
            used[target] = used.get(target, 0) + move.size
            freed.append(((move.broker, move.source), move.size))
        for place, size in freed:
            used[place] = used.get(place, 0) - size
    return kept


def _fits(
    size: int,
    target: Place,
    used: Mapping[Place, int],
    vessels: Mapping[Place, Vessel],
    skipped: Collection[tuple[str, int]],
) -> bool:
    """Whether there is room: always in a plan of which nothing was left out."""
    vessel = vessels.get(target)
    return not skipped or vessel is None or used[target] + size <= vessel.mark
