"""The plan that takes back what a run has moved: each replica returns to where it was. Pure.

Called by `spindle balance undo`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from spindle.client.log_dirs import LogDirs
from spindle.model.ids import TopicPartition
from spindle.pipeline.assembly import change_of
from spindle.pipeline.proposal import ClusterProposal, DirectoryNow
from spindle.pipeline.single_sample import uses
from spindle.planning.budget import PlanBudget
from spindle.planning.load import HERE, PlannedMove


def reverse(move: PlannedMove) -> PlannedMove:
    """The move back."""
    return move._replace(
        broker=move.to,
        source=move.target,
        target=move.source,
        destination=move.broker if move.between else HERE,
    )


def undoing(
    proposal: ClusterProposal,
    waves: Sequence[Iterable[PlannedMove]],
    elsewhere: Sequence[tuple[PlannedMove, str]],
    census: Mapping[int, LogDirs],
) -> ClusterProposal:
    """The plan against what was moved, the last first, with the sizes of now.

    `elsewhere`: moves whose replica is not any more where the run had taken it, and where it is;
    they are left out, with all that brought the same replica there.
    `census`: what the brokers have now; one that is not in it is shown as the run has left it.
    """
    strays = {(m.topic, m.partition) for m, _ in elsewhere}
    done = [[m for m in wave if (m.topic, m.partition) not in strays] for wave in waves]
    sizes = _sizes(census)
    back = [
        tuple(_sized(reverse(m), sizes) for m in reversed(wave)) for wave in reversed(done) if wave
    ]
    moved = change_of(m for wave in done for m in wave)
    then = [replace(d, before=d.before + moved[d.broker, d.path]) for d in proposal.directories]
    change = change_of(m for wave in back for m in wave)
    directories = tuple(
        replace(d, after=d.before + change[d.broker, d.path]) for d in _now(then, census)
    )
    skipped = tuple(
        f"{m.name} on broker {m.to} stays: the run moved it to {m.target}; now: {where}"
        for m, where in elsewhere
    )
    exact = PlanBudget(exact=True)
    wanted = replace(proposal.wanted, drain=(), exclude=(), leaders=False, budget=exact)
    return ClusterProposal(directories, tuple(back), 0, skipped, (), wanted)


def _sizes(census: Mapping[int, LogDirs]) -> dict[TopicPartition, int]:
    """The bytes of the largest replica of each partition."""
    sizes: dict[TopicPartition, int] = {}
    for found in census.values():
        for directory in found:
            for name, log in directory.current.items():
                sizes[name] = max(log.size, sizes.get(name, 0))
    return sizes


def _sized(move: PlannedMove, sizes: Mapping[TopicPartition, int]) -> PlannedMove:
    name = TopicPartition(move.topic, move.partition)
    return move._replace(size=sizes.get(name, move.size))


def _now(
    directories: Sequence[DirectoryNow], census: Mapping[int, LogDirs]
) -> Iterable[DirectoryNow]:
    there = {(b, use.path): use for b, found in census.items() for use in uses(b, found)}
    for d in directories:
        use = there.get((d.broker, d.path))
        if use is None:
            yield d
            continue
        space = use.capacity or d.capacity
        yield replace(d, online=use.online, cordoned=use.cordoned, capacity=space, before=use.used)
