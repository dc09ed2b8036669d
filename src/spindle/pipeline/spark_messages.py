"""What Spark says in hundreds of lines, in one. Called by the commands that run Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

from spindle.model.errors import Unusable

_QUERY_LOGGERS: Final = ("DataFrameQueryContextLogger", "SQLQueryContextLogger")
"""PySpark writes there to stderr what it raises as well, with all of Java's stack."""
_OF_JAVA: Final = re.compile(r"(?:Caused by)?: (?:[\w$]+\.)+([\w$]+): (\S.*)")


@contextmanager
def in_few_words(doing: str = "sample and plan") -> Iterator[None]:
    """What Spark says in hundreds of lines becomes Unusable with one."""
    for name in _QUERY_LOGGERS:
        PySparkLogger.getLogger(name).disabled = True
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:  # The second: PySpark has no kind for it.
        raise Unusable(f"Spark could not {doing}: {core(str(error))}") from error


def core(words: str) -> str:
    """What matters of an error: its first line and its cause; of one of Spindle's its words alone.

    The cause is the last line of a Python traceback in it, where there is one, or Java's last.
    """
    lines = words.splitlines() if words.startswith("An error occurred while calling") else []
    if thrown := [found for line in lines if (found := _OF_JAVA.fullmatch(line.strip()))]:
        (_, begin), (kind, cause) = thrown[0].groups(), thrown[-1].groups()
        return begin if len(thrown) == 1 else f"{begin}; {kind}: {cause}"
    told = words.partition("JVM stacktrace")[0]
    causes = [line.strip() for line in told.splitlines() if re.match(r"[\w.]*[A-Z]\w*: \S", line)]
    own = re.fullmatch(r"spindle\.[\w.]*: (.*)", causes[-1]) if causes else None
    if own is not None:
        return own[1]
    begin = told.partition("Traceback (most recent call last)")[0].strip()
    first = begin.splitlines()[0].rstrip(": ") if begin else ""
    parts = dict.fromkeys(part for part in (first, *causes[-1:]) if part)
    return "; ".join(parts) or "no message"
