"""Tells others that a run has ended: a command with JSON on its input, or a URL that gets it.

What goes wrong here is a warning and changes nothing of how the run ended. Called by `spindle
balance apply --on-end`.
"""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Mapping
from typing import Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from spindle.cli import render
from spindle.model.errors import Unusable

_LIMIT_SECONDS: Final = 30.0
_SCHEMES: Final = ("http", "https")


def check(on_end: str) -> None:
    """Unusable where it is neither a command nor a URL: said before the run, not after it."""
    if "://" in on_end and urlsplit(on_end).scheme not in _SCHEMES:
        raise Unusable(f"--on-end {on_end!r}: write a command, or a URL of http or https")
    try:
        words = shlex.split(on_end)
    except ValueError as error:
        raise Unusable(f"--on-end {on_end!r} is no command: {error}") from None
    if not words:
        raise Unusable("--on-end is empty: write a command, or a URL of http or https")


def tell(on_end: str, ended: Mapping[str, object]) -> None:
    """Run the command, or post to the URL."""
    data = json.dumps(ended).encode()
    try:
        if urlsplit(on_end).scheme in _SCHEMES:
            headers = {"Content-Type": "application/json"}
            urlopen(Request(on_end, data, headers), timeout=_LIMIT_SECONDS).close()
            return
        command = shlex.split(on_end)
        done = subprocess.run(command, input=data, timeout=_LIMIT_SECONDS, check=False)
    except (OSError, URLError, subprocess.TimeoutExpired) as error:
        # Not the whole of it: a URL of a webhook is a secret, and a command may hold one.
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or "no answer"
        render.warn(f"--on-end did not succeed: {reason}")
        return
    if done.returncode:
        render.warn(f"--on-end did not succeed: {command[0]} ended with {done.returncode}")
