"""`generate`: an even assignment of partitions to brokers that keeps replicas on many racks.

Pure; chance is handed in. Called by `run`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from spindle.cli.reassign.reassignment_plan import Assignment
from spindle.model.errors import Unusable
from spindle.model.ids import NodeId, TopicPartition

Racks = Mapping[NodeId, str | None]


def generate(
    current: Mapping[TopicPartition, Sequence[NodeId]], racks: Racks, rng: Random
) -> Assignment:
    """A new assignment of `current`'s partitions, with as many replicas each as they have now.

    `racks`: the brokers to use, with their racks (all None: racks do not matter). Each partition's
    replicas lie on as many racks as there are, or as it has replicas; leaders and replicas are
    spread evenly. Unusable where there are fewer brokers than replicas.
    """
    order = list(racks)
    rng.shuffle(order)
    counts = {broker: [0, 0] for broker in order}  # partitions led, replicas held
    proposed: Assignment = {}
    for name, replicas in sorted(current.items()):
        if len(replicas) > len(order):
            raise Unusable(
                f"partition {name} has {len(replicas)} replicas, but only {len(order)} brokers are"
                " given: name more brokers"
            )
        proposed[name] = _place(len(replicas), order, racks, counts)
        order.append(order.pop(0))
    return proposed


def check_racks(racks: Racks) -> None:
    """Unusable where some brokers have a rack and others none."""
    if any(racks.values()) and not all(racks.values()):
        raise Unusable(
            "Not all brokers have rack information. Add --disable-rack-aware in command line to"
            " make replica assignment without rack information."
        )


def _place(
    count: int, order: Sequence[NodeId], racks: Racks, counts: dict[NodeId, list[int]]
) -> tuple[NodeId, ...]:
    leader = min(order, key=lambda b: (counts[b][0], counts[b][1]))
    chosen = [leader]
    counts[leader][0] += 1
    while len(chosen) < count:
        used = {racks[b] for b in chosen}
        rest = [b for b in order if b not in chosen]
        fresh = [b for b in rest if racks[b] not in used] or rest
        chosen.append(min(fresh, key=lambda b: counts[b][1]))
    for broker in chosen:
        counts[broker][1] += 1
    return tuple(chosen)
