"""What a release brings, in the lines of `kafka-storage`: its features' levels, and what a level of
a feature needs.

Tells what this installation's `format` finalizes and its nodes serve, which may be less than Apache
Kafka's (N-04). Used by `kafka-storage` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from spindle.model.errors import Unusable
from spindle.model.feature_rules import (
    ELIGIBLE_LEADER_REPLICAS,
    ELR_VERSION,
    FINALIZED,
    KRAFT_VERSION,
    METADATA_VERSION,
    RELEASES,
    SERVED,
    TRANSACTION_VERSION,
    finalized_at,
)

Say = Callable[[str], None]

_DYNAMIC_QUORUM: Final = 21
"""The metadata.version from which a dynamic quorum is Kafka's default (KIP-853)."""
_NEEDS: Final = {(ELR_VERSION, 1): {METADATA_VERSION: ELIGIBLE_LEADER_REPLICAS}}
"""Levels of features that need levels of others."""
_ORDER: Final = (
    KRAFT_VERSION,
    TRANSACTION_VERSION,
    "group.version",
    ELR_VERSION,
    "share.version",
    "streams.version",
)


def level_of(release: str) -> int:
    """A level of metadata.version by its name; `4.2` means the last one of that release."""
    found = [lv for name, lv in RELEASES.items() if release in (name, name.partition("-")[0])]
    if not found:
        raise Unusable(
            f"Unknown metadata.version '{release}'. Supported metadata.version are:"
            f" {', '.join(RELEASES)}"
        )
    return max(found)


def say_mapping(release: str | None, say: Say) -> None:
    """The levels that a cluster gets which is formatted for a release."""
    level = FINALIZED[METADATA_VERSION] if release is None else level_of(release)
    levels = finalized_at(level)
    if level >= _DYNAMIC_QUORUM:
        levels[KRAFT_VERSION] = 1
    say(f"{METADATA_VERSION}={level} ({release or _name_of(level)})")
    for name in _ORDER:
        say(f"{name}={levels.get(name, 0)}")


def say_dependencies(wishes: Sequence[str], say: Say) -> None:
    """What each of these levels of features needs. Unusable for one that is not served."""
    for name, level in map(_feature, wishes):
        shown = f"{name}={level}"
        if name == METADATA_VERSION:
            shown += f" ({_name_of(level)})"
        needed = _NEEDS.get((name, level), {})
        say(f"{shown} requires:" if needed else f"{shown} has no dependencies.")
        for other, least in needed.items():
            say(f"    {other}={least} ({_name_of(least)})")


def _feature(wish: str) -> tuple[str, int]:
    name, equals, text = wish.partition("=")
    if not equals or "=" in text:
        raise Unusable(
            f"Invalid feature format: {wish}. Expected format: 'feature=version'"
            " (e.g. 'group.version=1')"
        )
    try:
        level = int(text)
    except ValueError:
        raise Unusable(f"Invalid version format: {text} for feature {name}") from None
    if name not in SERVED:
        raise Unusable(f"Unknown feature: {name}")
    if name == METADATA_VERSION and level not in RELEASES.values():
        raise Unusable(f"Unknown {METADATA_VERSION} {level}")
    if not SERVED[name].min <= level <= SERVED[name].max:
        raise Unusable(f"Feature level {level} is not supported for feature {name}")
    return name, level


def _name_of(level: int) -> str:
    return next(name for name, number in RELEASES.items() if number == level)
