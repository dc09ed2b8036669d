"""Makes blank directories a node's own: identity and the records a new metadata log begins with.

Shared by the tools and by local clusters. Decides nothing about directories that are not blank.
"""

from __future__ import annotations

from collections.abc import Iterable

from spindle.model.features import FINALIZED
from spindle.model.ids import LogDir
from spindle.model.records import FeatureLevel
from spindle.storage import meta
from spindle.storage.disk import Disk
from spindle.wire.checkpoint import encode_checkpoint

DEFAULT_LEVELS = tuple(FeatureLevel(name=name, level=level) for name, level in FINALIZED.items())


def format_blank(
    disk: Disk,
    directories: Iterable[LogDir],
    cluster_id: str,
    node_id: int,
    timestamp_ms: int,
    levels: Iterable[FeatureLevel] = DEFAULT_LEVELS,
) -> None:
    """Format directories without `meta.properties`, each with an id of its own (K858-01)."""
    bootstrap = b"".join(encode_checkpoint(levels, timestamp=timestamp_ms))
    for directory in directories:
        own = meta.MetaProperties(1, cluster_id, node_id, meta.random_directory_id())
        meta.format_directory(disk, directory, own, bootstrap)
