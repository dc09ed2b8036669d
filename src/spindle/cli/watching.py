"""`reassign --watch`: bytes copied, rate and time left of a plan, until it is done or cannot be.

Sizes come from the brokers' own DescribeLogDirs: what the new log has against what the leader's
(or the source directory's) log has. Pure but for `watch` itself. Called by `reassign`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from spindle.cli import render
from spindle.cli.reassignment_plan import Plan
from spindle.cli.reassignment_run import Verified, look
from spindle.cli.reassignment_state import Move
from spindle.client.admin import AdminClient
from spindle.client.log_dirs import LogDirs, replica_in
from spindle.client.results import Replica, ReplicaLogDirs
from spindle.model.ids import NodeId

EVERY_S: Final = 0.5
"""Seconds between looks."""
SETTLED_LOOKS: Final = 3
"""Looks in a row at which nothing may be under way before a plan that is not reached is given up:
a broker starts a move that it had noted only a moment after the replica has come."""


@dataclass(frozen=True)
class Copy:
    """One log that is being copied: bytes that it has, and bytes that it shall have."""

    replica: Replica
    done: int
    total: int


def copies(
    verified: Verified,
    before: Mapping[Replica, bool],
    found: Mapping[NodeId, LogDirs | Exception],
) -> list[Copy]:
    """What the plan copies: replicas new to their broker, and replicas that change directory.

    `before`: the replicas of the plan that were complete when watching began; they do not count.
    """
    where = {b: dirs for b, dirs in found.items() if not isinstance(dirs, Exception)}
    result = []
    for name, state in verified.partitions.items():
        sizes = {
            b: replica_in(where[b], name) for b in {*state.current, *state.target} if b in where
        }
        whole = max((w.current_size for w in sizes.values()), default=0)
        for broker in state.target:
            replica = Replica(*name, broker)
            if before.get(replica, False):
                continue
            move = verified.moves.get(replica)
            place = sizes.get(broker, ReplicaLogDirs())
            done = place.current_size
            if move is not None and move.move is not Move.DONE:
                done = place.future_size
            result.append(Copy(replica, min(done, whole), whole))
    return result


def complete_replicas(verified: Verified) -> dict[Replica, bool]:
    """For each replica of the plan, whether it is where it shall be."""
    found = {}
    for name, state in verified.partitions.items():
        for broker in state.target:
            replica = Replica(*name, broker)
            there = broker in state.current and not state.active
            move = verified.moves.get(replica)
            found[replica] = there and (move is None or move.move is Move.DONE)
    return found


async def watch(
    admin: AdminClient, plan: Plan, before: Mapping[Replica, bool] | None = None
) -> Verified:
    """Show progress until the plan is complete, or nothing is under way any more.

    `before`: what was complete before the plan was started, where the caller knows; else what is
    complete now. There is no bar where that is everything.
    """
    verified = await look(admin, plan)
    if before is None:
        before = complete_replicas(verified)
    if all(before.values()) and verified.complete:
        return verified
    still = 0
    with render.transfer("copying", 0) as report:
        while True:
            found = await admin.describe_log_dirs(
                _concerned(verified), partitions=list(plan.replicas)
            ).settled()
            under_way = copies(verified, before, found)
            report(sum(c.done for c in under_way), sum(c.total for c in under_way))
            still = 0 if verified.active else still + 1
            if verified.complete or still >= SETTLED_LOOKS:
                return verified
            await asyncio.sleep(EVERY_S)
            verified = await look(admin, plan)


def _concerned(verified: Verified) -> list[NodeId]:
    states = verified.partitions.values()
    return sorted({b for state in states for b in (*state.current, *state.target)})
