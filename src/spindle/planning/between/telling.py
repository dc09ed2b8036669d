"""Says in words what could not be done with brokers as wholes, and why. Called by their planner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from spindle.planning.bands.bound import Edges
from spindle.planning.between.rules import Rules
from spindle.planning.field import Field
from spindle.planning.words import amount, counted

# Why replicas stay: of one, of many.
_MOVING = ("is of a partition that is being moved", "are of partitions that are being moved")
_NOBODY = ("finds no other broker that takes replicas", "find no other broker that takes replicas")
_RULES = (
    "has no broker to go to that keeps its racks and has no copy yet",
    "have no broker to go to that keeps their racks and has no copy yet",
)
_ROOM = (
    "finds no room under the high mark where it might go",
    "find no room under the high mark where they might go",
)
_BAND = (
    "would put another broker out of the band, or finds no room on the way",
    "would put another broker out of the band, or find no room on the way",
)


def rate_note(field: Field, around: Edges, broker: int) -> Iterator[str]:
    """That a broker is written to with more or less than its share."""
    assert field.flow is not None
    flow = sum(field.flow[d] for d in field.cluster.of_broker(broker))
    if around.outside(flow):
        yield (
            f"is written to with {amount(flow)}/s, the band is {amount(around.low)}/s to "
            f"{amount(around.high)}/s: no replica that may go to another broker, and no exchange "
            "of two, brings bytes and rates closer"
        )


def broker_notes(field: Field, rules: Rules, around: Edges, broker: int) -> Iterator[str]:
    """Why a broker is not empty as wanted, or has more or less than its share."""
    own = field.cluster.of_broker(broker)
    total = sum(field.used[d] for d in own)
    if field.cluster.brokers[broker].drain:
        moving = sum(field.arriving[d] for d in own)
        if moving:
            yield f"is not empty yet: {counted(moving, 'replica')} still on the way into it"
        stay = [rank for d in own for rank in (*field.held[d], *field.empty[d])]
        if stay:
            size = amount(sum(field.sizes[rank] for rank in stay))
            reasons = _reasons(field, rules, stay)
            those = counted(len(stay), "replica stays", "replicas stay")
            yield f"cannot be emptied: {those}, {size}; {reasons}"
    elif total >= around.high + 1:
        stay = [rank for d in own for rank in field.held[d]]
        yield (
            f"stays {amount(total - around.high)} above the band: no replica that may leave, and "
            f"no exchange of two, fits another broker; {_reasons(field, rules, stay)}"
        )
    elif total <= around.low - 1 and rules.takes[broker]:
        yield (
            f"stays {amount(around.low - total)} below the band: no replica elsewhere is small "
            "enough and may come: racks, and one replica of a partition on a broker, are kept"
        )


def _reasons(field: Field, rules: Rules, stay: Sequence[int]) -> str:
    """How many of the replicas stay for which reason."""
    reasons: Counter[tuple[str, str]] = Counter()
    takers = [b for b, takes in enumerate(rules.takes) if takes]
    for rank in stay:
        home = field.cluster.owner[field.place[rank]]
        may = [b for b in takers if b != home and rules.allows(rank, b)]
        if int(field.partition[rank]) in field.frozen:
            reasons[_MOVING] += 1
        elif not [b for b in takers if b != home]:
            reasons[_NOBODY] += 1
        elif not may:
            reasons[_RULES] += 1
        elif not any(_room(field, b) >= field.sizes[rank] for b in may):
            reasons[_ROOM] += 1
        else:
            reasons[_BAND] += 1
    return ", ".join(counted(count, *reason) for reason, count in sorted(reasons.items()))


def _room(field: Field, broker: int) -> float:
    """The most that a directory of a broker still takes."""
    own = [d for d in field.cluster.of_broker(broker) if field.targets[d]]
    return max((field.marks[d] - field.used[d] for d in own), default=0.0)
