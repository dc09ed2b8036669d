"""Named profiles: which addresses and which file of properties `-p NAME` stands for.

Kept in one file of the user's configuration, 0600. It holds no secret: those stay in the file that
a profile names. Called by `profile` and `connecting`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from spindle.model.errors import Unusable

_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Profile:
    """What a name stands for."""

    bootstrap: str
    command_config: Path | None


def place() -> Path:
    """The file of profiles."""
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "spindle" / "profiles.json"


def read_profiles() -> dict[str, Profile]:
    """All profiles by name; Unusable where the file cannot be read."""
    path = place()
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["version"] != _VERSION:
            raise Unusable(f"{path} is of version {document['version']}, which is too new")
        return {
            str(name): Profile(
                str(entry["bootstrap"]),
                Path(entry["commandConfig"]) if entry.get("commandConfig") else None,
            )
            for name, entry in document["profiles"].items()
        }
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unusable(f"{path} is damaged: delete it and add the profiles again") from None


def write_profiles(profiles: dict[str, Profile]) -> None:
    """Replace the file by these profiles."""
    path = place()
    entries = {
        name: {
            "bootstrap": profile.bootstrap,
            "commandConfig": str(profile.command_config) if profile.command_config else None,
        }
        for name, profile in sorted(profiles.items())
    }
    text = json.dumps({"version": _VERSION, "profiles": entries}, indent=1)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text + "\n")
        fresh.rename(path)
    except OSError as error:
        raise Unusable(f"cannot write {path}: {error.strerror}") from None


def find_profile(name: str) -> Profile:
    """A profile by its name; Unusable names those that there are."""
    known = read_profiles()
    if name not in known:
        there = ", ".join(sorted(known)) or "none"
        raise Unusable(
            f"there is no profile {name}; there are: {there} (spindle profile add {name} -b ...)"
        )
    return known[name]
