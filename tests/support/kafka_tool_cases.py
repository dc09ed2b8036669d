"""Many command lines of Apache Kafka's tools in one Java process, which costs one start."""

from __future__ import annotations

import base64
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.support.apache_kafka import ToolResult, java
from tests.support.processes import tied

SOURCE = Path(__file__).parent / "java" / "ToolCases.java"


def run_cases(jars: Path, cases: Sequence[tuple[str, ...]], seconds: float) -> list[ToolResult]:
    """What each answers. A case: a tool's class and its arguments."""
    done = subprocess.run(
        tied(java(jars, str(SOURCE))),
        input="".join("\t".join(case) + "\n" for case in cases),
        capture_output=True, text=True, timeout=seconds, check=True,
    )  # fmt: skip
    return [_result(line) for line in done.stdout.splitlines()]


def _result(line: str) -> ToolResult:
    code, *streams = line.split(" ")
    out, err = (base64.b64decode(text.removesuffix(".")).decode() for text in streams)
    return ToolResult(int(code), out, err)
