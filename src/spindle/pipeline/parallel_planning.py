"""Plans each broker's moves in parallel, some brokers a Spark task; the planner is plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spindle.pipeline.assembly import DirectoryUse
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
REPLICAS_OF_ONE_TASK = 50_000
"""So many are planned in a quarter of a second: to share them out would take longer."""
_NO_MOVE = dict.fromkeys(
    ("topic", "partition", "source", "target", "size", "wave", "destination", "rate")
)
_Batches = Iterable[pa.RecordBatch]
_KINDS = pa.schema(
    [
        ("broker", pa.int32()), ("directory", pa.string()), ("online", pa.bool_()),
        ("cordoned", pa.bool_()),
    ]
)  # fmt: skip


def plan(
    now: DataFrame,
    there: Sequence[DirectoryUse],
    wanted: PlanRequest,
    known: Capacities,
    assigned: AssignedReplicas = UNASKED,
    replicas: int = REPLICAS_OF_ONE_TASK + 1,
) -> DataFrame:
    """The plan (schema MOVE) from each broker's newest sample and its directories.

    `now` may have a column `write_rate` (bytes/s), and has so many `replicas`. Where replicas may
    go between brokers it is one plan, with the racks of the brokers kept; else it is made in tasks,
    as many as so many brokers ask for, and in one if there are few replicas. `known`: what
    directories can hold; `assigned`: what the metadata has.
    """
    rate = F.col("write_rate") if "write_rate" in now.columns else F.lit(None)
    rows = now.select(
        "broker", "directory", "topic", "partition", "size", "is_future",
        F.coalesce(rate, F.lit(0.0)).cast("double").alias("rate"),
    )  # fmt: skip
    if replicas <= REPLICAS_OF_ONE_TASK:
        shared = rows.coalesce(1)
    elif wanted.between:
        shared = rows.repartition(1)
    else:
        brokers = len({use.broker for use in there})
        shared = rows.repartition(max(2, min(TASKS, brokers // BROKERS_PER_TASK)), "broker")
    return shared.mapInArrow(_planner(there, wanted, known, assigned), MOVE)


def _planner(
    there: Sequence[DirectoryUse], wanted: PlanRequest, known: Capacities,
    assigned: AssignedReplicas,
) -> Callable[[_Batches], Iterator[pa.RecordBatch]]:  # fmt: skip
    def run(batches: _Batches) -> Iterator[pa.RecordBatch]:
        kept = [batch for batch in batches if batch.num_rows]
        if not kept:
            return
        racks = assigned.racks if wanted.between else {}
        rows = _with(pa.Table.from_batches(kept), there, wanted.between)
        cluster = cluster_from(rows, wanted, racks, known)
        full = complete(cluster, assigned, wanted.load, wanted.between)
        found = plan_cluster(
            full.cluster, wanted.band, wanted.limits, wanted.between, wanted.mend_racks
        )
        yield pa.RecordBatch.from_pylist(_rows(found, full.notes), schema=arrow(MOVE))

    return run


def _with(replicas: pa.Table, there: Sequence[DirectoryUse], between: bool) -> pa.Table:
    """The rows of a task, and those of its brokers' directories."""
    brokers = set(pc.unique(replicas["broker"]).to_pylist())
    kinds = [
        {"broker": d.broker, "directory": d.path, "online": d.online, "cordoned": d.cordoned}
        for d in there
        if between or d.broker in brokers
    ]
    own = pa.Table.from_pylist(kinds, schema=_KINDS)
    return pa.concat_tables([replicas, own], promote_options="default")


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
