"""When a snapshot of the metadata is written, what is given up then, and how pieces are served.

A snapshot is due after so many bytes of records. It is encoded in small steps, so that a large
cluster's image does not hold up the node. One older snapshot and the log since then are kept:
followers that lag a little go on fetching records. Belongs to `quorum`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.core.raft.log import RaftLog
from spindle.model.jobs import GetFile, ListFiles, PutFile, RemoveFile
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox
from spindle.node.metadata import Metadata, copy_image
from spindle.node.quorum.metalog import MetadataLog
from spindle.node.quorum.snapshots import SnapshotWriter, snapshot_name, snapshot_of_name
from spindle.node.quorum.world import FOLDER

STEP_SECONDS: Final = 0.001


class Snapshotting:
    """Writes and serves snapshots in one metadata directory. `due_bytes`: how often."""

    def __init__(
        self,
        directory: str,
        due_bytes: int,
        out: Outbox,
        log: MetadataLog,
        metadata: Metadata,
    ) -> None:
        self._directory = directory
        self._due_bytes = due_bytes
        self._out = out
        self._log = log
        self._metadata = metadata
        self._bytes = 0
        self._busy = False
        self._served: tuple[OffsetAndEpoch, bytes] | None = None
        """The snapshot file that was last asked for: followers read it piece by piece."""

    def on_applied(self, raft_log: RaftLog, size: int, timestamp: int) -> None:
        """Records of so many bytes were applied: write a snapshot if one is due."""
        self._bytes += size
        if self._bytes < self._due_bytes or self._busy or self._metadata.in_transaction:
            return
        image = self._metadata.image
        self._bytes = 0
        self._busy = True
        id = OffsetAndEpoch(image.offset + 1, image.epoch)
        writer = SnapshotWriter(id, copy_image(image), timestamp)
        self._step(raft_log, writer)

    def _step(self, raft_log: RaftLog, writer: SnapshotWriter) -> None:
        if writer.step():
            self._out.after(STEP_SECONDS, lambda: self._step(raft_log, writer))
            return
        data = writer.finish()
        name = snapshot_name(writer.id)

        def stored(_: object) -> None:
            self._out.say("info", "metadata snapshot written", snapshot=name, bytes=len(data))
            self._on_stored(raft_log, writer.id)

        self._log.run(PutFile(self._directory, f"{FOLDER}/{name}", data), stored)

    def _on_stored(self, raft_log: RaftLog, id: OffsetAndEpoch) -> None:
        previous = raft_log.snapshot
        if previous is not None and previous.offset >= id.offset:
            # A leader's newer snapshot has replaced our log meanwhile.
            self._busy = False
            return
        raft_log.on_snapshot(id)
        if previous is None or previous.offset <= raft_log.start:
            self._clean(raft_log)
            return

        def moved() -> None:
            # Our log may have been replaced by a leader's snapshot while the job ran.
            if raft_log.start <= previous.offset:
                raft_log.on_start_moved(previous)
            self._clean(raft_log)

        self._log.move_start(previous.offset, moved)

    def _clean(self, raft_log: RaftLog) -> None:
        """Remove snapshots older than those that the log still needs."""
        self._busy = False
        earliest = raft_log.earliest
        assert earliest is not None

        def listed(names: tuple[str, ...]) -> None:
            for name in names:
                id = snapshot_of_name(name)
                if id is not None and id.offset < earliest.offset:
                    job = RemoveFile(self._directory, f"{FOLDER}/{name}")
                    self._log.run(job, lambda _: None)

        self._log.run(ListFiles(self._directory, FOLDER), listed)

    def read(self, id: OffsetAndEpoch, then: Callable[[bytes | None], None]) -> None:
        """A snapshot's file; None if it is not here."""
        if self._served is not None and self._served[0] == id:
            then(self._served[1])
            return

        def done(data: bytes | None) -> None:
            if data is not None:
                self._served = (id, data)
            then(data)

        self._log.run(GetFile(self._directory, f"{FOLDER}/{snapshot_name(id)}"), done)
