"""What a node finds in its metadata directory when it starts: the log, snapshots, `quorum-state`.

Loads the newest snapshot that is whole and hands its records to the metadata. Called by `quorum`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import ElectionState
from spindle.core.raft.voter_history import VoterHistory
from spindle.model.config import NodeConfig
from spindle.model.errors import Corrupt
from spindle.model.ids import METADATA_TOPIC_ID
from spindle.model.jobs import Configure, CreateLog, GetFile, ListFiles, LogSettings
from spindle.model.log_values import LoadedLog, OpenedDirectory
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox
from spindle.model.quorum_voters import static_voters
from spindle.node.metadata import Metadata
from spindle.node.quorum.metadata_log import LOG_KEY, READ_BYTES, Cached, MetadataLog
from spindle.node.quorum.metadata_snapshots import (
    FORMATTED,
    quorum_records,
    read_snapshot,
    snapshot_name,
    snapshot_of_name,
    snapshot_quorum,
)
from spindle.node.quorum.quorum_io import FOLDER, STATE_FILE
from spindle.wire.quorum_state import decode_quorum_state


class LoadedQuorum(NamedTuple):
    """What was found. `state`: None where nothing was ever saved."""

    log: RaftLog
    snapshots: list[OffsetAndEpoch]
    state: ElectionState | None


Then = Callable[[LoadedQuorum], None]


class QuorumLoader:
    """Loads the metadata directory of one node. It halts the node where that cannot be used."""

    def __init__(
        self, config: NodeConfig, out: Outbox, log: MetadataLog, metadata: Metadata
    ) -> None:
        self._config = config
        self._out = out
        self._log = log
        self._metadata = metadata
        listener = config.quorum.listeners[0]
        self._voters = VoterHistory(static_voters(config.quorum.voters, listener), quorum_records)

    def load(self, opened: OpenedDirectory, then: Then) -> None:
        """Load what is there; make the log where it is not."""
        size: int = self._config.settings.whole("metadata.log.segment.bytes")
        settings = LogSettings(segment_bytes=size)
        directory = self._config.metadata_dir
        found = next((log for log in opened.logs if log.key == LOG_KEY), None)
        if found is None:
            job = CreateLog(directory, LOG_KEY, METADATA_TOPIC_ID, settings)
            self._log.run(job, lambda log: self._list(log, then))
        else:
            loaded = found
            self._log.run(
                Configure(directory, LOG_KEY, settings), lambda _: self._list(loaded, then)
            )

    def _list(self, log: LoadedLog, then: Then) -> None:
        self._log.size = log.size

        def listed(names: tuple[str, ...]) -> None:
            ids = [id for name in names if (id := snapshot_of_name(name)) and id.offset > 0]
            self._load(log, sorted(ids), then)

        def formatted(data: bytes | None) -> None:
            try:
                if data is not None:
                    self._voters.restart(0, snapshot_quorum(snapshot_name(FORMATTED), data))
            except Corrupt as error:
                self._out.halt(f"{self._config.metadata_dir}: {error}")
                return
            self._log.run(ListFiles(self._config.metadata_dir, FOLDER), listed)

        name = f"{FOLDER}/{snapshot_name(FORMATTED)}"
        self._log.run(GetFile(self._config.metadata_dir, name), formatted)

    def _load(self, log: LoadedLog, snapshots: list[OffsetAndEpoch], then: Then) -> None:
        if not snapshots:
            if log.start > 0:
                self._out.halt(
                    f"{self._config.metadata_dir}: the metadata log starts at {log.start} but no "
                    "snapshot holds what came before; copy the directory from another controller "
                    "or, on a broker, empty it and format it again"
                )
            else:
                self._prepare(log, [], None, then)
            return
        id = snapshots[-1]
        name = snapshot_name(id)

        def loaded(data: bytes | None) -> None:
            try:
                records = read_snapshot(name, data or b"")
                quorum = snapshot_quorum(name, data or b"")
            except Corrupt as error:
                self._out.say("error", "metadata snapshot is damaged", reason=str(error))
                self._load(log, snapshots[:-1], then)
                return
            self._metadata.on_snapshot(id, records)
            self._voters.restart(id.offset, quorum)
            self._prepare(log, snapshots, id, then)

        self._log.run(GetFile(self._config.metadata_dir, f"{FOLDER}/{name}"), loaded)

    def _prepare(
        self,
        log: LoadedLog,
        snapshots: list[OffsetAndEpoch],
        snapshot: OffsetAndEpoch | None,
        then: Then,
    ) -> None:
        if snapshot is None:
            raft_log = RaftLog(0, log.end, log.epochs, voters=self._voters)
            self._scan(0, raft_log, snapshots, then)
        elif snapshot.offset > log.end or snapshot.offset < log.start:
            raft_log = RaftLog(snapshot.offset, snapshot.offset, (), snapshot, self._voters)
            self._log.reset(snapshot.offset, lambda: self._read_state(raft_log, snapshots, then))
        else:
            raft_log = RaftLog(log.start, log.end, log.epochs, snapshot, self._voters)
            raft_log.earliest = next((s for s in snapshots if s.offset >= log.start), snapshot)
            self._scan(snapshot.offset, raft_log, snapshots, then)

    def _scan(self, offset: int, log: RaftLog, snapshots: list[OffsetAndEpoch], then: Then) -> None:
        """Find what the log says of the quorum behind the snapshot, committed or not (KIP-853)."""
        if offset >= log.end:
            self._read_state(log, snapshots, then)
            return

        def on_read(found: list[Cached]) -> None:
            try:
                for batch, _ in found:
                    if batch.base_offset >= offset:
                        log.voters.on_appended(batch)
            except Corrupt as error:
                self._out.halt(f"{self._config.metadata_dir}: {error}")
                return
            end = found[-1].batch.next_offset if found else log.end
            self._scan(max(end, offset + 1), log, snapshots, then)

        self._log.read_disk(offset, log.end, READ_BYTES, on_read)

    def _read_state(self, log: RaftLog, snapshots: list[OffsetAndEpoch], then: Then) -> None:
        def state_read(data: bytes | None) -> None:
            saved = None
            if data is not None:
                try:
                    state = decode_quorum_state(data)
                except Corrupt as error:
                    self._out.halt(f"{self._config.metadata_dir}: {error}")
                    return
                saved = ElectionState(state.epoch, state.leader, state.voted, state.voted_directory)
            then(LoadedQuorum(log, snapshots, saved))

        self._log.run(GetFile(self._config.metadata_dir, STATE_FILE), state_read)
