"""A plan as the JSON of kafka-reassign-partitions: `log_dirs` named where a replica moves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spindle.planning.load import PlannedMove

ANY = "any"
"""The tool's word for: leave this replica in the directory where it is."""


Brokers = Mapping[tuple[str, int], tuple[int, ...]]
"""Those of each partition, the preferred leader first."""


def placed(
    moves: Iterable[PlannedMove], replicas: Brokers
) -> dict[tuple[str, int], tuple[int, ...]]:
    """The brokers of the partitions of these moves when those are done.

    The broker that takes a replica stands in the list where the other stood, so that preferred
    leadership goes with the replica. A partition that is not there any more, or not on the move's
    broker, is left out.
    """
    brokers: dict[tuple[str, int], tuple[int, ...]] = {}
    for move in moves:
        key = (move.topic, move.partition)
        now = brokers.get(key, replicas.get(key, ()))
        if move.broker in now:
            brokers[key] = tuple(move.to if broker == move.broker else broker for broker in now)
    return brokers


def reassignment(
    moves: Iterable[PlannedMove], replicas: Brokers, orders: Brokers | None = None
) -> dict[str, object]:
    """The tool's document (version 1) for moves; `replicas` are the brokers of each partition.

    `orders`: the new orders of partitions with another preferred leader.
    """
    moves = list(moves)
    brokers = placed(moves, replicas)
    wanted: dict[tuple[str, int], dict[int, str]] = {}
    for move in moves:
        key = (move.topic, move.partition)
        if key in brokers:
            dirs = wanted.setdefault(key, {})
            dirs.pop(move.broker, None)
            dirs[move.to] = move.target
    for key, order in (orders or {}).items():
        brokers[key] = order
        wanted.setdefault(key, {})
    return {
        "version": 1,
        "partitions": [
            {
                "topic": topic,
                "partition": partition,
                "replicas": list(brokers[topic, partition]),
                "log_dirs": [dirs.get(broker, ANY) for broker in brokers[topic, partition]],
            }
            for (topic, partition), dirs in sorted(wanted.items())
        ],
    }
