"""Plans the moves between one broker's directories: into the band, with the fewest bytes.

A portfolio of greedy walks; the best result wins (fewest bytes out of band, then fewest bytes and
moves), and is repaired where it is stuck. What has no room while copies exist is left out, and the
rest is planned again from there, until nothing gets better: so planning a plan's result gives an
empty plan. Deterministic: same input, same plan. Called by the pipeline, one broker a task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spindle.planning.bound import lower_bound
from spindle.planning.load import Band, BrokerPlan, DirectoryLoad, Move, ReplicaLoad, Share
from spindle.planning.repair import repair
from spindle.planning.schedule import Limits, schedule
from spindle.planning.state import State
from spindle.planning.walk import TASTES, walk

PHASES = 24
"""Bounds how often the rest is planned again."""


def plan_broker(
    broker: int,
    directories: Sequence[DirectoryLoad],
    replicas: Sequence[ReplicaLoad],
    band: Band,
    moves_per_disk: int = 1,
    moves_per_broker: int = 0,
) -> BrokerPlan:
    """The best plan found for a broker. Directories and replicas in any order.

    `moves_per_disk`, `moves_per_broker` (0: no limit) bound each wave of the schedule.
    """
    limits = Limits(band.high_mark, moves_per_disk, moves_per_broker)
    draft = _Draft(broker, sorted(directories), sorted(replicas), band, limits)
    before = dict(draft.state.sizes)
    bound = lower_bound(draft.state.edges, before)
    for _ in range(PHASES):
        if not draft.advance():
            break
    shares = tuple(
        Share(d.path, d.capacity, before[d.path], draft.state.sizes[d.path])
        for d in draft.directories
    )
    notes = (*_notes(draft.state), *map(_blocked_note, draft.blocked.values()))
    return BrokerPlan(broker, tuple(draft.moves), bound, shares, tuple(draft.waves), notes)


class _Draft:
    """A plan in the making: moves that fit, in order, and the state after them.

    `blocked`: replicas that find no room on their way, by index, since the last progress.
    """

    def __init__(
        self,
        broker: int,
        directories: Sequence[DirectoryLoad],
        replicas: list[ReplicaLoad],
        band: Band,
        limits: Limits,
    ) -> None:
        self._broker, self._band, self._limits = broker, band, limits
        self.directories = directories
        self.state = State(directories, replicas, band)
        self.moves: list[Move] = []
        self.waves: list[int] = []
        self.blocked: dict[int, Move] = {}

    def advance(self) -> bool:
        """Plan once from where the draft is; False when that brings nothing new."""
        start = self._unblocked()
        found = _search(start) if start.outside else start
        wanted = {
            Move(self._broker, r.topic, r.partition, r.directory, found.place[index], r.size): index
            for index, r in enumerate(start.replicas)
            if found.place[index] != r.directory
        }
        if not wanted:
            return False
        moves, waves, without_room = schedule(
            list(wanted), self.directories, start.sizes, self._limits
        )
        if moves and _better(start, {wanted[move]: move for move in moves}):
            self._settle({wanted[move]: move.target for move in moves})
            self.moves += moves
            self.waves += waves
            return True
        self.blocked |= {wanted[move]: move for move in without_room}
        return bool(without_room)

    def _unblocked(self) -> State:
        """The state with what is blocked pinned where it is."""
        if not self.blocked:
            return self.state
        replicas = [
            r._replace(pinned=r.pinned or index in self.blocked)
            for index, r in enumerate(self.state.replicas)
        ]
        return State(self.directories, replicas, self._band)

    def _settle(self, targets: dict[int, str]) -> None:
        """Count moves as done."""
        replicas = [
            r._replace(directory=targets.get(index, r.directory))
            for index, r in enumerate(self.state.replicas)
        ]
        self.state = State(self.directories, replicas, self._band)
        self.blocked.clear()


def _search(start: State) -> State:
    """The best end found from here; `start` itself if none is better."""
    walks = [(walk(start.copy(), taste), taste) for taste in TASTES]
    best, taste = min(walks, key=lambda pair: pair[0].cost)
    best = repair(best, taste)
    _trim(best)
    return best if best.outside < start.outside and not best.breaches else start


def _trim(state: State) -> None:
    """Take back what is not needed: replicas without which the broker is as even, largest first."""
    outside = state.outside
    for index in sorted(state.moved, key=lambda index: (-state.replicas[index].size, index)):
        item = (state.replicas[index].size, index)
        home, place = state.replicas[index].directory, state.place[index]
        if not item[0] or home not in state.targets:
            continue
        state.shift(item, place, home)
        if state.outside > outside or state.breaches:
            state.shift(item, home, place)
        else:
            outside = state.outside


def _better(start: State, moves: dict[int, Move]) -> bool:
    """Whether these moves alone bring the broker closer to the band."""
    after = start.copy()
    for index, move in moves.items():
        if move.size:
            after.shift((move.size, index), move.source, move.target)
        else:
            after.put(index, move.target)
    return after.outside < start.outside


def _notes(end: State) -> Iterator[str]:
    """Why directories are not as even as the band wants them, in words."""
    for path, around in end.edges.items():
        size, directory = end.sizes[path], end.directories[path]
        if directory.drain:
            yield from _drain_notes(end, path)
        elif size >= around.fair + 1:
            yield f"{path} stays {(size - around.fair) / 1e6:.1f} MB above the band: " + _why(
                end, path
            )
        elif size <= around.low - 1:
            yield (
                f"{path} stays {(around.low - size) / 1e6:.1f} MB below the band: "
                "no replica elsewhere is small enough to come"
            )


def _why(end: State, path: str) -> str:
    if not any(target != path for target in end.targets):
        return "no other directory takes replicas"
    if not end.held[path]:
        return "what is moving into it, or has no way out, stays"
    size, index = end.held[path][-1]
    if size > end.edges[path].fair:
        return f"{end.replicas[index].name} alone has {size / 1e6:.1f} MB, more than a fair share"
    return "no replica, and no exchange of two, fits the room elsewhere"


def _drain_notes(end: State, path: str) -> Iterator[str]:
    left = [r for i, r in enumerate(end.replicas) if end.place[i] == path]
    moving = [r for r in left if r.pinned]
    if moving:
        yield f"{path} is not empty yet: {len(moving)} replicas are on their way into it"
    stay = [r for r in left if not r.pinned]
    if stay:
        size = sum(r.size for r in stay)
        yield (
            f"{path} cannot be emptied: {len(stay)} replicas with {size / 1e6:.1f} MB "
            "find no room elsewhere under the high mark"
        )


def _blocked_note(move: Move) -> str:
    return (
        f"{move.topic}-{move.partition} does not go to {move.target}: "
        "there is never room for a second copy under the high mark"
    )
