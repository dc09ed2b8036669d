"""Many command lines of Apache Kafka's tools, one after the other."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support.apache_kafka import ToolResult, run_tool


def run_cases(jars: Path, cases: Sequence[tuple[str, ...]], seconds: float) -> list[ToolResult]:
    """What each answers, within so many seconds together. A case: a tool's class, its arguments."""
    deadline = time.monotonic() + seconds
    return [
        run_tool(jars, *case, seconds=max(1, math.ceil(deadline - time.monotonic())))
        for case in cases
    ]
