"""One plan of a large cluster, as a program of its own: from a sample, through Spark, to JSON.

python -m bench.planned SAMPLE.parquet PLAN.json

Run, timed and weighed by the bench of the planner. It imports what a plan needs, nothing else.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from itertools import starmap
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spindle.pipeline import directory_loads, history, parallel_planning
from spindle.pipeline.assembly import capacities
from spindle.pipeline.job import uses
from spindle.pipeline.proposal import PlanRequest
from spindle.pipeline.session import session
from spindle.planning.load import Band, PlannedMove
from spindle.planning.reassignment_json import reassignment


def main(sample: str, document: str) -> None:
    """Plan, and tell on the way how far it is."""
    began = time.monotonic()

    def at(what: str) -> None:
        print(f"{what} after {time.monotonic() - began:.1f} s", file=sys.stderr)

    spark = session("spindle bench")
    at("Spark has started")
    now = directory_loads.told(history.read_files(spark, [sample]))
    there, wanted = uses(directory_loads.directories(now)), PlanRequest(Band(0.01))
    planned = parallel_planning.plan(now, there, wanted, capacities(there, wanted))
    moving = planned.where("topic is not null").toArrow()
    at("planned")
    names = moving.group_by(["topic", "partition"]).aggregate([])
    replicas = _replicas(now, spark.createDataFrame(names))
    at("replicas looked up")
    moves = list(starmap(PlannedMove, _rows(moving, PlannedMove._fields[:6])))
    Path(document).write_text(json.dumps(reassignment(moves, replicas)))
    spark.stop()
    at("written")


def _replicas(now: DataFrame, names: DataFrame) -> dict[tuple[str, int], tuple[int, ...]]:
    """The brokers of each of these partitions."""
    columns = ("topic", "partition", "broker")
    there = now.where("not is_future").select(*columns)
    found = there.join(F.broadcast(names), ["topic", "partition"]).toArrow()
    brokers: dict[tuple[str, int], tuple[int, ...]] = {}
    for topic, partition, broker in sorted(_rows(found, columns)):
        brokers[topic, partition] = (*brokers.get((topic, partition), ()), broker)
    return brokers


def _rows(table: pa.Table, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
    return zip(*(table[name].to_pylist() for name in columns), strict=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
