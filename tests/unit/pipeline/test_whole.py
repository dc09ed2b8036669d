"""A cluster from the pipeline's rows: the same as from lists, whatever is offline or moving."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from spindle.pipeline.cluster_columns import cluster_from
from spindle.pipeline.proposal import PlanRequest
from spindle.planning.capacities import Capacities
from spindle.planning.cluster_model import BrokerLoad, cluster_of
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.load import Band, DirectoryLoad, ReplicaLoad

RACKS = {1: "r1", 2: "r2", 3: "r1"}
SCHEMA = pa.schema(
    [
        ("broker", pa.int32()), ("directory", pa.string()), ("online", pa.bool_()),
        ("cordoned", pa.bool_()), ("capacity", pa.int64()), ("topic", pa.string()),
        ("partition", pa.int32()), ("size", pa.int64()), ("is_future", pa.bool_()),
        ("rate", pa.float64()),
    ]
)  # fmt: skip


def row(
    broker: int, directory: str, name: tuple[str, int] | None = None, size: int = 0, **rest: Any
) -> dict[str, Any]:
    topic, partition = name or (None, None)
    return {
        "broker": broker, "directory": directory, "online": True, "cordoned": False,
        "capacity": 1000, "topic": topic, "partition": partition, "size": size if name else None,
        "is_future": False if name else None, "rate": 0.0 if name else None, **rest,
    }  # fmt: skip


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)


def known(rows: pa.Table) -> Capacities:
    told = {
        (r["broker"], r["directory"]): r["capacity"]
        for r in rows.to_pylist()
        if r["capacity"] is not None
    }
    return Capacities(told, (), {})


@pytest.mark.spec("P-04")
def test_rows_become_the_cluster_that_lists_would_be() -> None:
    rows = table(
        row(2, "/b", ("u", 0), 30),
        row(1, "/a", ("t", 10), 70),
        row(1, "/a", ("t", 2), 50),
        row(2, "/b", ("t", 2), 55),
        row(3, "/a"),
        row(1, "/c", cordoned=True),
        row(3, "/dead", ("t", 10), 1, online=False),
        row(3, "/untold", ("t", 10), 1, capacity=None),
        # t-10 moves from /a to /c: half of it is there.
        row(1, "/c", ("t", 10), 35, is_future=True, cordoned=True),
    )
    wanted = PlanRequest(Band(), ("2:/b",), ("3:/a",))
    found = cluster_from(rows, wanted, RACKS, known(rows))
    same = cluster_of(
        [BrokerLoad(b, RACKS[b]) for b in (1, 2, 3)],
        {
            1: [DirectoryLoad("/a", 1000), DirectoryLoad("/c", 1000, open=False)],
            2: [DirectoryLoad("/b", 1000, drain=True)],
            3: [DirectoryLoad("/a", 1000, open=False)],
        },
        {
            1: [ReplicaLoad("t", 10, "/c", 70, pinned=True), ReplicaLoad("t", 2, "/a", 50)],
            2: [ReplicaLoad("u", 0, "/b", 30), ReplicaLoad("t", 2, "/b", 55)],
            3: [],
        },
    )
    assert found.brokers == same.brokers
    assert found.directories == same.directories
    assert found.owner == same.owner
    assert list(found.partitions.topics) == list(same.partitions.topics)
    assert all(
        found.partitions.name(n) == same.partitions.name(n) for n in range(len(same.partitions[1]))
    )
    for mine, theirs in zip(found.replicas, same.replicas, strict=True):
        assert np.array_equal(mine, theirs)


def test_a_cluster_without_replicas_is_one() -> None:
    rows = table(row(1, "/a"), row(2, "/a"))
    found = cluster_from(rows, PlanRequest(), {}, known(rows))
    assert plan_cluster(found, Band(), between=True).moves == ()


def test_replicas_go_to_an_empty_broker_and_racks_are_kept() -> None:
    replicas = [row(b, "/a", ("t", n), 100) for n in range(6) for b in (1, 2)]
    rows = table(*replicas, row(3, "/a"))
    found = cluster_from(rows, PlanRequest(Band(0.1)), RACKS, known(rows))
    moves = plan_cluster(found, Band(0.1), between=True).moves
    assert moves
    assert {(m.broker, m.to) for m in moves} == {(1, 3)}, "2 is the other rack"
