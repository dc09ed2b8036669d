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
        found: dict[str, str] = javaproperties.loads(_text(path.read_bytes()))
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}: name a readable properties file") from None
    except javaproperties.InvalidUEscapeError as error:
        raise Unusable(f"{path} is not a properties file: {error}") from None
    return resolve(found, os.environ)


def _text(content: bytes) -> str:
    """UTF-8, as editors write it, or else ISO 8859-1, which Java takes for the only one."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")
