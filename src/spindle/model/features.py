"""The features of a cluster whose levels are finalized together, and what each level allows.

The only place that knows which levels we support. Brokers and controllers register these ranges,
ApiVersions tells them, the controller checks upgrades against them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.model.ids import VersionRange

METADATA_VERSION: Final = "metadata.version"
ELR_VERSION: Final = "eligible.leader.replicas.version"
TRANSACTION_VERSION: Final = "transaction.version"

# Levels of metadata.version (Apache Kafka 4.3 knows 7 to 30).
CONTROLLER_REGISTRATION: Final = 15
DIRECTORY_ASSIGNMENT: Final = 17
"""3.7-IV2: KIP-858."""
ELIGIBLE_LEADER_REPLICAS: Final = 23
CORDONED_DIRECTORIES: Final = 30
"""4.3-IV0: KIP-1066."""

SUPPORTED: Final[Mapping[str, VersionRange]] = {
    METADATA_VERSION: VersionRange(7, 30),
    "kraft.version": VersionRange(0, 1),
    "group.version": VersionRange(0, 1),
    TRANSACTION_VERSION: VersionRange(0, 2),
    ELR_VERSION: VersionRange(0, 1),
    "share.version": VersionRange(0, 1),
    "streams.version": VersionRange(0, 1),
}
"""What a node of ours registers: the ranges of Apache Kafka 4.3, so that either may join the
other's cluster. What we finalize when we format a cluster is another matter."""

FINALIZED: Final[Mapping[str, int]] = {
    METADATA_VERSION: SUPPORTED[METADATA_VERSION].max,
    TRANSACTION_VERSION: SUPPORTED[TRANSACTION_VERSION].max,
}
"""What we finalize in a new cluster: what this version does in full, nothing more."""
