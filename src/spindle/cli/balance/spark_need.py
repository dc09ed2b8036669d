"""Whether a command needs Spark, and what it does without: one sample, or a small history.

Called by the commands of `spindle balance` that plan or read the history.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from spindle.cli import render
from spindle.cli.balance.options import home_of, is_sparks
from spindle.model.errors import Unusable
from spindle.pipeline.sampling import ClusterSample
from spindle.pipeline.single_sample import REPLICAS_MAX

if TYPE_CHECKING:
    import pyarrow as pa


def spark_need(
    remote: str | None, history: str, ahead: float = 0.0, rate_tolerance: float | None = None
) -> str | None:
    """Why this process alone is not enough; None where it is."""
    if remote:
        return "--spark-remote names a Spark"
    if "SPARK_REMOTE" in os.environ:
        return "SPARK_REMOTE names a Spark"
    if "PYSPARK_GATEWAY_PORT" in os.environ:
        return "spark-submit has started this process"
    if ahead:
        return "--ahead needs the growth in the history"
    if rate_tolerance is not None:
        return "--rate-tolerance needs the write rates in the history"
    if is_sparks(history):
        return f"the history {history} is reached through Spark"
    return None


def takes_sample(remote: str | None, spark: bool | None, replicas: int) -> bool:
    """Whether a command that plans samples so many replicas in its own process.

    It has the sample sooner than workers of Spark would have begun. They take it of a large
    cluster, and where Spark is elsewhere. `spark`: None where it depends on what is asked for.
    """
    if spark is False or not has("pyspark"):
        return True
    return spark_need(remote, "") is None and replicas <= REPLICAS_MAX


def has(package: str) -> bool:
    """Whether this installation has a package of Python."""
    return find_spec(package) is not None


def keep(sample: ClusterSample, history: str) -> str | None:
    """Add a sample to the history; its file, None where there is nothing to keep.

    Unusable where it cannot be written, or nothing writes Parquet here.
    """
    _needs_arrow()
    from spindle.pipeline.small_history import append

    try:
        return append(sample, home_of(history))
    except OSError as error:
        raise Unusable(
            f"the sample cannot be kept in {history} ({error.strerror}); name a folder that can be "
            "written by --history"
        ) from error


def small_history(history: str) -> pa.Table | None:
    """All samples of a small history; None: it is one for Spark."""
    _needs_arrow()
    from spindle.pipeline.small_history import read

    return read(home_of(history))


def _needs_arrow() -> None:
    if not has("pyarrow"):
        render.fail("pyarrow is missing: install the pipeline with pip install 'spindle[spark]'")
