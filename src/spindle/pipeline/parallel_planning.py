"""Plans each broker's moves in parallel, some brokers a Spark task; the planner is plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spindle.pipeline.cluster_columns import cluster_from
from spindle.pipeline.proposal import PlanRequest
from spindle.pipeline.schemas import MOVE, arrow
from spindle.planning.assigned_replicas import AssignedReplicas, complete
from spindle.planning.capacities import Capacities
from spindle.planning.cluster_planner import plan_cluster
from spindle.planning.load import Plan

UNASKED = AssignedReplicas()
WHOLE = -1
"""In place of a broker's number: the row is about all brokers that were planned together."""
TASKS = 32
"""Among which the brokers are shared out, at most."""
BROKERS_PER_TASK = 100
"""A task has a price, however little there is to plan."""
_NO_MOVE = dict.fromkeys(
    ("topic", "partition", "source", "target", "size", "wave", "destination", "rate")
)
_Batches = Iterable[pa.RecordBatch]


def plan(
    now: DataFrame,
    directories: DataFrame,
    wanted: PlanRequest,
    known: Capacities,
    assigned: AssignedReplicas = UNASKED,
    brokers: int = TASKS * BROKERS_PER_TASK,
) -> DataFrame:
    """The plan (schema MOVE) from each broker's newest sample and its directories' load.

    `now` may have a column `write_rate` (bytes/s). Where replicas may go between brokers it is one
    plan, with the racks of the brokers kept; else it is made in tasks, as many as so many brokers
    ask for. `known`: what directories can hold; `assigned`: what the metadata has.
    """
    rate = F.col("write_rate") if "write_rate" in now.columns else F.lit(None)
    replicas = now.where(F.col("topic").isNotNull()).select(
        "broker", "directory", "topic", "partition", "size", "is_future",
        F.coalesce(rate, F.lit(0.0)).cast("double").alias("rate"),
    )  # fmt: skip
    kinds = directories.select("broker", "directory", "online", "cordoned")
    rows = replicas.unionByName(kinds, allowMissingColumns=True)
    if wanted.between:
        return rows.repartition(1).mapInArrow(_planner(wanted, known, assigned), MOVE)
    tasks = max(2, min(TASKS, brokers // BROKERS_PER_TASK))
    return rows.repartition(tasks, "broker").mapInArrow(_planner(wanted, known, assigned), MOVE)


def _planner(
    wanted: PlanRequest, known: Capacities, assigned: AssignedReplicas
) -> Callable[[_Batches], Iterator[pa.RecordBatch]]:
    def run(batches: _Batches) -> Iterator[pa.RecordBatch]:
        kept = [batch for batch in batches if batch.num_rows]
        if not kept:
            return
        racks = assigned.racks if wanted.between else {}
        cluster = cluster_from(pa.Table.from_batches(kept), wanted, racks, known)
        full = complete(cluster, assigned, wanted.load, wanted.between)
        found = plan_cluster(
            full.cluster, wanted.band, wanted.limits, wanted.between, wanted.mend_racks
        )
        yield pa.RecordBatch.from_pylist(_rows(found, full.notes), schema=arrow(MOVE))

    return run


def _rows(found: Plan, notes: tuple[str, ...]) -> list[dict[str, object]]:
    common: dict[str, object] = {"bound": 0, "notes": []}
    rows = [
        {**move._asdict(), **common, "wave": n}
        for n, wave in enumerate(found.by_wave())
        for move in wave
    ]
    told = [*notes, *found.notes]
    rows.append({**_NO_MOVE, "broker": WHOLE, "bound": found.bound, "notes": told})
    return rows
