"""`spindle replicas accept-loss --all`: many replicas that no other broker has, in one order.

What stops one replica stops no other one: each has its outcome. Called by `replicas`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spindle.client.admin import AdminClient
from spindle.client.results import ReplicaHealth
from spindle.model.errors import Failure, Refusal, Unusable
from spindle.model.ids import LogDir, NodeId, TopicPartition

WAY_OUT = "accept-loss"
"""A broker names it in the outlook of a replica that waits for it, and of no other one."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A damaged replica that no other broker has: what would be lost with it."""

    broker: NodeId
    directory: LogDir
    name: TopicPartition
    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """What came of one: an outcome in words, or why it was not done."""

    loss: Loss
    outcome: str
    failed: bool = False


def losses(
    found: Mapping[NodeId, Sequence[ReplicaHealth]], directory: LogDir | None = None
) -> list[Loss]:
    """The replicas that wait for it, in the order of their brokers, directories and names.

    One that heals by itself, or that another broker has, is not among them. Unusable where none of
    these brokers has the directory.
    """
    if directory is not None:
        directory = os.path.normpath(directory)
        there = sorted({health.path for healths in found.values() for health in healths})
        if there and directory not in there:
            raise Unusable(f"there is no log directory {directory}; there are: {', '.join(there)}")
    return [
        Loss(broker, health.path, bad.name, bad.reason)
        for broker, healths in sorted(found.items())
        for health in healths
        if directory in (None, health.path)
        for bad in sorted(health.offline, key=lambda bad: bad.name)
        if bad.damaged and WAY_OUT in bad.outlook
    ]


async def accept(admin: AdminClient, wanted: Sequence[Loss]) -> list[Ended]:
    """Accept these losses one after the other, past those that fail."""
    ended = []
    for loss in wanted:
        try:
            words = await admin.repair_replica(loss.broker, loss.name, accept_loss=True)
        except (Failure, Refusal) as why:
            ended.append(Ended(loss, str(why), failed=True))
        else:
            ended.append(Ended(loss, words))
    return ended
