"""A history in a table of a catalog, from its first sample to a forecast and a plan: a program.

`python -m tests.support.table_history TABLE [DDL]`, on the Spark that `SPARK_CONF_DIR` sets up: it
makes the table by DDL if that is given, appends samples, some of them twice, and has others put
there by hand: nine in all. It reads them back, forecasts and plans. It prints one document. For
catalogs that a session of the tests has not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from pyspark.sql import functions as F

from spindle.pipeline import forecast, history
from spindle.pipeline.past_samples import course
from spindle.pipeline.proposal import PlanRequest
from spindle.pipeline.session import Session, session
from spindle.pipeline.what_if import Changes, what_if
from spindle.planning.load import Band
from tests.pipeline.samples import NOON, row, samples, sizes

SAMPLES, TWICE, BY_HAND, APART_HOURS = 9, (0, 8), range(1, 7), 6


def main(table: str, ddl: str = "") -> None:
    """Do all of it and say what came of it."""
    spark = session("spindle tests of tables")
    if ddl:
        spark.sql(ddl)
    home = f"spark:{table}"
    for number in (n for n in range(SAMPLES) if n not in BY_HAND):
        name = _append(spark, home, number)
        assert number not in TWICE or name == _append(spark, home, number), name
    _by_hand(spark, table, (row for number in BY_HAND for row in _rows(number)))
    (filling, _) = forecast.forecast(course(spark, home))
    later = what_if(spark, home, PlanRequest(Band(0.05, 0.95)), Changes(ahead=10.0))
    told = spark.sql(f"DESCRIBE EXTENDED {table}").where("col_name = 'Provider'").collect()
    print(
        json.dumps(
            {
                "spark": spark.version, "provider": told[0]["data_type"],
                "sizes": sizes(spark, home), "samples": filling.samples,
                "growth_per_hour": filling.course and round(filling.course.slope * 3600),
                "moves": [f"{m.name} {m.source} -> {m.target}" for m in later.proposal.moves],
            }
        )
    )  # fmt: skip
    spark.stop()


def _append(spark: Session, home: str, number: int) -> str | None:
    return history.append(samples(spark, _rows(number)), home)


def _by_hand(spark: Session, table: str, rows: Iterable[dict[str, Any]]) -> None:
    """Put rows there as another program does: several samples at once."""
    made = samples(spark, list(rows))
    there = spark.table(table).columns
    made.select(
        *(F.col(name) if name in made.columns else F.lit("here").alias(name) for name in there)
    ).write.insertInto(table)


def _rows(number: int) -> list[dict[str, Any]]:
    """A sample of that number: two replicas on /a, of which one grows, and nothing on /b."""
    at = NOON + timedelta(hours=APART_HOURS * number)
    size = 100 + 10 * number
    return [
        row(1, "/a", "t-0", size, at=at, total_bytes=1000, usable=800 - size),
        row(1, "/a", "fixed-0", 100, at=at, total_bytes=1000, usable=800 - size),
        row(1, "/b", at=at, total_bytes=1001, usable=900),
    ]


if __name__ == "__main__":
    main(*sys.argv[1:])
