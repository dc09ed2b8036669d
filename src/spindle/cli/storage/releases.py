"""What a release brings: its features' levels, and what a level of a feature needs.

`kafka-storage` tells what this installation's `format` finalizes and its nodes serve, which may be
less than Apache Kafka's (N-04); `kafka-features`, whose cluster may be one of Apache Kafka's, all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from spindle.model.errors import Unusable
from spindle.model.feature_rules import (
    ELIGIBLE_LEADER_REPLICAS,
    ELR_VERSION,
    GROUP_VERSION,
    KRAFT_VERSION,
    METADATA_VERSION,
    RELEASES,
    SERVED,
    SHARE_VERSION,
    STREAMS_VERSION,
    SUPPORTED,
    TRANSACTION_VERSION,
    levels_of_release,
)
from spindle.model.ids import VersionRange

Say = Callable[[str], None]

_NEEDS: Final = {(ELR_VERSION, 1): {METADATA_VERSION: ELIGIBLE_LEADER_REPLICAS}}
"""Levels of features that need levels of others."""
_ORDER: Final = (
    KRAFT_VERSION,
    TRANSACTION_VERSION,
    GROUP_VERSION,
    ELR_VERSION,
    SHARE_VERSION,
    STREAMS_VERSION,
)
_NUMBER: Final = re.compile("[+-]?[0-9]+")
_SHORT_MAX: Final = 32_767
NEWEST: Final = max(RELEASES, key=RELEASES.__getitem__)
"""The release that is meant where none is named."""


def level_of(release: str) -> int:
    """A level of metadata.version by its name; `4.2` (`4.2.1`) means the last one of it."""
    asked = ".".join(release.split(".")[:2])
    found = [lv for name, lv in RELEASES.items() if asked in (name, name.partition("-")[0])]
    if not found:
        raise Unusable(
            f"Unknown metadata.version '{release}'. Supported metadata.version are:"
            f" {', '.join(RELEASES)}"
        )
    return max(found)


def mapping_of(release: str, served: Mapping[str, VersionRange] = SUPPORTED) -> dict[str, int]:
    """The level of each feature in a cluster of a release; 0 where it is not among `served`."""
    levels = levels_of_release(level_of(release))
    found = {name: levels.get(name, 0) for name in _ORDER}
    found = {name: level if level <= served[name].max else 0 for name, level in found.items()}
    return {METADATA_VERSION: levels[METADATA_VERSION], **found}


def mapping_lines(release: str, levels: Mapping[str, int]) -> list[str]:
    """Levels of features, line by line."""
    first = f"{METADATA_VERSION}={levels[METADATA_VERSION]} ({release})"
    return [first, *(f"{name}={levels[name]}" for name in _ORDER)]


def say_mapping(release: str | None, say: Say) -> None:
    """The levels that a cluster gets which is formatted for a release."""
    name = NEWEST if release is None else release
    for line in mapping_lines(name, mapping_of(name, SERVED)):
        say(line)


def say_dependencies(wishes: Sequence[str], say: Say) -> None:
    """What each of these levels of features needs. Unusable for one that is not served."""
    for name, level in map(_feature, wishes):
        for line in dependency_lines(name, level):
            say(line)


def name_and_level(wish: str) -> tuple[str, int]:
    """NAME=LEVEL in two; Unusable where it is not that."""
    name, equals, text = (part.strip() for part in wish.partition("="))
    if not equals:
        raise Unusable(f"Can't parse feature=level string {wish}: equals sign not found.")
    if _NUMBER.fullmatch(text) is None or abs(level := int(text)) > _SHORT_MAX:
        raise Unusable(
            f"Can't parse feature=level string {wish}: unable to parse {text} as a short."
        )
    return name, level


def needs_of(name: str, level: int) -> Mapping[str, int]:
    """What a level of a feature needs of others."""
    return _NEEDS.get((name, level), {})


def dependency_lines(name: str, level: int) -> list[str]:
    """What a level of a feature needs, line by line."""
    shown = f"{name}={level}"
    if name == METADATA_VERSION:
        shown += f" ({name_of(level)})"
    needed = needs_of(name, level)
    lines = [f"    {other}={least} ({name_of(least)})" for other, least in needed.items()]
    return [f"{shown} requires:" if needed else f"{shown} has no dependencies.", *lines]


def name_of(level: int) -> str:
    """The name of a level of metadata.version, as Kafka's tools tell it."""
    return next((name for name, at in RELEASES.items() if at == level), f"UNKNOWN {level}")


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
