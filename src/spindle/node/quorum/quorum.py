"""The metadata quorum at this node: the log and its state files, elections, commits, snapshots.

Composes the machine (`core.raft`), the disk (`metadata_log`), other nodes (`quorum_io`), the image
(`metadata_loader`), appends (`batch_accumulator`) and the controller (`controller_activation`), and
hands on what changes. Every node has one: voters take part in elections, others observe. The node
makes it, the rim opens the directories, `start` does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from spindle.core.raft.machine import Raft
from spindle.core.raft.raft_values import NO_NODE, Timing
from spindle.model.config import NodeConfig
from spindle.model.errors import Error, Refusal
from spindle.model.ids import DirectoryId, NodeId
from spindle.model.log_values import OpenedDirectory
from spindle.model.metadata_records import MetadataRecord
from spindle.model.outbox import Outbox
from spindle.node.metadata import Metadata
from spindle.node.peers import Peers
from spindle.node.quorum.batch_accumulator import BatchAccumulator, Committed
from spindle.node.quorum.controller_activation import ControllerActivation
from spindle.node.quorum.metadata_fetches import MetadataFetches
from spindle.node.quorum.metadata_loader import MetadataLoader
from spindle.node.quorum.metadata_log import MetadataLog
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


class Quorum:
    """This node's place in the metadata quorum."""

    def __init__(
        self, config: NodeConfig, cluster_id: str, out: Outbox, peers: Peers, metadata: Metadata
    ) -> None:
        self.cluster_id = cluster_id
        self.listeners: list[Callable[[], None]] = []
        """Called whenever epoch, leader or role change."""
        self.raft: Raft | None = None
        """None until the log has been opened."""
        self._config = config
        self._out = out
        self._peers = peers
        self._log = MetadataLog(config.metadata_dir, out, durable=config.is_controller)
        self.loader = MetadataLoader(config, out, self._log, metadata)
        self.activation = ControllerActivation(config.metadata_dir, out, self._log, metadata)

    # --- asking -----------------------------------------------------------------------------

    @property
    def metadata(self) -> Metadata:
        """The committed metadata of this node."""
        return self.loader.metadata

    @property
    def leader_id(self) -> NodeId:
        """The leader of the quorum, or -1."""
        return self.raft.state.leader if self.raft else NO_NODE

    @property
    def epoch(self) -> int:
        """The highest epoch seen."""
        return self.raft.state.epoch if self.raft else 0

    @property
    def is_leader(self) -> bool:
        """Whether this node leads and its controller is at work."""
        return self.activation.is_active

    @property
    def stopping(self) -> bool:
        """Whether no request of the quorum is served any more."""
        return self._log.is_closing

    @property
    def high_watermark(self) -> int:
        """Offset below which all is committed, as far as this node knows."""
        return self.raft.log.high_watermark if self.raft else 0

    @property
    def next_offset(self) -> int:
        """The offset that the next append will have (leader only)."""
        return self._appender.next_offset

    @property
    def is_hopeless(self) -> bool:
        """Whether so many voters have no process at their address that none can be elected."""
        if self.raft is None or not self.raft.state.voters:
            return False
        me, voters = self.raft.state.me, self.raft.state.voters
        left = [v for v in voters if v == me or not self.world.addresses.is_gone(v)]
        return len(left) <= len(voters) // 2

    def sound_out(self) -> None:
        """Find out which voters are there, if we lead: the others ask all the time."""
        raft = self.raft
        if raft is not None and raft.state.term is not None and self.is_leader:
            for voter in raft.state.term.silent_since(self._out.now):
                self.world.begin_epoch(voter, raft.state.epoch, raft.on_heard)

    def leader_endpoint(self) -> tuple[str, int] | None:
        """Where the active controller is reached, or None."""
        return self.endpoint_of(self.leader_id)

    def endpoint_of(self, node: NodeId) -> tuple[str, int] | None:
        """Where a controller is reached, as configured or learned, or None."""
        return self.world.addresses.at(node) if self.raft else None

    @property
    def directory_id(self) -> DirectoryId:
        """The id of our metadata directory; once it has been opened."""
        return self.world.identity.directory_id

    @property
    def controller_listeners(self) -> tuple[str, ...]:
        """Names of the controllers' listeners."""
        return self._config.quorum.listeners

    # --- start ------------------------------------------------------------------------------

    def start(self, opened: OpenedDirectory, then: Callable[[], None]) -> None:
        """Load what the metadata directory holds, then take part; `then` when loaded."""
        identity = RaftIdentity(self.cluster_id, self._config.node_id, opened.directory_id)
        self.world = QuorumIO(
            self._config, self._out, self._peers, self._log, identity, self._on_event
        )
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
            request_timeout=settings.seconds("controller.quorum.request.timeout.ms"),
        )
        self.world.addresses.follow(found.log.voters)
        joins: bool = settings.flag("controller.quorum.auto.join.enable")
        raft = Raft(
            self.world.own_voter,
            timing,
            self._out,
            found.log,
            self.world,
            joins=joins if self._config.is_controller else None,
        )
        self.loader.begin(found)
        self.raft = raft
        self.fetches = MetadataFetches(raft, self._log, self._out)
        self._appender = BatchAccumulator(raft, self._log, self.fetches, self.metadata, self._out)
        self.world.append_quorum = self._appender.append_quorum
        raft.start(found.state)
        self.loader.snapshots.start(found.log, found.snapshots)

    def shut_down(self, then: Callable[[], None] = lambda: None) -> None:
        """Give leadership away, if we have it, and stop taking part; `then` once that is done.

        Afterwards nothing more is asked of the metadata directory, so that it can be closed.
        """
        self._log.is_closing = True
        if self.raft is not None:
            self.raft.shut_down(then)
        else:
            then()

    def append(self, records: Sequence[MetadataRecord], then: Committed | None = None) -> int:
        """Append records as one atomic batch (leader only): see `BatchAccumulator.append`."""
        return self._appender.append(records, then)

    def check_kraft_version(self, level: int) -> None:
        """Refusal where kraft.version cannot become this level now."""
        self._leading().changes.check_upgrade(level)

    def raise_kraft_version(self, level: int, then: Callable[[Refusal | None], None]) -> None:
        """Have the voters in the log from now on; `then` once that is committed, or is not."""
        try:
            self._leading().changes.upgrade(level, then)
        except Refusal as refusal:
            then(refusal)

    def _leading(self) -> Raft:
        if self.raft is None or self.raft.state.term is None:
            raise Refusal(Error.NOT_CONTROLLER, "this node is not the active controller")
        return self.raft

    # --- what changes -----------------------------------------------------------------------

    def _on_event(self, event: QuorumEvent) -> None:
        """The machine, or what it has asked for, has changed something."""
        match event:
            case EpochWon(epoch, opening):
                self._appender.open_epoch(epoch, opening)
            case LeadershipChanged():
                self._on_change()
            case Advanced():
                self.loader.advance(self._on_applied)
            case LeaderContact(epoch):
                if self.raft is not None and self.raft.state.epoch == epoch:
                    self.raft.on_contact()
            case SnapshotLoaded(kept, records):
                self.loader.on_snapshot(kept, records)

    def _on_change(self) -> None:
        if self.raft is None:
            return
        if self.raft.state.term is None:
            self._appender.clear()
            self.activation.on_not_leading(self.epoch)
        self.fetches.on_progress()
        for told in self.listeners:
            told()

    def _on_applied(self) -> None:
        """All that is committed is in the image: tell those that wait for it."""
        assert self.raft is not None
        self._appender.on_applied(self.loader.applied)
        term = self.raft.state.term
        if term is not None:
            self.activation.on_applied(term, self._appender, self.loader.applied)
        self.fetches.on_progress()


class QuorumHost(Protocol):
    """Whatever a request of the quorum is handled for: a node, or a part of one."""

    @property
    def quorum(self) -> Quorum:
        """Its quorum."""
