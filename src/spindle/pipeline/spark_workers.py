"""The process from which Spark's Python workers of this machine are forked, with all they need.

Each worker would import numpy, pandas, pyarrow and the planner by itself, for a second of processor
time; forked from here they have them. Spark starts one for each kind of worker: those that only
plan what a source reads need half of it. In place of `pyspark.daemon`, whose work it does (Spark's
setting `spark.python.daemon.module`). It must not write to its standard output before that.

PySpark itself comes from where it is installed. Spark names its archive of it first, and out of
that each process would compile all that it loads, for most of a second.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

_OF_ALL: Final = ("pyarrow", "pyspark.worker", "spindle.pipeline.sources")
_OF_ROWS: Final = (
    "numpy", "pandas", "spindle.pipeline.device_growth", "spindle.pipeline.forecast",
    "spindle.pipeline.parallel_planning",
)  # fmt: skip
"""What functions of rows use."""
_ARCHIVE: Final = "pyspark.zip"
_PLANNING: Final = "pyspark.sql.worker."
"""Begins the name of the modules in which sources are planned: the first argument."""


def load(kind: str) -> None:
    """Import what workers of this kind (a module of PySpark) find loaded."""
    for name in (*_OF_ALL, *(() if kind.startswith(_PLANNING) else _OF_ROWS)):
        import_module(name)


def without_archive(paths: Sequence[str]) -> list[str]:
    """Where to look for modules: not in PySpark's archive, if that is part of the one installed."""
    rest = [path for path in paths if Path(path).name != _ARCHIVE]
    found = PathFinder.find_spec("pyspark", rest)
    installed = [Path(place) for place in (found and found.submodule_search_locations) or ()]
    archives = [Path(path) for path in paths if Path(path).name == _ARCHIVE]
    own = all(any(place in archive.parents for place in installed) for archive in archives)
    return rest if own else list(paths)


if __name__ == "__main__":
    sys.path[:] = without_archive(sys.path)
    load("".join(sys.argv[1:2]))
    import_module("pyspark.daemon").manager()
