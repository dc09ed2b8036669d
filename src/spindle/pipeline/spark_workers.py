"""The process from which Spark's Python workers of this machine are forked, with all they need.

Each worker would import numpy, pandas, pyarrow and the planner by itself, for a second of processor
time; forked from here they have them. Spark starts one for each kind of worker: those that only
plan what a source reads need half of it. In place of `pyspark.daemon`, whose work it does (Spark's
setting `spark.python.daemon.module`). It must not write to its standard output before that.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Final

from pyspark.daemon import manager

_OF_ALL: Final = ("pyarrow", "pyspark.worker", "spindle.pipeline.sources")
_OF_ROWS: Final = (
    "numpy", "pandas", "spindle.pipeline.device_growth", "spindle.pipeline.forecast",
    "spindle.pipeline.parallel_planning",
)  # fmt: skip
"""What functions of rows use."""
_PLANNING: Final = "pyspark.sql.worker."
"""Begins the name of the modules in which sources are planned: the first argument."""


def load(kind: str) -> None:
    """Import what workers of this kind (a module of PySpark) find loaded."""
    for name in (*_OF_ALL, *(() if kind.startswith(_PLANNING) else _OF_ROWS)):
        import_module(name)


if __name__ == "__main__":
    load("".join(sys.argv[1:2]))
    manager()
