"""The process from which Spark's Python workers of this machine are forked, with all they need.

Each worker would import numpy, pandas, pyarrow and the planner by itself, for a second of processor
time; forked from here they have them. In place of `pyspark.daemon`, whose work it does (Spark's
setting `spark.python.daemon.module`). It must not write to its standard output before that.
"""

from __future__ import annotations

import numpy
import pandas
import pyarrow
import pyspark.worker
from pyspark.daemon import manager

from spindle.pipeline import device_growth, forecast, parallel_planning, sources

LOADED = (
    numpy, pandas, pyarrow, pyspark.worker, device_growth, forecast, parallel_planning, sources,
)  # fmt: skip
"""What the workers find loaded."""

if __name__ == "__main__":
    manager()
