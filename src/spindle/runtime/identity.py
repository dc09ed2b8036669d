"""A node, as its directories say: cluster id, node id, directory ids (K858-03, B-16).

Read once, before the node is built. The metadata directory has our identity. Any other one that
cannot be read, is not formatted or belongs elsewhere is left out with its reason, and the node
serves without it; two directories with one id are refused by name.
"""

from __future__ import annotations

import errno
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar, cast

from spindle.model.config import NodeConfig
from spindle.model.errors import Corrupt, Unusable
from spindle.model.ids import DirectoryId, LogDir, id_to_text
from spindle.storage import meta
from spindle.storage.disk import Disk

T = TypeVar("T")

_WAITS: Final = 20
"""Parts of the time that a directory has to answer."""


@dataclass(frozen=True, slots=True)
class ClusterIdentity:
    """The cluster that we belong to, and which directories say so. `missing`: why others do not."""

    cluster_id: str
    directory_ids: dict[LogDir, DirectoryId | None]
    missing: dict[LogDir, str] = field(default_factory=dict)


def read_identity(disk: Disk, config: NodeConfig) -> ClusterIdentity:
    """Read `meta.properties` of every directory. Unusable says which is wrong and the way out."""
    found: dict[LogDir, meta.MetaProperties] = {}
    missing: dict[LogDir, str] = {}
    limit = config.settings.seconds("log.dir.io.timeout.ms")
    for directory in config.directories:
        try:
            properties = within(limit, directory, partial(meta.read, disk, directory))
        except OSError as error:
            missing[directory] = str(error)
        except Corrupt as error:
            missing[directory] = f"{meta.path_of(directory)} is damaged: {error}"
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
    own = found[config.metadata_dir]
    if own.cluster_id is None:
        raise Unusable(f"{meta.path_of(config.metadata_dir)} names no cluster.id: format it")
    if own.node_id not in (None, config.node_id):
        raise Unusable(
            f"{config.metadata_dir} belongs to node {own.node_id}, but node.id is "
            f"{config.node_id}: mount the right disk or mend node.id"
        )
    for path in list(found):
        why = meta.foreign(path, found[path], own.cluster_id, config.node_id)
        if why is not None:
            missing[path] = f"{why}: mount the right disk"
            del found[path]
    _refuse_twins(found)
    return ClusterIdentity(
        own.cluster_id, {path: p.directory_id for path, p in found.items()}, missing
    )


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
    for _ in range(_WAITS):
        # A wait in which this process stands still is one of many, however long it was.
        try:
            answer, error = answers.get(timeout=limit / _WAITS)
        except queue.Empty:
            continue
        if error is not None:
            raise error
        return cast("T", answer)
    text = f"no answer for {limit:g} s: its disk hangs"
    raise OSError(errno.ETIMEDOUT, text, directory)


def advice(config: NodeConfig) -> Iterator[str]:
    """What will work but should be otherwise (B-23)."""
    if config.is_broker and len(config.log_dirs) > 1 and config.metadata_dir in config.log_dirs:
        yield (
            f"metadata.log.dir is the log directory {config.metadata_dir}: when that disk dies the "
            "whole broker stops; give the metadata a directory on a disk of its own"
        )


def _refuse_twins(found: dict[LogDir, meta.MetaProperties]) -> None:
    ids: dict[DirectoryId, LogDir] = {}
    for path, properties in found.items():
        id = properties.directory_id
        if id is not None and id in ids:
            raise Unusable(
                f"{ids[id]} and {path} have the same directory.id {id_to_text(id)}: "
                "one is a copy of the other; take one out of log.dirs"
            )
        if id is not None:
            ids[id] = path
