"""`reassign watch`: bytes copied, rate, time left of each disk, until a plan is done or cannot be.

Sizes come from the brokers' own DescribeLogDirs: what the new log has against what the leader's
(or the source directory's) log has. Pure but for `watch` itself. Called by `reassign`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from spindle.cli import render
from spindle.cli.reassign.reassigning import Verified, look
from spindle.cli.reassign.reassignment_plan import ReassignmentPlan
from spindle.cli.reassign.reassignment_state import MoveStatus
from spindle.client.admin import AdminClient
from spindle.client.log_dirs import LogDirs, replica_in
from spindle.client.results import Replica, ReplicaLogDirs
from spindle.model.ids import LogDir, NodeId, TopicPartition

EVERY_S: Final = 0.5
"""Seconds between looks."""
STILL_S: Final = 120.0
"""Seconds without a byte after which a copy is said to stand still."""
SETTLED_LOOKS: Final = 3
"""Looks in a row at which nothing may be under way before a plan that is not reached is given up:
a broker starts a move that it had noted only a moment after the replica has come."""


@dataclass(frozen=True)
class WatchedCopy:
    """One log that is being copied: bytes that it has, and bytes that it will have.

    `directory` is where it goes; None while a broker has not yet chosen it.
    """

    replica: Replica
    done: int
    total: int
    directory: LogDir | None = None

    @property
    def disk(self) -> str:
        """What to call the disk that it is written to."""
        broker = f"broker {self.replica.broker}"
        return broker if self.directory is None else f"{broker} {self.directory}"


class StandingCopies:
    """Tells of each copy once that it stands still. The command goes on to watch it."""

    def __init__(self) -> None:
        self._seen: dict[Replica, tuple[int, float]] = {}
        """The bytes of a copy, and since when it has them."""
        self._named: set[Replica] = set()

    def on_look(self, now: float, under_way: Iterable[WatchedCopy]) -> list[str]:
        """What to say of copies that have no new byte for long; `now` in seconds."""
        lines = []
        for copy in under_way:
            done, since = self._seen.get(copy.replica, (-1, now))
            if copy.done != done:
                self._seen[copy.replica] = (copy.done, now)
                self._named.discard(copy.replica)
            elif now - since >= STILL_S and copy.replica not in self._named:
                self._named.add(copy.replica)
                lines.append(_standing(copy))
        return lines


def _standing(copy: WatchedCopy) -> str:
    what = f"nothing was copied for {STILL_S:g} s"
    if copy.done and copy.done >= copy.total:
        what = f"copied whole, but the broker has not put it in place for {STILL_S:g} s"
    name = f"{copy.replica.topic}-{copy.replica.partition}, going to {copy.disk}"
    return (
        f"warning: {name}: {what}. `spindle doctor` lists faults of the release; to take it back: "
        "`spindle reassign cancel`"
    )


def copies(
    verified: Verified,
    before: Mapping[Replica, bool],
    found: Mapping[NodeId, LogDirs | Exception],
) -> list[WatchedCopy]:
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
            done, directory = place.current_size, place.current
            if move is not None:
                directory = move.target
                done = done if move.move is MoveStatus.DONE else place.future_size
            result.append(WatchedCopy(replica, min(done, whole), whole, directory))
    return result


def by_disk(under_way: Iterable[WatchedCopy]) -> dict[str, tuple[int, int]]:
    """(bytes done, bytes in all) of each disk that is written to."""
    found: dict[str, tuple[int, int]] = {}
    for copy in under_way:
        done, total = found.get(copy.disk, (0, 0))
        found[copy.disk] = (done + copy.done, total + copy.total)
    return dict(sorted(found.items()))


def complete_replicas(verified: Verified) -> dict[Replica, bool]:
    """For each replica of the plan, whether it is at its target.

    While a partition is reassigned, those that it had before are.
    """
    found = {}
    for name, state in verified.partitions.items():
        for broker in state.target:
            replica = Replica(*name, broker)
            there = broker in state.current and broker not in state.adding
            move = verified.moves.get(replica)
            found[replica] = there and (move is None or move.move is MoveStatus.DONE)
    return found


async def what_is_there(admin: AdminClient) -> ReassignmentPlan | None:
    """All that is under way in a cluster, as the plan that would have asked for it; None: nothing.

    Reassignments of any partitions, and moves between directories of all brokers that answer.
    """
    active = await admin.list_partition_reassignments()
    brokers = sorted((await admin.describe_cluster()).brokers)
    found = await admin.describe_log_dirs(brokers).settled()
    moving = {
        Replica(*name, broker): directory.path
        for broker, directories in found.items()
        if not isinstance(directories, Exception)
        for directory in directories
        for name in directory.future
    }
    topics = sorted({replica.topic for replica in moving})
    described = await admin.describe_topics(topics).settled()
    replicas = {
        TopicPartition(name, p.partition): p.replicas
        for name, topic in described.items()
        if not isinstance(topic, Exception)
        for p in topic.partitions
        if any(r.name == (name, p.partition) for r in moving)
    }
    replicas |= {
        name: tuple(b for b in running.replicas if b not in running.removing)
        for name, running in active.items()
    }
    wanted = {
        replica: path
        for replica, path in moving.items()
        if replica.broker in replicas.get(replica.name, ())
    }
    return (
        ReassignmentPlan(dict(sorted(replicas.items())), dict(sorted(wanted.items())))
        if replicas
        else None
    )


async def watch(
    admin: AdminClient,
    plan: ReassignmentPlan,
    before: Mapping[Replica, bool] | None = None,
    limit: float | None = None,
) -> Verified:
    """Show progress until the plan is complete, or nothing is under way any more.

    `limit`: for so many seconds at most; what was found last then still goes on.
    `before`: what was complete before the plan was started, where the caller knows; else what is
    complete now. There is no bar where that is everything.
    """
    verified = await look(admin, plan)
    if before is None:
        before = complete_replicas(verified)
    if all(before.values()) and verified.complete:
        return verified
    still, standing = 0, StandingCopies()
    deadline = None if limit is None else time.monotonic() + limit
    with render.transfers("copying") as report:
        while True:
            found = await admin.describe_log_dirs(
                _concerned(verified), partitions=list(plan.replicas)
            ).settled()
            under_way = copies(verified, before, found)
            report(by_disk(under_way))
            there = complete_replicas(verified)
            for line in standing.on_look(
                time.monotonic(), [c for c in under_way if not there.get(c.replica, False)]
            ):
                render.note(line)
            still = 0 if verified.active else still + 1
            if verified.complete or still >= SETTLED_LOOKS:
                return verified
            if deadline is not None and time.monotonic() >= deadline:
                return verified
            await asyncio.sleep(EVERY_S)
            verified = await look(admin, plan)


def _concerned(verified: Verified) -> list[NodeId]:
    states = verified.partitions.values()
    return sorted({b for state in states for b in (*state.current, *state.target)})
