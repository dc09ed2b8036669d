"""`meta.properties`: which cluster, node and directory id a log directory belongs to (KIP-858).

Reads versions 0 and 1, writes version 1. Called by `directory` at open and by the tools that
format directories. Knows no log.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from typing import Final

import javaproperties

from spindle.model.errors import Corrupt
from spindle.model.ids import DirectoryId, id_from_text, id_to_text, is_reserved
from spindle.storage import files, layout
from spindle.storage.disk import Disk

_KNOWN: Final = ("version", "cluster.id", "node.id", "broker.id", "directory.id")


@dataclass(slots=True, frozen=True)
class MetaProperties:
    """What `meta.properties` says; None where it says nothing. `other`: unknown keys."""

    version: int = 1
    cluster_id: str | None = None
    node_id: int | None = None
    directory_id: DirectoryId | None = None
    other: dict[str, str] = field(default_factory=dict)


def encode(meta: MetaProperties) -> bytes:
    """The file's bytes, version 1."""
    pairs = {"version": "1"}
    if meta.cluster_id is not None:
        pairs["cluster.id"] = meta.cluster_id
    if meta.node_id is not None:
        pairs["node.id"] = str(meta.node_id)
    if meta.directory_id is not None:
        pairs["directory.id"] = id_to_text(meta.directory_id)
    text: str = javaproperties.dumps({**pairs, **meta.other}, timestamp=False)
    return text.encode()


def decode(data: bytes) -> MetaProperties:
    """Read the file's bytes; Corrupt says what is wrong with them."""
    try:
        pairs: dict[str, str] = javaproperties.loads(data.decode())
    except (UnicodeDecodeError, javaproperties.InvalidUEscapeError) as error:
        raise Corrupt(f"it is not a properties file: {error}") from None
    version = _int(pairs, "version") or 0
    if version not in (0, 1):
        raise Corrupt(f"its version is {version}; 0 and 1 are known")
    node_id = _int(pairs, "broker.id" if version == 0 else "node.id")
    cluster_id = pairs.get("cluster.id")
    if version == 1 and (cluster_id is None or node_id is None):
        missing = "cluster.id" if cluster_id is None else "node.id"
        raise Corrupt(f"it lacks {missing}")
    return MetaProperties(
        version,
        cluster_id,
        node_id,
        _directory_id(pairs),
        {key: value for key, value in pairs.items() if key not in _KNOWN},
    )


def _int(pairs: dict[str, str], key: str) -> int | None:
    if key not in pairs:
        return None
    try:
        return int(pairs[key])
    except ValueError:
        raise Corrupt(f"{key} is {pairs[key]!r}, which is not a number") from None


def _directory_id(pairs: dict[str, str]) -> DirectoryId | None:
    text = pairs.get("directory.id")
    if text is None:
        return None
    try:
        found = id_from_text(text)
    except ValueError as error:
        raise Corrupt(f"directory.id: {error}") from None
    if is_reserved(found):
        raise Corrupt(f"directory.id {text} is reserved")
    return found


def random_directory_id() -> DirectoryId:
    """A fresh id: not reserved, and its text does not begin with '-'."""
    while True:
        value = uuid.uuid4()
        if not is_reserved(value) and not id_to_text(value).startswith("-"):
            return value


def path_of(directory: str) -> str:
    """Where the file of a log directory lies."""
    return f"{directory}/{layout.META_PROPERTIES}"


def read(disk: Disk, directory: str) -> MetaProperties | None:
    """What a directory's file says; None where there is none. Corrupt, OSError."""
    data = files.read_whole(disk, path_of(directory))
    return None if data is None else decode(data)


def foreign(directory: str, found: MetaProperties, cluster_id: str, node_id: int) -> str | None:
    """Why a directory is not this node's; None if it is."""
    path = path_of(directory)
    if found.cluster_id not in (None, cluster_id):
        return f"{path} belongs to cluster {found.cluster_id} and not to {cluster_id}"
    if found.node_id not in (None, node_id):
        return f"{path} belongs to node {found.node_id}, not {node_id}"
    return None


def write(disk: Disk, directory: str, meta: MetaProperties) -> None:
    """Write a directory's file durably. OSError."""
    files.replace(disk, path_of(directory), encode(meta))


def completed(
    meta: MetaProperties, cluster_id: str, node_id: int, directory_id: DirectoryId
) -> MetaProperties:
    """`meta` with what it lacks filled in, as version 1 (K858-03)."""
    return replace(
        meta,
        version=1,
        cluster_id=meta.cluster_id or cluster_id,
        node_id=node_id if meta.node_id is None else meta.node_id,
        directory_id=meta.directory_id or directory_id,
    )


def format_directory(
    disk: Disk,
    directory: str,
    meta: MetaProperties,
    bootstrap: bytes,
    quorum: bytes | None = None,
) -> None:
    """Make a directory ready for a node: `bootstrap.checkpoint`, then `meta.properties`.

    In this order: a directory counts as formatted once `meta.properties` stands. `quorum`: what
    the metadata log begins with, where that is the log of a dynamic quorum (KIP-853). OSError.
    """
    assert meta.directory_id is not None
    disk.make_dirs(directory)
    disk.sync_dir(directory.rpartition("/")[0] or "/")
    files.replace(disk, f"{directory}/{layout.BOOTSTRAP}", bootstrap)
    if quorum is not None:
        folder = f"{directory}/{layout.METADATA_FOLDER}"
        disk.make_dirs(folder)
        files.replace(disk, f"{folder}/{layout.FIRST_QUORUM}", quorum)
        disk.sync_dir(directory)
    write(disk, directory, meta)
