"""Plans of `spindle balance plan`, made by hand from a live cluster, without Spark."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from spindle.client.admin import AdminClient
from spindle.pipeline.proposal import ClusterProposal, DirectoryNow, PlanRequest, document
from spindle.planning.leaders import Leadership, WeightedPartition
from spindle.planning.load import Band, PlannedMove

CAPACITY = 1 << 32


def plan_file(
    path: Path,
    bootstrap: str,
    waves: Sequence[Sequence[PlannedMove]],
    tolerance: float = 0.05,
    orders: Sequence[WeightedPartition] = (),
    rates: Mapping[tuple[str, int], int] | None = None,
) -> Path:
    """Write the plan's file for these waves.

    `orders`: of partitions with other leaders; `rates`: bytes/s of each partition, evened out, too.
    """

    async def look() -> dict[str, object]:
        async with AdminClient(bootstrap) as admin:
            brokers = sorted((await admin.describe_cluster()).brokers)
            told = await admin.describe_log_dirs(brokers).all()
            topics = await admin.list_topics()
        directories = tuple(
            DirectoryNow(b, d.path, True, CAPACITY, used, used)
            for b in brokers
            for d in told[b]
            for used in [sum(log.size for log in d.current.values())]
        )
        replicas = {
            (name, p.partition): p.replicas for name, t in topics.items() for p in t.partitions
        }
        wanted = PlanRequest(Band(tolerance, 0.9, None if rates is None else tolerance))
        planned = tuple(map(tuple, waves))
        leadership = Leadership(tuple(orders), (), ()) if orders else None
        proposal = ClusterProposal(
            directories, planned, 0, (), (), wanted, leadership=leadership, rates=rates or {}
        )
        return document(proposal, replicas)

    path.write_text(json.dumps(asyncio.run(look())))
    return path
