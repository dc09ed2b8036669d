"""Who we are, as our directories say: cluster id, node id, directory ids (K858-03, B-16).

Read once, before the node is built. A directory that cannot be read or is not formatted is left
out, and the node serves without it; a contradiction between directories is refused by name.
"""

from __future__ import annotations

import errno
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar, cast

from spindle.model.config import NodeConfig
from spindle.model.errors import Corrupt, Unusable
from spindle.model.ids import DirectoryId, LogDir, id_to_text
from spindle.storage import meta
from spindle.storage.disk import Disk

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Identity:
    """The cluster that we belong to, and which directories say so. `missing`: why others do not."""

    cluster_id: str
    directory_ids: dict[LogDir, DirectoryId | None]
    missing: dict[LogDir, str] = field(default_factory=dict)


def read_identity(disk: Disk, config: NodeConfig) -> Identity:
    """Read `meta.properties` of every directory. Unusable says which is wrong and the way out."""
    found: dict[LogDir, meta.MetaProperties] = {}
    missing: dict[LogDir, str] = {}
    limit = config.settings["log.dir.io.timeout.ms"] / 1000
    for directory in config.directories:
        try:
            properties = within(limit, directory, partial(meta.read, disk, directory))
        except OSError as error:
            missing[directory] = str(error)
        except Corrupt as error:
            raise Unusable(f"{meta.path_of(directory)}: {error}") from None
        else:
            if properties is None:
                missing[directory] = "it is not formatted (spindle storage format)"
            else:
                found[directory] = properties
    if config.metadata_dir not in found:
        raise Unusable(
            f"metadata directory {config.metadata_dir}: {missing[config.metadata_dir]}; "
            "a node cannot start without it"
        )
    _check(found, config)
    cluster_id = found[config.metadata_dir].cluster_id
    if cluster_id is None:
        raise Unusable(f"{meta.path_of(config.metadata_dir)} names no cluster.id: format it")
    return Identity(cluster_id, {path: p.directory_id for path, p in found.items()}, missing)


def within(limit: float, directory: LogDir, work: Callable[[], T]) -> T:
    """Do something with a directory that may hang; OSError ETIMEDOUT after `limit` s.

    The call that hangs is left behind on a thread of its own.
    """
    answers: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put((work(), None))
        except BaseException as error:
            answers.put((None, error))

    threading.Thread(target=run, daemon=True, name=f"first look at {directory}").start()
    try:
        answer, error = answers.get(timeout=limit)
    except queue.Empty:
        text = f"no answer for {limit:g} s: its disk hangs"
        raise OSError(errno.ETIMEDOUT, text, directory) from None
    if error is not None:
        raise error
    return cast(T, answer)


def advice(config: NodeConfig) -> Iterator[str]:
    """What will work but should be otherwise (B-23)."""
    if config.is_broker and len(config.log_dirs) > 1 and config.metadata_dir in config.log_dirs:
        yield (
            f"metadata.log.dir is the log directory {config.metadata_dir}: when that disk dies the "
            "whole broker stops; give the metadata a directory on a disk of its own"
        )


def _check(found: dict[LogDir, meta.MetaProperties], config: NodeConfig) -> None:
    ids: dict[DirectoryId, LogDir] = {}
    clusters: dict[str, LogDir] = {}
    for path, properties in found.items():
        if properties.node_id not in (None, config.node_id):
            raise Unusable(
                f"{path} belongs to node {properties.node_id}, "
                f"but node.id is {config.node_id}: mount the right disk or mend node.id"
            )
        if properties.cluster_id is not None:
            clusters.setdefault(properties.cluster_id, path)
        id = properties.directory_id
        if id is not None and id in ids:
            raise Unusable(
                f"{ids[id]} and {path} have the same directory.id {id_to_text(id)}: "
                "one is a copy of the other; take one out of log.dirs"
            )
        if id is not None:
            ids[id] = path
    if len(clusters) > 1:
        named = ", ".join(f"{path} {cluster}" for cluster, path in clusters.items())
        raise Unusable(f"the directories belong to different clusters: {named}")
