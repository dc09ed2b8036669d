"""Says in words what a plan could not do with a broker's directories, and why.

Called by the planners of a broker and of a cluster when they are done.
"""

from __future__ import annotations

from collections.abc import Iterator

from spindle.planning.bands.bound import Edges
from spindle.planning.field import Field
from spindle.planning.state import State
from spindle.planning.words import amount, counted


def directory_notes(field: Field, broker: int, around: list[Edges]) -> Iterator[str]:
    """Why a broker's directories are not as even as the band wants them."""
    state = field.state(broker, around)
    for n, d in enumerate(field.cluster.of_broker(broker)):
        if field.cluster.directories[d].drain:
            yield from _drain_notes(field, state, broker, n)
        else:
            yield from _band_notes(field, state, broker, n)


def no_second_copy(field: Field, rank: int, target: int) -> str:
    """Why a replica does not go where it should."""
    topic, partition = field.name(rank)
    path = field.cluster.directories[target].path
    return (
        f"{topic}-{partition} does not go to {path}: "
        "there is never room for a second copy under the high mark"
    )


def _path(field: Field, broker: int, n: int) -> str:
    return field.cluster.directories[field.cluster.of_broker(broker)[n]].path


def _band_notes(field: Field, state: State, broker: int, n: int) -> Iterator[str]:
    size, around, path = state.used[n], state.edges[n], _path(field, broker, n)
    if size >= around.fair + 1:
        yield (
            f"{path} stays {amount(size - around.fair)} above the band: " + _why(field, state, n)
        )
    elif size <= around.low - 1:
        yield (
            f"{path} stays {amount(around.low - size)} below the band: "
            "no replica elsewhere is small enough to come"
        )
    if state.rates is not None:
        yield from _rate_notes(field, state, path, n)


def _why(field: Field, state: State, n: int) -> str:
    if not any(target != n for target in state.targets):
        return "no other directory takes replicas"
    if not state.held[n]:
        return "what is moving into it, or has no way out, stays"
    rank = state.held[n][-1]
    size = state.sizes[rank]
    if size > state.edges[n].fair:
        topic, partition = field.name(rank)
        return f"{topic}-{partition} alone has {amount(size)}, more than a fair share"
    if state.edges[n].high > state.edges[n].fair and state.rates is not None:
        topic, partition = field.name(rank)
        return (
            f"{topic}-{partition} has {amount(size)}, and whatever lies beside it to bring the "
            "disk its part of the writes is more than there is room for"
        )
    return "no replica, and no exchange of two, fits the room elsewhere"


def _rate_notes(field: Field, state: State, path: str, n: int) -> Iterator[str]:
    rates, held = state.rates, state.held[n]
    assert rates is not None
    flow, edges = rates.flow[n], rates.edges[n]
    if not rates.off(n) and flow < edges.fair + 1:
        return
    told = f"{path} is written to with {amount(flow)}/s"
    band = f"{told}, the band is {amount(edges.low)}/s to {amount(edges.fair)}/s"
    fastest = max(held, key=lambda rank: rates.of[rank], default=None)
    if fastest is not None and rates.of[fastest] > edges.fair:
        topic, partition = field.name(fastest)
        rate = amount(rates.of[fastest])
        yield f"{told}: {topic}-{partition} alone takes {rate}/s, more than a fair share"
    elif fastest is not None and edges.high > edges.fair and flow > edges.fair:
        topic, partition = field.name(fastest)
        rate = amount(rates.of[fastest])
        yield (
            f"{told}: {topic}-{partition} takes {rate}/s, and whatever fills the disk beside it is "
            "written to with more than is left"
        )
    elif not held and flow > edges.mean:
        yield f"{band}: what is moving into it, or has no way out, stays"
    else:
        yield f"{band}: no move, and no exchange of two, brings bytes and rates closer"


def _drain_notes(field: Field, state: State, broker: int, n: int) -> Iterator[str]:
    path, stay = _path(field, broker, n), [*state.held[n], *state.empty[n]]
    directory = field.cluster.of_broker(broker)[n]
    moving = field.arriving[directory]
    if moving:
        size = amount(field.pinned[directory])
        those = counted(moving, "replica")
        yield f"{path} is not empty yet: {those} with {size} still on the way into it"
    if not stay:
        return
    left = amount(sum(state.sizes[rank] for rank in stay))
    yield (
        f"{path} cannot be emptied: under the high mark there is no room elsewhere for "
        f"{counted(len(stay), 'replica')} with {left}; {_why_not_emptied(field, state, stay)}"
    )


def _why_not_emptied(field: Field, state: State, stay: list[int]) -> str:
    if not state.targets:
        return "no other directory takes replicas"
    rooms = [max(0.0, state.marks[t] - state.used[t]) for t in state.targets]
    largest = max(state.sizes[rank] for rank in stay)
    most = max(rooms)
    text = f"the others have {amount(sum(rooms))} left, {amount(most)} in one directory at most"
    if largest > most:
        topic, partition = field.name(stay[-1])
        text += f", and {topic}-{partition} alone has {amount(largest)}"
    return text
