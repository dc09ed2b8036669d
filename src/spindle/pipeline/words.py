"""What Spark says in hundreds of lines, in one. Called by whoever runs Spark for a command."""

from __future__ import annotations

import re


def core(words: str) -> str:
    """What matters of an error: its first line and its cause.

    The cause is the last line of a Python traceback in it, where there is one.
    """
    told = words.partition("JVM stacktrace")[0].splitlines()
    causes = [line.strip() for line in told if re.match(r"[\w.]*[A-Z]\w*: \S", line)]
    return "; ".join(dict.fromkeys([told[0] if told else "it says nothing", *causes[-1:]]))
