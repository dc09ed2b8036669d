"""What Spark says in hundreds of lines, in one. Called by the commands that run Spark."""

from __future__ import annotations

import re


def core(words: str) -> str:
    """What matters of an error: its first line and its cause; of one of Spindle's its words alone.

    The cause is the last line of a Python traceback in it, where there is one.
    """
    told = words.partition("JVM stacktrace")[0]
    causes = [line.strip() for line in told.splitlines() if re.match(r"[\w.]*[A-Z]\w*: \S", line)]
    own = re.fullmatch(r"spindle\.[\w.]*: (.*)", causes[-1]) if causes else None
    if own is not None:
        return own[1]
    begin = told.partition("Traceback (most recent call last)")[0].strip()
    first = begin.splitlines()[0].rstrip(": ") if begin else ""
    parts = dict.fromkeys(part for part in (first, *causes[-1:]) if part)
    return "; ".join(parts) or "no message"
