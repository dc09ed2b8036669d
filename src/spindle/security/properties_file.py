"""A properties file as names and values, variables replaced (N-02).

Called for nodes by `runtime/server` and for clients by `client_properties`.
"""

from __future__ import annotations

import os
from pathlib import Path

import javaproperties

from spindle.model.errors import Unusable
from spindle.security.providers import resolve


def read_properties(path: Path) -> dict[str, str]:
    """A properties file with its variables replaced. Unusable names the file and what is wrong."""
    try:
        found: dict[str, str] = javaproperties.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}: name a readable properties file") from None
    except (UnicodeDecodeError, javaproperties.InvalidUEscapeError) as error:
        raise Unusable(f"{path} is not a properties file: {error}") from None
    return resolve(found, os.environ)
