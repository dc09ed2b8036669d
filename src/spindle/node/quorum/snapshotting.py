"""When a snapshot of the metadata is written, what is given up of the past, how pieces are served.

A snapshot is due after so many bytes of records, or so long after the first of them. It is encoded
in small steps, so that a large cluster's image does not hold up the node. Older snapshots and the
log are kept within `core.raft.log_retention`: followers that lag go on fetching records. Belongs to
`quorum`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.core.raft.log_retention import Kept, Retention
from spindle.core.raft.raft_log import RaftLog
from spindle.model.config import NodeConfig
from spindle.model.errors import Corrupt
from spindle.model.jobs import GetFile, ListFiles, PutFile, RemoveFile
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox, Timer
from spindle.model.settings.typed_settings import Settings
from spindle.node.metadata import Metadata, copy_image
from spindle.node.quorum.metadata_log import MetadataLog
from spindle.node.quorum.metadata_snapshots import (
    SnapshotWriter,
    snapshot_name,
    snapshot_of_name,
    snapshot_time,
)
from spindle.node.quorum.quorum_io import FOLDER

STEP_SECONDS: Final = 0.001
CLEAN_SECONDS: Final = 60.0
"""Between looks for what is too old to be kept."""


class SnapshotSchedule:
    """When the next snapshot is due: by bytes of records since the last one, or by time."""

    def __init__(self, settings: Settings, out: Outbox) -> None:
        self._most_bytes = settings.whole("metadata.log.max.record.bytes.between.snapshots")
        self._interval = settings.seconds("metadata.log.max.snapshot.interval.ms")
        self._out = out
        self._bytes = 0
        self._timer: Timer | None = None
        self._is_overdue = False

    def on_applied(self, size: int, due: Callable[[], None]) -> bool:
        """Records of so many bytes were applied; whether a snapshot is due.

        `due` runs when it becomes due by time.
        """
        self._bytes += size
        if self._timer is None and self._interval and not self._is_overdue:

            def ring() -> None:
                self._timer = None
                self._is_overdue = True
                due()

            self._timer = self._out.after(self._interval, ring)
        return self._bytes >= self._most_bytes or self._is_overdue

    def restart(self) -> None:
        """Begin to count bytes and time from zero."""
        self._bytes = 0
        self._is_overdue = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Snapshotting:
    """Writes, serves and gives up snapshots in one node's metadata directory."""

    def __init__(
        self, config: NodeConfig, out: Outbox, log: MetadataLog, metadata: Metadata
    ) -> None:
        settings = config.settings
        self._directory = config.metadata_dir
        self._schedule = SnapshotSchedule(settings, out)
        self._retention = Retention(
            settings.whole("metadata.max.retention.bytes"),
            settings.whole("metadata.max.retention.ms"),
        )
        self._out = out
        self._log = log
        self._metadata = metadata
        self._raft_log = RaftLog()
        self._kept: list[Kept] = []
        self._timestamp = 0
        self._busy = False
        self._served: tuple[OffsetAndEpoch, bytes] | None = None
        """The snapshot file that was last asked for: followers read it piece by piece."""

    # --- the past ---------------------------------------------------------------------------

    def start(self, raft_log: RaftLog, snapshots: list[OffsetAndEpoch]) -> None:
        """Take up what the directory holds: `snapshots` in order, the newest is `raft_log`'s."""
        self._raft_log = raft_log
        self._busy = True
        self._look_at([id for id in snapshots if id.offset >= raft_log.start])

    def _look_at(self, ids: list[OffsetAndEpoch]) -> None:
        """Learn sizes and times of the snapshots that are there, then clean from time to time."""
        if not ids:
            self._busy = False
            self._clean_again()
            return
        id, *rest = ids

        def read(data: bytes | None) -> None:
            # A leader's snapshot may have replaced all that there was.
            if data is not None and id.offset >= self._raft_log.start:
                try:
                    self._kept.append(Kept(id, len(data), snapshot_time(snapshot_name(id), data)))
                except Corrupt as error:
                    self._out.say("error", "metadata snapshot is damaged", reason=str(error))
            self._look_at(rest)

        self.read_file(id, read)

    def _clean_again(self) -> None:
        self._out.after(CLEAN_SECONDS, self._clean_again)
        if not self._busy:
            self._clean()

    def _clean(self) -> None:
        """Give up what is too much or too old, one snapshot after the other."""
        raft_log = self._raft_log
        start = self._retention.next_start(self._kept, self._log.size, self._out.wall_ms)
        self._busy = start is not None
        if start is None:
            return

        def moved() -> None:
            # Our log may have been replaced by a leader's snapshot while the job ran.
            if raft_log.start <= start.offset and any(kept.id == start for kept in self._kept):
                raft_log.on_start_moved(start)
                self._kept = [kept for kept in self._kept if kept.id.offset >= start.offset]
            self._sweep(self._clean)

        self._log.move_start(start.offset, moved)

    def _sweep(self, then: Callable[[], None]) -> None:
        """Remove the files of snapshots that are kept no longer."""

        def listed(names: tuple[str, ...]) -> None:
            earliest = self._kept[0].id.offset if self._kept else 0
            for name in names:
                id = snapshot_of_name(name)
                if id is not None and id.offset < earliest:
                    self._log.run(RemoveFile(self._directory, f"{FOLDER}/{name}"), lambda _: None)
            then()

        self._log.run(ListFiles(self._directory, FOLDER), listed)

    # --- writing ----------------------------------------------------------------------------

    def on_applied(self, size: int, timestamp: int) -> None:
        """Records of so many bytes were applied: write a snapshot if one is due."""
        self._timestamp = timestamp
        if self._schedule.on_applied(size, self._write):
            self._write()

    def on_loaded(self, kept: Kept) -> None:
        """A leader's snapshot has replaced our log."""
        self._schedule.restart()
        self._kept = [kept]
        self._sweep(lambda: None)

    def _write(self) -> None:
        """Write a snapshot, unless that must wait for what comes next."""
        if self._busy or self._metadata.in_transaction:
            return
        image = self._metadata.image
        self._schedule.restart()
        self._busy = True
        id = OffsetAndEpoch(image.offset + 1, image.epoch)
        quorum = self._raft_log.voters.as_of(id.offset)
        writer = SnapshotWriter(id, copy_image(image), self._timestamp, quorum)
        self._step(writer, self._timestamp)

    def _step(self, writer: SnapshotWriter, timestamp: int) -> None:
        if writer.step():
            self._out.after(STEP_SECONDS, lambda: self._step(writer, timestamp))
            return
        data = writer.finish()
        name = snapshot_name(writer.id)

        def stored(_: object) -> None:
            self._out.say("info", "metadata snapshot written", snapshot=name, bytes=len(data))
            self._on_stored(Kept(writer.id, len(data), timestamp))

        self._log.run(PutFile(self._directory, f"{FOLDER}/{name}", data), stored)

    def _on_stored(self, kept: Kept) -> None:
        previous = self._raft_log.snapshot
        if previous is None or previous.offset < kept.id.offset:
            self._raft_log.on_snapshot(kept.id)
            self._kept.append(kept)
        # Else a leader's newer snapshot has replaced our log meanwhile.
        self._clean()

    # --- serving ----------------------------------------------------------------------------

    def read(self, id: OffsetAndEpoch, then: Callable[[bytes | None], None]) -> None:
        """A snapshot's file; None if it is not here."""
        if self._served is not None and self._served[0] == id:
            then(self._served[1])
            return

        def done(data: bytes | None) -> None:
            if data is not None:
                self._served = (id, data)
            then(data)

        self.read_file(id, done)

    def read_file(self, id: OffsetAndEpoch, then: Callable[[bytes | None], None]) -> None:
        """A snapshot's file from the disk; None if it is not there."""
        self._log.run(GetFile(self._directory, f"{FOLDER}/{snapshot_name(id)}"), then)
