"""Says in words what could not be done with brokers as wholes, and why. Called by their planner."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from spindle.planning.amounts import amount, counted, listed, told_apart
from spindle.planning.bands.bound import Edges
from spindle.planning.between.rules import PlacementRules
from spindle.planning.search_state import SearchState
from spindle.planning.within.wording import NO_ROOM

Rooms = list[tuple[float, int]]
"""(bytes, broker)"""

# Why replicas stay: of one, of many.
_MOVING = (
    "is of a partition that is being moved, or has a copy on no disk that is planned with",
    "are of partitions that are being moved, or have a copy on no disk that is planned with",
)
_NO_BROKER = (
    "finds no other broker that takes replicas",
    "find no other broker that takes replicas",
)
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


def rate_note(field: SearchState, around: Edges, broker: int) -> Iterator[str]:
    """That a broker is written to with more or less than its share."""
    assert field.rates is not None
    flow = sum(field.rates.flow[d] for d in field.cluster.of_broker(broker))
    if around.outside(flow):
        is_, low, high = told_apart(flow, around.low, around.high)
        yield (
            f"is written to with {is_}/s, the band is {low}/s to {high}/s: no replica that may go "
            "to another broker, and no exchange of two, was found to bring bytes and rates closer"
        )


def rack_notes(field: SearchState, rules: PlacementRules, mend: bool) -> Iterator[str]:
    """Which partitions have replicas that share a rack, though there is another one."""
    crowds = rules.crowds()
    if not crowds:
        return
    names = listed(["{}-{}".format(*field.name(crowd[0])) for crowd in crowds])
    those = counted(len(crowds), "partition has", "partitions have")
    yield (
        f"{those} replicas that share a rack while brokers of another have none: {names}; "
        + ("these could not be parted" if mend else "--mend-racks parts them")
    )


def broker_notes(
    field: SearchState,
    rules: PlacementRules,
    around: Edges,
    broker: int,
    rooms: Rooms,
    kept: bool = False,
    blocked: Collection[int] = (),
) -> Iterator[str]:
    """Why a broker is not empty as wanted, or has more or less than its share.

    `rooms`: those of all brokers. `kept`: something that should be emptied is not, so what is
    missing here is there. `blocked`: the directories to which replicas should go that find no room
    on their way.
    """
    own = field.cluster.of_broker(broker)
    total = sum(field.used[d] for d in own)
    if field.cluster.brokers[broker].drain:
        moving = sum(field.stays.arriving[d] for d in own)
        if moving:
            those = counted(moving, "replica is", "replicas are")
            yield f"is not empty yet: {those} moving, or of a partition that is"
        excluded = [rank for d in own for rank in field.stays.kept[d]]
        if excluded:
            those = counted(len(excluded), "replica is excluded", "replicas are excluded")
            names = ["{}-{}".format(*field.name(rank)) for rank in excluded]
            yield f"cannot be emptied: {those}: {listed(names)}"
        stay = [rank for d in own for rank in (*field.held[d], *field.empty[d])]
        if stay:
            size = amount(sum(field.sizes[rank] for rank in stay))
            reasons = _reasons(field, rules, rooms, stay)
            those = counted(len(stay), "replica stays", "replicas stay")
            yield f"cannot be emptied: {those}, {size}; {reasons}"
    elif total >= around.high + 1:
        stay = [rank for d in own for rank in field.held[d]]
        reasons = _reasons(field, rules, rooms, stay)
        yield (
            f"stays {amount(total - around.high)} above the band: no replica that may leave, and "
            f"no exchange of two, was found to bring it closer; {reasons}"
        )
    elif total <= around.low - 1 and rules.takes[broker] and not kept:
        why = (
            "no replica that may come, and no exchange of two, was found to bring it closer: "
            "racks, and one replica of a partition on a broker, are kept"
        )
        if any(d in blocked for d in own):
            why = f"replicas that should come stay where they are: {NO_ROOM}"
        yield f"stays {amount(around.low - total)} below the band: {why}"


def rooms_of(field: SearchState, rules: PlacementRules) -> Rooms:
    """The most that a directory of each broker which takes replicas still takes; most first."""
    rooms = [(_room(field, b), b) for b, takes in enumerate(rules.takes) if takes]
    return sorted(rooms, key=lambda room: (-room[0], room[1]))


def _reasons(field: SearchState, rules: PlacementRules, rooms: Rooms, stay: Sequence[int]) -> str:
    """How many of the replicas stay for which reason."""
    reasons: Counter[tuple[str, str]] = Counter()
    for rank in stay:
        home = field.cluster.owner[field.place[rank]]
        others = [room for room in rooms[:2] if room[1] != home]
        if int(field.partition[rank]) in field.stays.frozen:
            reasons[_MOVING] += 1
        elif not others:
            reasons[_NO_BROKER] += 1
        elif (most := _most(rules, rooms, rank, home)) is None:
            reasons[_RULES] += 1
        elif most < field.sizes[rank]:
            reasons[_ROOM] += 1
        else:
            reasons[_BAND] += 1
    return ", ".join(counted(count, *reason) for reason, count in sorted(reasons.items()))


def _most(rules: PlacementRules, rooms: Rooms, rank: int, home: int) -> float | None:
    """The most room that there is where a replica may go: mostly one of the first may have it."""
    return next((room for room, b in rooms if b != home and rules.allows(rank, b)), None)


def _room(field: SearchState, broker: int) -> float:
    own = [d for d in field.cluster.of_broker(broker) if field.targets[d]]
    return max((field.marks[d] - field.used[d] for d in own), default=0.0)
