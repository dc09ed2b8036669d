"""The metadata quorum at this node: the log and its state files, elections, commits, snapshots.

Glue between the machine (`core.raft`), the disk (`metalog`), other nodes (`world`), the
image (`metadata`) and the controller. Every node has one: voters take part in elections, others
observe. The node makes it, the rim opens the directories, `start` does the rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from spindle.core.raft.machine import Raft
from spindle.core.raft.raft_values import NOBODY, Timing
from spindle.model.batches import CONTROL, Record
from spindle.model.config import NodeConfig
from spindle.model.errors import Corrupt, Failure
from spindle.model.ids import DirectoryId, NodeId
from spindle.model.jobs import (
    GetFile,
)
from spindle.model.log_values import OpenedDirectory
from spindle.model.metadata_records import AbortTransaction, MetadataRecord
from spindle.model.outbox import Outbox
from spindle.node.metadata import Metadata, copy_image
from spindle.node.peers import Peers
from spindle.node.quorum.leader_part import LeaderPart
from spindle.node.quorum.metadata_fetches import MetadataFetches
from spindle.node.quorum.metadata_log import READ_BYTES, Cached, MetadataLog
from spindle.node.quorum.metadata_snapshots import (
    BOOTSTRAP,
    metadata_level,
    read_snapshot,
)
from spindle.node.quorum.quorum_io import (
    Advanced,
    EpochWon,
    LeaderContact,
    LeadershipChanged,
    QuorumEvent,
    QuorumIO,
    SnapshotLoaded,
)
from spindle.node.quorum.quorum_loader import LoadedQuorum, QuorumLoader
from spindle.node.quorum.raft_wire import RaftIdentity
from spindle.node.quorum.record_decoding import Decoding, records_of
from spindle.node.quorum.snapshotting import Snapshotting
from spindle.wire import batch as codec
from spindle.wire import control
from spindle.wire.metadata import encode_record

WRITE_BYTES_MAX: Final = 8 << 20
"""Bytes of appended batches that go to the disk as one write."""

Committed = Callable[[int], None]


class Quorum:
    """This node's place in the metadata quorum."""

    def __init__(
        self, config: NodeConfig, cluster_id: str, out: Outbox, peers: Peers, metadata: Metadata
    ) -> None:
        self.cluster_id = cluster_id
        self.metadata = metadata
        self.controller: LeaderPart | None = None
        """Set by the node where it has the controller's role."""
        self.listeners: list[Callable[[], None]] = []
        """Called whenever epoch, leader or role change."""
        self.raft: Raft | None = None
        """None until the log has been opened."""
        self._config = config
        self._out = out
        self._peers = peers
        self._log = MetadataLog(config.metadata_dir, out, self._on_disk_failed)
        self.decoding = Decoding(out)
        self._applied = 0
        self._reading = False
        self._next_offset = 0
        self._queue: deque[Cached] = deque()
        self._writing = False
        self._waiting: deque[tuple[int, Committed]] = deque()
        self._told_epoch = -1
        self._governs = False
        self.stopping = False
        """No request of the quorum is served any more."""
        self._caught_up = False
        self.snapshots = Snapshotting(config, out, self._log, metadata)

    # --- asking -----------------------------------------------------------------------------

    @property
    def leader_id(self) -> NodeId:
        """The leader of the quorum, or -1."""
        return self.raft.state.leader if self.raft else NOBODY

    @property
    def epoch(self) -> int:
        """The highest epoch seen."""
        return self.raft.state.epoch if self.raft else 0

    @property
    def is_leader(self) -> bool:
        """Whether this node leads and its controller is at work."""
        return self._governs

    @property
    def high_watermark(self) -> int:
        """Offset below which all is committed, as far as this node knows."""
        return self.raft.log.high_watermark if self.raft else 0

    @property
    def next_offset(self) -> int:
        """The offset that the next append will have (leader only)."""
        return self._next_offset

    @property
    def is_hopeless(self) -> bool:
        """Whether so many voters have no process at their address that none can be elected."""
        raft = self.raft
        if raft is None or not raft.state.voters:
            return False
        left = [v for v in raft.state.voters if v == raft.state.me or not self.world.is_gone(v)]
        return len(left) <= len(raft.state.voters) // 2

    def sound_out(self) -> None:
        """Find out which voters are there, if we lead: the others ask all the time."""
        raft = self.raft
        if raft is not None and raft.state.term is not None and self._governs:
            for voter in raft.state.term.silent_since(self._out.now):
                self.world.begin_epoch(voter, raft.state.epoch, raft.on_heard)

    def leader_endpoint(self) -> tuple[str, int] | None:
        """Where the active controller is reached, or None."""
        return self.endpoint_of(self.leader_id)

    def endpoint_of(self, node: NodeId) -> tuple[str, int] | None:
        """Where a controller is reached, as configured or learned, or None."""
        return self.world.addresses.get(node) if self.raft else None

    @property
    def directory_id(self) -> DirectoryId:
        """The id of our metadata directory; once it has been opened."""
        return self.world.who.directory_id

    @property
    def controller_listeners(self) -> tuple[str, ...]:
        """Names of the controllers' listeners."""
        return self._config.controller_listeners

    @property
    def controller_listener(self) -> str:
        """Name of the listener at which controllers reach each other."""
        return self._config.controller_listeners[0]

    # --- start ------------------------------------------------------------------------------

    def start(self, opened: OpenedDirectory, then: Callable[[], None]) -> None:
        """Load what the metadata directory holds, then take part; `then` when loaded."""
        who = RaftIdentity(self.cluster_id, self._config.node_id, opened.directory_id)
        self.world = QuorumIO(self._config, self._out, self._peers, self._log, who, self._on_event)
        loader = QuorumLoader(self._config, self._out, self._log, self.metadata)

        def loaded(found: LoadedQuorum) -> None:
            self._begin(found)
            then()

        loader.load(opened, loaded)

    def _begin(self, found: LoadedQuorum) -> None:
        settings = self._config.settings
        timing = Timing(
            fetch_timeout=settings.seconds("controller.quorum.fetch.timeout.ms"),
            election_timeout=settings.seconds("controller.quorum.election.timeout.ms"),
            retry_backoff=settings.seconds("controller.quorum.retry.backoff.ms"),
        )
        voters = tuple(id for id, _, _ in self._config.voters)
        raft = Raft(self._config.node_id, voters, timing, self._out, found.log, self.world)
        self._applied = found.log.high_watermark
        self.raft = raft
        self.fetches = MetadataFetches(raft, self._log, self._out)
        raft.start(found.state)
        self.snapshots.start(found.log, found.snapshots)

    def shut_down(self, then: Callable[[], None] = lambda: None) -> None:
        """Give leadership away, if we have it, and stop taking part; `then` once that is done.

        Afterwards nothing more is asked of the metadata directory, so that it can be closed.
        """
        self.stopping = True
        if self.raft is not None:
            self.raft.shut_down(then)
        else:
            then()

    # --- leading ----------------------------------------------------------------------------

    def append(self, records: Sequence[MetadataRecord], then: Committed | None = None) -> int:
        """Append records as one atomic batch (leader only); the offset of the first.

        `then(last_offset)` when they are committed and applied here; never, if leadership is lost
        before (the controller then hears `on_resigned`).
        """
        assert self.raft is not None
        assert self.raft.state.term is not None, "only the leader appends"
        assert records
        base, now = self._next_offset, self._out.wall_ms
        level = metadata_level(self.metadata.image)
        values = [
            Record(base + n, now, None, encode_record(record, level))
            for n, record in enumerate(records)
        ]
        batch = codec.build(values, base_offset=base, leader_epoch=self.epoch)
        self._enqueue(Cached(batch, tuple(records)))
        if then is not None:
            self._waiting.append((batch.last_offset, then))
        return base

    def _open_epoch(self, epoch: int) -> None:
        """We lead: begin the epoch with a LeaderChange."""
        raft = self.raft
        assert raft is not None
        self._next_offset = raft.log.end
        me, voters = raft.state.me, raft.state.voters
        record = control.leader_change(me, voters, voters, self._out.wall_ms)
        batch = codec.build(
            [record], base_offset=self._next_offset, leader_epoch=epoch, attributes=CONTROL
        )
        raft.leader_log.on_epoch_opened(batch.base_offset)
        self._out.say("info", "this controller leads", epoch=epoch, offset=batch.base_offset)
        self._enqueue(Cached(batch, ()))

    def _enqueue(self, cached: Cached) -> None:
        self._next_offset = cached.batch.next_offset
        self._queue.append(cached)
        self._write()

    def _write(self) -> None:
        """Write all that waits as one job; what comes meanwhile goes into the next."""
        raft = self.raft
        if self._writing or not self._queue or raft is None:
            return
        group: list[Cached] = []
        size = 0
        while self._queue and (not group or size < WRITE_BYTES_MAX):
            group.append(self._queue.popleft())
            size += group[-1].batch.size
        self._writing = True
        raft.log.lock.acquire()

        def durable() -> None:
            # What is appended on hearing of this write waits until the machine is through with it.
            raft.on_local_append([cached.batch for cached in group])
            self._writing = False
            self.fetches.on_progress()
            self._write()

        self._log.append(group, durable)

    # --- what changes -----------------------------------------------------------------------

    def _on_event(self, event: QuorumEvent) -> None:
        """The machine, or what it has asked for, has changed something."""
        match event:
            case EpochWon(epoch):
                self._open_epoch(epoch)
            case LeadershipChanged():
                self._on_change()
            case Advanced():
                self._on_advance()
            case LeaderContact(epoch):
                if self.raft is not None and self.raft.state.epoch == epoch:
                    self.raft.on_contact()
            case SnapshotLoaded(kept, records):
                self.metadata.on_snapshot(kept.id, records)
                self._applied = kept.id.offset
                self.snapshots.on_loaded(kept)

    def _on_change(self) -> None:
        """Epoch, leader or role are others now."""
        raft = self.raft
        if raft is None:
            return
        if raft.state.term is None:
            self._queue.clear()
            self._waiting.clear()
            self._told_epoch = -1
            if self._governs:
                assert self.controller is not None
                self._governs = False
                self._out.say("info", "this controller has lost the leadership", epoch=self.epoch)
                self.controller.on_resigned()
        self.fetches.on_progress()
        for told in self.listeners:
            told()

    def _on_advance(self) -> None:
        """The high watermark has moved: apply, then tell those that wait."""
        if self._reading or self.raft is None:
            return
        while self._applied < self.high_watermark:
            found = self._log.cached(self._applied, self.high_watermark)
            if not found:
                self._reading = True
                self._read_on()
                return
            if not self._take(found):
                return
        # A part of the image would look like a cluster without the rest of its topics: the first
        # look that a listener gets is one at all that is committed.
        mark = self.raft.log.leader_mark
        self._caught_up = self._caught_up or 0 <= mark <= self._applied
        if self._caught_up:
            self.metadata.publish()
        while self._waiting and self._waiting[0][0] < self._applied:
            offset, then = self._waiting.popleft()
            then(offset)
        self._tell_controller()
        self.fetches.on_progress()

    def _read_on(self) -> None:
        """Read what is next to be applied from the disk."""
        asked = self._applied

        def on_read(found: list[Cached]) -> None:
            self._reading = False
            # A snapshot may have replaced the log while the disk was read.
            fresh = [c for c in found if c.batch.base_offset >= self._applied]
            if not fresh and self._applied == asked:
                self._out.halt(
                    f"{self._config.metadata_dir}: the metadata log has no batch at {asked}, "
                    f"below its high watermark {self.high_watermark}"
                )
            elif self._take(fresh):
                self._on_advance()

        self._log.read_disk(asked, self.high_watermark, READ_BYTES, on_read)

    def _take(self, batches: list[Cached]) -> bool:
        """Apply committed batches, now or in the end of some turns; False: not now, or never."""
        self._reading = True  # Before: they may be decoded on the spot.
        if self.decoding.in_turns(batches, self._on_decoded):
            return False
        self._reading = False
        return self._apply(batches)

    def _on_decoded(self, batches: list[Cached]) -> None:
        self._reading = False
        # A snapshot may have replaced the log meanwhile.
        if self._apply([c for c in batches if c.batch.base_offset >= self._applied]):
            self._on_advance()

    def _apply(self, batches: list[Cached]) -> bool:
        """Apply committed batches; False if the node must stop over one."""
        raft = self.raft
        assert raft is not None
        for batch, records in batches:
            try:
                if records is None:
                    records = tuple(records_of(batch))
                self.metadata.on_committed(
                    batch.base_offset, batch.last_offset, batch.leader_epoch, records
                )
            except Corrupt as error:
                self._out.halt(f"{self._config.metadata_dir}: {error}")
                return False
            self._applied = batch.next_offset
            self.snapshots.on_applied(batch.size, batch.max_timestamp)
        return True

    def _tell_controller(self) -> None:
        """Have the controller begin once all that came before our epoch is applied."""
        raft = self.raft
        term = raft.state.term if raft else None
        if term is None or term.start is None or self._applied <= term.start:
            return
        if self._told_epoch == term.epoch or self.controller is None:
            return
        self._told_epoch = term.epoch
        if self.metadata.in_transaction:
            # Its leader is gone: what it had begun must never count.
            self.append([AbortTransaction(reason="a new controller leads")], self._hand_over)
        else:
            self._hand_over(self._applied)

    def _hand_over(self, _: int) -> None:
        controller = self.controller
        raft = self.raft
        assert controller is not None
        assert raft is not None
        epoch = raft.state.epoch
        image = copy_image(self.metadata.image)
        if image.features:
            self._governs = True
            controller.on_leading(epoch, image, ())
            return

        def loaded(data: bytes | None) -> None:
            if self._told_epoch != epoch:
                return
            try:
                records = read_snapshot(BOOTSTRAP, data) if data is not None else []
            except Corrupt as error:
                self._out.halt(f"{self._config.metadata_dir}: {error}")
                return
            self._governs = True
            controller.on_leading(epoch, image, records)

        self._log.run(GetFile(self._config.metadata_dir, BOOTSTRAP), loaded)

    def _on_disk_failed(self, failure: Failure) -> None:
        """The metadata directory is lost: a node cannot go on without it (K858-11)."""
        if not self.stopping:
            self._out.halt(f"the metadata directory has failed: {failure}")


class QuorumHost(Protocol):
    """Whatever a request of the quorum is handled for: a node, or a part of one."""

    @property
    def quorum(self) -> Quorum:
        """Its quorum."""
