"""Whether moves of a plan are done, as the cluster shows them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from spindle.cli.balance.cluster_look import verify
from spindle.client.results import (
    PartitionDescription,
    Replica,
    ReplicaLogDirs,
    TopicDescription,
)
from spindle.planning.load import PlannedMove

MOVE = PlannedMove(1, "t", 0, "/a", "/b", 100, destination=2)


class Answered:
    """An answer about several things."""

    def __init__(self, found: Mapping[Any, Any]) -> None:
        self._found = found

    async def settled(self) -> Mapping[Any, Any]:
        return self._found


class Cluster:
    """What the AdminClient is asked here: the replica is in its place, the topic as given."""

    def __init__(self, topic: TopicDescription | Exception) -> None:
        self._topic = topic

    def describe_replica_log_dirs(
        self, replicas: list[Replica], timeout: float | None = None
    ) -> Answered:
        return Answered({replica: ReplicaLogDirs("/b", 0, 100) for replica in replicas})

    def describe_topics(self, names: list[str], timeout: float | None = None) -> Answered:
        return Answered({"t": self._topic})


def topic(isr: tuple[int, ...]) -> TopicDescription:
    return TopicDescription("t", None, False, (PartitionDescription(0, 3, 1, (2, 3), isr, ()),))


@pytest.mark.spec("P-08")
@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        (topic((3, 2)), []),
        (topic((3,)), [(MOVE, "in /b, but not in sync")]),
        (ConnectionError(), [(MOVE, "in /b; whether it is in sync could not be asked")]),
    ],
)
def test_a_replica_from_another_broker_is_in_place_once_it_is_in_sync(
    told: TopicDescription | Exception, wrong: list[tuple[PlannedMove, str]]
) -> None:
    admin: Any = Cluster(told)
    assert asyncio.run(verify(admin, [MOVE])) == wrong


def test_a_replica_that_stays_on_its_broker_is_judged_by_its_directory() -> None:
    admin: Any = Cluster(topic(()))
    assert asyncio.run(verify(admin, [MOVE._replace(destination=-1)])) == []
