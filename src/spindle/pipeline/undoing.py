"""The plan that takes back what a run has moved: each replica returns to where it was. Pure.

Called by `spindle balance undo`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from spindle.pipeline.assembly import change_of
from spindle.pipeline.proposal import ClusterProposal
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
    elsewhere: Collection[PlannedMove] = (),
) -> ClusterProposal:
    """The plan against what was moved, the last first.

    `elsewhere`: moves whose replica is not any more where the run had taken it; they are left out,
    with all that brought the same replica there.
    """
    strays = {(m.topic, m.partition) for m in elsewhere}
    done = [[m for m in wave if (m.topic, m.partition) not in strays] for wave in waves]
    back = [tuple(reverse(m) for m in reversed(wave)) for wave in reversed(done) if wave]
    change = change_of(m for wave in done for m in wave)
    directories = tuple(
        replace(d, before=d.before + change[d.broker, d.path], after=d.before)
        for d in proposal.directories
    )
    skipped = tuple(
        f"{m.name} on broker {m.to} stays: it is not any more where the run had moved it"
        for m in elsewhere
    )
    exact = PlanBudget(exact=True)
    wanted = replace(proposal.wanted, drain=(), exclude=(), leaders=False, budget=exact)
    return ClusterProposal(directories, tuple(back), 0, skipped, (), wanted)
