"""Plans each broker's moves in parallel, some brokers a Spark task; the planner is plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spindle.pipeline.proposal import Wanted
from spindle.pipeline.schemas import MOVE, arrow
from spindle.pipeline.whole import Racks, cluster_from
from spindle.planning.broker import plan_broker
from spindle.planning.load import BrokerPlan, DirectoryLoad, ReplicaLoad
from spindle.planning.whole import plan_cluster

WHOLE = -1
"""In place of a broker's number: the row is about the cluster."""
TASKS = 32
"""Among which the brokers are shared out: a task has a price, however little there is to plan."""
_NO_MOVE = dict.fromkeys(("topic", "partition", "source", "target", "size", "wave", "destination"))
_Batches = Iterable[pa.RecordBatch]


def plan(
    now: DataFrame,
    directories: DataFrame,
    wanted: Wanted,
    racks: Racks | None = None,
) -> DataFrame:
    """The plan of every broker (schema MOVE) from its newest sample and its directories' load.

    Where replicas may go between brokers it is one plan, with `racks` of the brokers kept.
    """
    replicas = now.where(F.col("topic").isNotNull()).select(
        "broker", "directory", "topic", "partition", "size", "is_future"
    )
    joined = directories.join(replicas, ["broker", "directory"], "left")
    if wanted.between:
        return joined.repartition(1).mapInArrow(_whole_planner(wanted, dict(racks or {})), MOVE)
    return joined.repartition(TASKS, "broker").mapInArrow(_planner(wanted), MOVE)


def _whole_planner(wanted: Wanted, racks: Racks) -> Callable[[_Batches], Iterator[pa.RecordBatch]]:
    def run(batches: _Batches) -> Iterator[pa.RecordBatch]:
        kept = [batch for batch in batches if batch.num_rows]
        if not kept:
            return
        cluster = cluster_from(pa.Table.from_batches(kept), wanted, racks)
        found = plan_cluster(cluster, wanted.band, wanted.limits, between=True)
        moves = [(n, move) for n, wave in enumerate(found.by_wave()) for move in wave]
        common: dict[str, object] = {"bound": 0, "notes": []}
        rows = [{**move._asdict(), **common, "wave": n} for n, move in moves]
        rows.append({**_NO_MOVE, "broker": WHOLE, "bound": found.bound, "notes": [*found.notes]})
        yield pa.RecordBatch.from_pylist(rows, schema=arrow(MOVE))

    return run


def _planner(wanted: Wanted) -> Callable[[_Batches], Iterator[pa.RecordBatch]]:
    def run(batches: _Batches) -> Iterator[pa.RecordBatch]:
        kept = [batch for batch in batches if batch.num_rows]
        if not kept:
            return
        rows = pa.Table.from_batches(kept)
        for broker in sorted(pc.unique(rows["broker"]).to_pylist()):
            own = rows.filter(pc.equal(rows["broker"], broker)).to_pylist()
            result = _plan(broker, own, wanted)
            yield pa.RecordBatch.from_pylist(_rows(result), schema=arrow(MOVE))

    return run


def _plan(
    broker: int,
    rows: Sequence[dict[str, object]],
    wanted: Wanted,
) -> BrokerPlan:
    untold = sorted({str(r["directory"]) for r in rows if r["online"] and r["capacity"] is None})
    if untold:
        note = (
            f"nothing is planned: the broker does not tell the space of {', '.join(untold)} "
            "(Apache Kafka tells it from 3.3 on)"
        )
        return BrokerPlan(broker, (), 0, (), (), (note,))
    own = _directories(broker, rows, wanted)
    return plan_broker(broker, own, _replicas(rows), wanted.band, *wanted.limits)


def _directories(
    broker: int, rows: Sequence[dict[str, object]], wanted: Wanted
) -> list[DirectoryLoad]:
    loads: dict[str, DirectoryLoad] = {}
    for row in rows:
        path = str(row["directory"])
        name = f"{broker}:{path}"
        usable = bool(row["online"]) and not row["cordoned"] and name not in wanted.exclude
        capacity = row["capacity"]
        if row["online"] and isinstance(capacity, int):
            loads[path] = DirectoryLoad(path, capacity, usable, name in wanted.drain)
    return list(loads.values())


def _replicas(rows: Sequence[dict[str, object]]) -> list[ReplicaLoad]:
    """Replicas as they are; one that is moving counts where it goes, and stays there."""
    placed: dict[tuple[str, int], ReplicaLoad] = {}
    for row in rows:
        if row["topic"] is None or not row["online"]:
            continue
        key = (str(row["topic"]), int(str(row["partition"])))
        moving = bool(row["is_future"])
        size = int(str(row["size"]))
        known = placed.get(key)
        if known is None:
            placed[key] = ReplicaLoad(*key, str(row["directory"]), size, moving)
        elif moving:
            placed[key] = ReplicaLoad(*key, str(row["directory"]), max(size, known.size), True)
        else:
            placed[key] = known._replace(size=max(size, known.size))
    return list(placed.values())


def _rows(result: BrokerPlan) -> list[dict[str, object]]:
    common = {"broker": result.broker, "bound": result.bound, "notes": list(result.notes)}
    rows: list[dict[str, object]] = []
    wave, left = 0, list(result.waves)
    for move in result.moves:
        while left and left[0] == 0:
            wave, left = wave + 1, left[1:]
        left[0] -= 1
        rows.append({**move._asdict(), **common, "wave": wave})
    if not rows:
        rows.append({**_NO_MOVE, **common})
    return rows
