"""Says in words what a plan could not do with a broker's directories, and why.

Called by the planners of a broker and of a cluster when they are done. Says nothing that has not
been looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from spindle.planning.amounts import amount, counted, listed, told_apart
from spindle.planning.bands.bound import Edges
from spindle.planning.placement_index import PlacementIndex
from spindle.planning.search_state import SearchState
from spindle.planning.within.step import NONE, SingleStep, best_step

_STAYS = "its replicas stay: in motion, without another place, excluded, or too small to move"
NO_ROOM = "there is never room for a second copy under the high mark"


def directory_notes(
    field: SearchState,
    broker: int,
    around: list[Edges],
    blocked: Collection[int] = (),
    kept: bool = False,
) -> Iterator[str]:
    """Why a broker's directories are not as even as the band wants them.

    `blocked`: the directories to which replicas should go that find no room on their way. `kept`:
    elsewhere there is something that should be emptied and is not.
    """
    state = field.state(broker, around)
    own = field.cluster.of_broker(broker)
    # What a directory that is not emptied keeps is what the others lack.
    kept = kept or any(state.held[n] or state.empty[n] for n in state.drained)
    for n, d in enumerate(own):
        if field.cluster.directories[d].drain:
            yield from _drain_notes(field, state, broker, n)
        elif field.cluster.directories[d].capacity:  # Else it stands for what no disk shows.
            yield from _band_notes(field, state, broker, n, kept, d in blocked)
            if state.rates is not None:
                yield from _rate_notes(field, state, _path(field, broker, n), n)


def no_second_copy(field: SearchState, rank: int, target: int, named: bool = False) -> str:
    """Why a replica does not go where it should; `named`: names the broker of that place, too."""
    broker, path = field.cluster.place(target)
    place = f"broker {broker} {path}" if named else path
    return f"{_name(field, rank)} does not go to {place}: {NO_ROOM}"


def _path(field: SearchState, broker: int, n: int) -> str:
    return field.cluster.directories[field.cluster.of_broker(broker)[n]].path


def _name(field: SearchState, rank: int) -> str:
    topic, partition = field.name(rank)
    return f"{topic}-{partition}"


def _band_notes(
    field: SearchState, state: PlacementIndex, broker: int, n: int, kept: bool, blocked: bool
) -> Iterator[str]:
    size, around, path = state.used[n], state.bands.edges[n], _path(field, broker, n)
    crumb = field.stays.crumb[broker]
    mark = field.marks[field.cluster.of_broker(broker)[n]]
    if size >= mark + 1:
        over, high = amount(size - mark), amount(mark)
        yield f"{path} stays {over} above the high mark of {high}: {_why(field, state, n, crumb)}"
    elif size >= around.fair + 1:
        over = amount(size - around.fair)
        yield f"{path} stays {over} above the band: {_why(field, state, n, crumb)}"
    elif size <= around.low - 1 and not kept:
        if blocked:
            why = f"replicas that should come stay where they are: {NO_ROOM}"
        else:
            why = _no_step(field, state, n, crumb)
        yield f"{path} stays {amount(around.low - size)} below the band: {why}"


def _why(field: SearchState, state: PlacementIndex, n: int, crumb: int) -> str:
    if not state.held[n]:
        return _STAYS
    rank = state.held[n][-1]
    size, around = state.sizes[rank], state.bands.edges[n]
    if size > around.fair:
        return f"{_name(field, rank)} alone has {amount(size)}, more than a fair share"
    if not any(target != n for target in state.targets):
        return "no other directory of the broker takes replicas"
    if around.high > around.fair and state.rates is not None:
        return (
            f"{_name(field, rank)} has {amount(size)}, and whatever lies beside it to bring the "
            "disk its part of the writes is more than there is room for"
        )
    return _no_step(field, state, n, crumb)


def _no_step(field: SearchState, state: PlacementIndex, n: int, crumb: int) -> str:
    if state.rates is not None:
        return "no move, and no exchange of two, was found to bring bytes and rates closer"
    step = best_step(state, n)
    if step is None:
        text = "no replica, and no exchange of two, brings it closer"
        if crumb:
            text += f"; replicas of {amount(crumb)} and less are not moved for so little"
        return text
    if step.worth_it:
        return f"{_told(field, step)} would bring it closer, but not all finds room on its way"
    price, gain = told_apart(step.price, step.gain)
    return f"{_told(field, step)} would move {price} to mend {gain}, which is not worth it"


def _told(field: SearchState, step: SingleStep) -> str:
    if step.rank == NONE or step.back == NONE:
        return f"moving {_name(field, max(step.rank, step.back))}"
    return f"exchanging {_name(field, step.rank)} for {_name(field, step.back)}"


def _rate_notes(field: SearchState, state: PlacementIndex, path: str, n: int) -> Iterator[str]:
    rates, held = state.rates, state.held[n]
    assert rates is not None
    flow, edges = rates.flow[n], rates.edges[n]
    if not rates.off(n) and flow < edges.fair + 1:
        return
    is_, low, fair = told_apart(flow, edges.low, edges.fair)
    told = f"{path} is written to with {is_}/s"
    band = f"{told}, the band is {low}/s to {fair}/s"
    fastest = max(held, key=lambda rank: rates.of[rank], default=None)
    if fastest is not None and rates.of[fastest] > edges.fair:
        rate = amount(rates.of[fastest])
        yield f"{told}: {_name(field, fastest)} alone takes {rate}/s, more than a fair share"
    elif fastest is not None and edges.high > edges.fair and flow > edges.fair:
        rate = amount(rates.of[fastest])
        yield (
            f"{told}: {_name(field, fastest)} takes {rate}/s, and whatever fills the disk beside "
            "it is written to with more than is left"
        )
    elif not held and flow > edges.mean:
        yield f"{band}: {_STAYS}"
    else:
        yield f"{band}: no move, and no exchange of two, was found to bring bytes and rates closer"


def _drain_notes(field: SearchState, state: PlacementIndex, broker: int, n: int) -> Iterator[str]:
    path, stay = _path(field, broker, n), [*state.held[n], *state.empty[n]]
    directory = field.cluster.of_broker(broker)[n]
    moving = field.stays.arriving[directory]
    if moving:
        size = amount(field.stays.coming[directory])
        those = counted(moving, "replica")
        yield f"{path} is not empty yet: {those} with {size} still on the way into it"
    kept = field.stays.kept[directory]
    if kept:
        those = counted(len(kept), "replica is excluded", "replicas are excluded")
        yield f"{path} cannot be emptied: {those}: {listed([_name(field, r) for r in kept])}"
    if stay:
        those = counted(len(stay), "replica")
        yield f"{path} cannot be emptied: {_why_not_emptied(field, state, stay, those)}"


def _why_not_emptied(field: SearchState, state: PlacementIndex, stay: list[int], those: str) -> str:
    all_of_it = sum(state.sizes[rank] for rank in stay)
    no_room = f"under the high mark there is no room elsewhere for {those} with"
    if not state.targets:
        return f"{no_room} {amount(all_of_it)}; no other directory takes replicas"
    rooms = [max(0.0, state.bands.marks[t] - state.used[t]) for t in state.targets]
    largest = max(stay, key=lambda rank: (state.sizes[rank], rank))
    size, most = state.sizes[largest], max(rooms)
    left, room, single, alone = told_apart(all_of_it, sum(rooms), most, size)
    text = f"{no_room} {left}; the others have {room} left, {single} in one directory at most"
    if size > most:
        text += f", and {_name(field, largest)} alone has {alone}"
    return text
