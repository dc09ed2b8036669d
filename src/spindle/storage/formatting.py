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
from spindle.model.quorum_voters import DYNAMIC, KRaftVersion, Voters
from spindle.storage import layout, meta
from spindle.storage.blame import PROBE, PROBE_BESIDE
from spindle.storage.disk import Disk
from spindle.wire.checkpoint import encode_checkpoint

_PROBES: Final = {name + end for name in (PROBE, PROBE_BESIDE) for end in ("", layout.TEMPORARY)}
_NOTHING: Final = frozenset({"lost+found", layout.LOCK, *_PROBES})
"""What a blank disk may hold."""
DEFAULT_LEVELS = tuple(FeatureLevel(name=name, level=level) for name, level in FINALIZED.items())


def format_blank(
    disk: Disk,
    directories: Iterable[LogDir],
    cluster_id: str,
    node_id: int,
    timestamp_ms: int,
    records: Iterable[MetadataRecord] = DEFAULT_LEVELS,
    voters: Voters | None = None,
) -> None:
    """Format directories without `meta.properties`, each with an id of its own (K858-01).

    `voters`: the first ones of a dynamic quorum (KIP-853), where the directory is for its log; its
    id is the one that they give this node.
    """
    bootstrap = b"".join(encode_checkpoint(records, timestamp=timestamp_ms))
    for directory in directories:
        named = None if voters is None else voters.find(node_id)
        id = meta.random_directory_id() if named is None else named.directory_id
        own = meta.MetaProperties(1, cluster_id, node_id, id)
        quorum = None if voters is None else quorum_checkpoint(voters, timestamp_ms)
        meta.format_directory(disk, directory, own, bootstrap, quorum)


def quorum_checkpoint(voters: Voters, timestamp_ms: int) -> bytes:
    """The checkpoint that the empty log of a dynamic quorum begins with."""
    said = (KRaftVersion(DYNAMIC), voters)
    batches = encode_checkpoint(
        (), last_timestamp=timestamp_ms, timestamp=timestamp_ms, quorum=said
    )
    return b"".join(batches)


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
