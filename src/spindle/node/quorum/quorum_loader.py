"""What a node finds in its metadata directory when it starts: the log, snapshots, `quorum-state`.

Loads the newest snapshot that is whole and hands its records to the metadata. Called by `quorum`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from spindle.core.raft.raft_log import RaftLog
from spindle.core.raft.raft_values import ElectionState
from spindle.model.config import NodeConfig
from spindle.model.errors import Corrupt
from spindle.model.ids import METADATA_TOPIC_ID
from spindle.model.jobs import Configure, CreateLog, GetFile, ListFiles, LogSettings
from spindle.model.log_values import LoadedLog, OpenedDirectory
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox
from spindle.node.metadata import Metadata
from spindle.node.quorum.metadata_log import LOG_KEY, MetadataLog
from spindle.node.quorum.metadata_snapshots import read_snapshot, snapshot_name, snapshot_of_name
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

        self._log.run(ListFiles(self._config.metadata_dir, FOLDER), listed)

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
            except Corrupt as error:
                self._out.say("error", "metadata snapshot is damaged", reason=str(error))
                self._load(log, snapshots[:-1], then)
                return
            self._metadata.on_snapshot(id, records)
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
            self._read_state(RaftLog(0, log.end, log.epochs), snapshots, then)
        elif snapshot.offset > log.end or snapshot.offset < log.start:
            raft_log = RaftLog(snapshot.offset, snapshot.offset, (), snapshot)
            self._log.reset(snapshot.offset, lambda: self._read_state(raft_log, snapshots, then))
        else:
            raft_log = RaftLog(log.start, log.end, log.epochs, snapshot)
            raft_log.earliest = next((s for s in snapshots if s.offset >= log.start), snapshot)
            self._read_state(raft_log, snapshots, then)

    def _read_state(self, log: RaftLog, snapshots: list[OffsetAndEpoch], then: Then) -> None:
        def state_read(data: bytes | None) -> None:
            saved = None
            if data is not None:
                try:
                    state = decode_quorum_state(data)
                except Corrupt as error:
                    self._out.halt(f"{self._config.metadata_dir}: {error}")
                    return
                saved = ElectionState(state.epoch, state.leader, state.voted)
            then(LoadedQuorum(log, snapshots, saved))

        self._log.run(GetFile(self._config.metadata_dir, STATE_FILE), state_read)
