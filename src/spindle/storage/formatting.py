"""Makes blank directories a node's own: identity and the records a new metadata log begins with.

Shared by the tools, by local clusters and by brokers that adopt a blank disk. Decides nothing about
directories that are not blank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from spindle.model.feature_rules import FINALIZED
from spindle.model.ids import DirectoryId, LogDir
from spindle.model.jobs import Format
from spindle.model.metadata_records import FeatureLevel, MetadataRecord
from spindle.storage import layout, meta
from spindle.storage.blame import PROBE
from spindle.storage.disk import Disk
from spindle.wire.checkpoint import encode_checkpoint

_NOTHING: Final = frozenset({"lost+found", layout.LOCK, PROBE, PROBE + layout.TEMPORARY})
"""What a blank disk may hold."""
DEFAULT_LEVELS = tuple(FeatureLevel(name=name, level=level) for name, level in FINALIZED.items())


def format_blank(
    disk: Disk,
    directories: Iterable[LogDir],
    cluster_id: str,
    node_id: int,
    timestamp_ms: int,
    records: Iterable[MetadataRecord] = DEFAULT_LEVELS,
) -> None:
    """Format directories without `meta.properties`, each with an id of its own (K858-01)."""
    bootstrap = b"".join(encode_checkpoint(records, timestamp=timestamp_ms))
    for directory in directories:
        own = meta.MetaProperties(1, cluster_id, node_id, meta.random_directory_id())
        meta.format_directory(disk, directory, own, bootstrap)


def adopt(disk: Disk, job: Format, new_id: Callable[[], DirectoryId]) -> tuple[str, ...]:
    """Carry out `Format`: the names in the way, or none. OSError where there is no directory."""
    names = disk.list(job.directory)
    if layout.META_PROPERTIES in names:
        return ()
    in_the_way = tuple(name for name in names if name not in _NOTHING)
    if not in_the_way:
        own = meta.MetaProperties(1, job.cluster_id, job.node_id, new_id())
        meta.write(disk, job.directory, own)
    return in_the_way
