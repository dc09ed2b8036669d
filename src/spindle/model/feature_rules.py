"""The features of a cluster whose levels are finalized together, and what each level allows.

The only place that knows which levels we support. Brokers and controllers register these ranges,
ApiVersions tells them, the controller checks upgrades against them.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final

from spindle.model.ids import VersionRange

METADATA_VERSION: Final = "metadata.version"
ELR_VERSION: Final = "eligible.leader.replicas.version"
TRANSACTION_VERSION: Final = "transaction.version"
GROUP_VERSION: Final = "group.version"
"""1: consumer groups of KIP-848."""

SHARE_VERSION: Final = "share.version"
"""1: share groups (KIP-932)."""

STREAMS_VERSION: Final = "streams.version"
"""1: streams groups (KIP-1071)."""

# Levels of metadata.version (Apache Kafka 4.3 knows 7 to 30).
SCRAM: Final = 11
"""3.5-IV2: KIP-900."""
METADATA_TRANSACTIONS: Final = 13
"""3.6-IV1: KIP-868."""
DELEGATION_TOKENS: Final = 14
"""3.6-IV2: under KRaft."""
CONTROLLER_REGISTRATION: Final = 15
DIRECTORY_ASSIGNMENT: Final = 17
"""3.7-IV2: KIP-858."""
ELIGIBLE_LEADER_REPLICAS: Final = 23
CORDONED_DIRECTORIES: Final = 30
"""4.3-IV0: KIP-1066."""

_RECORDS_CHANGED: Final = frozenset({7, 8, 11, 13, 14, 15, 17, 23, 30})
"""Levels of metadata.version with other records, or other fields in them, than the one below."""

_METADATA_LEVELS: Final = VersionRange(7, 30)
KRAFT_VERSION: Final = "kraft.version"
KRAFT_LEVELS: Final = VersionRange(0, 1)
"""1: the voters of the metadata quorum are in its log (KIP-853)."""

SERVED: Final[Mapping[str, VersionRange]] = {
    METADATA_VERSION: _METADATA_LEVELS,
    TRANSACTION_VERSION: VersionRange(0, 2),
    ELR_VERSION: VersionRange(0, 1),
    GROUP_VERSION: VersionRange(0, 1),
    KRAFT_VERSION: KRAFT_LEVELS,
    SHARE_VERSION: VersionRange(0, 1),
    STREAMS_VERSION: VersionRange(0, 0),
}
"""What Spindle's nodes serve: levels for clients, for the controller and for format (N-04)."""

SUPPORTED: Final[Mapping[str, VersionRange]] = {
    **SERVED,
    STREAMS_VERSION: VersionRange(0, 1),
}
"""At which levels of a cluster a Spindle node can take part: what it registers with a controller.

Apache Kafka finalizes the level of streams groups by default, and its controllers refuse a broker
that does not name it. A Spindle broker lives with it as one of Apache Kafka's does that has no such
groups: it tells clients level 0 and does not advertise the APIs.
"""

_FIRST_LEVELS: Final = (
    (GROUP_VERSION, 1, 22),
    (TRANSACTION_VERSION, 2, 24),
    (ELR_VERSION, 1, 26),
    (SHARE_VERSION, 1, 28),
    (STREAMS_VERSION, 1, 29),
)
"""Levels of features, and the metadata.version from which Kafka finalizes them by default."""

_DYNAMIC_QUORUM: Final = 21
"""The metadata.version from which a dynamic quorum is Kafka's default (KIP-853)."""

RELEASES: Final[Mapping[str, int]] = {
    "3.3-IV3": 7,
    "3.4-IV0": 8,
    "3.5-IV0": 9,
    "3.5-IV1": 10,
    "3.5-IV2": 11,
    "3.6-IV0": 12,
    "3.6-IV1": 13,
    "3.6-IV2": 14,
    "3.7-IV0": 15,
    "3.7-IV1": 16,
    "3.7-IV2": 17,
    "3.7-IV3": 18,
    "3.7-IV4": 19,
    "3.8-IV0": 20,
    "3.9-IV0": 21,
    "4.0-IV0": 22,
    "4.0-IV1": 23,
    "4.0-IV2": 24,
    "4.0-IV3": 25,
    "4.1-IV0": 26,
    "4.1-IV1": 27,
    "4.2-IV0": 28,
    "4.2-IV1": 29,
    "4.3-IV0": 30,
}
"""The levels of metadata.version by the names that Apache Kafka's tools use."""


class UpgradeType(IntEnum):
    """Which way a level may go, by its number on the wire."""

    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


def keeps_records(current: int, lower: int) -> bool:
    """Whether the metadata that is written at `current` can be written at a lower level."""
    return not any(lower < level <= current for level in _RECORDS_CHANGED)


def finalized_at(level: int) -> dict[str, int]:
    """What a new cluster at this metadata.version finalizes: Kafka's choice of what we serve."""
    found = {name: at for name, at in _first_levels(level).items() if at <= SERVED[name].max}
    return {METADATA_VERSION: level, **dict(sorted(found.items()))}


def levels_of_release(level: int) -> dict[str, int]:
    """Kafka's choice for a cluster at this metadata.version, served by us or not; else 0."""
    quorum = {KRAFT_VERSION: KRAFT_LEVELS.max} if level >= _DYNAMIC_QUORUM else {}
    return {METADATA_VERSION: level, **quorum, **_first_levels(level)}


def _first_levels(level: int) -> dict[str, int]:
    return {name: value for name, value, since in _FIRST_LEVELS if level >= since}


FINALIZED: Final[Mapping[str, int]] = finalized_at(_METADATA_LEVELS.max)
"""What we finalize in a new cluster where no release is asked for."""
