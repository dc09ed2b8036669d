"""Carries out what the quorum machine asks for: requests to other voters, files, the log's bytes.

The `RaftIO` of `core.raft`. Decides nothing about elections. Belongs to `quorum`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from spindle.core.raft.log_retention import Kept
from spindle.core.raft.raft_values import (
    Ballot,
    ElectionState,
    FetchAnswer,
    FetchPosition,
    Heard,
    Silence,
    VoteAnswer,
)
from spindle.model.batches import RecordBatch
from spindle.model.config import NodeConfig
from spindle.model.errors import Corrupt, Error, PeerFailed, PeerGone, Refusal
from spindle.model.feature_rules import KRAFT_LEVELS
from spindle.model.ids import METADATA_TOPIC, Endpoint, NodeId, VersionRange
from spindle.model.jobs import PutFile
from spindle.model.metadata_records import MetadataRecord
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Outbox
from spindle.model.quorum_voters import QuorumAt, QuorumRecord, Voter, VoterKey
from spindle.node.peers import Peers
from spindle.node.quorum import raft_wire
from spindle.node.quorum.controller_addresses import ControllerAddresses
from spindle.node.quorum.foreign_controllers import Strangers
from spindle.node.quorum.metadata_log import Cached, MetadataLog
from spindle.node.quorum.metadata_snapshots import (
    read_snapshot,
    snapshot_name,
    snapshot_quorum,
    snapshot_time,
)
from spindle.wire.codec import Request
from spindle.wire.messages.add_raft_voter_response import AddRaftVoterResponse
from spindle.wire.messages.remove_raft_voter_response import RemoveRaftVoterResponse
from spindle.wire.quorum_state import encode_quorum_state

FOLDER: Final = f"{METADATA_TOPIC}-0"
STATE_FILE: Final = f"{FOLDER}/quorum-state"
SNAPSHOT_BYTES_MAX: Final = 1 << 30
CHANNEL: Final = "raft"
FETCH_CHANNEL: Final = "raft-fetch"
"""Of its own: a fetch may wait at the leader, an election may not wait behind it."""

T = TypeVar("T")
A = TypeVar("A", bound=raft_wire.RaftResponse)
Loaded = Callable[[QuorumAt | None], None]


def _not_open(_: tuple[QuorumRecord, ...]) -> int:
    raise AssertionError("the log is not open")


class EpochWon(NamedTuple):
    """We lead the epoch; a LeaderChange belongs at the log's end, and `opening` behind it."""

    epoch: int
    opening: tuple[QuorumRecord, ...]


class LeadershipChanged(NamedTuple):
    """Epoch, leader or role are others now."""


class Advanced(NamedTuple):
    """More is committed."""


class LeaderContact(NamedTuple):
    """The leader of the epoch has answered something."""

    epoch: int


class SnapshotLoaded(NamedTuple):
    """A snapshot has replaced the log; these are its records."""

    kept: Kept
    records: list[MetadataRecord]


QuorumEvent = EpochWon | LeadershipChanged | Advanced | LeaderContact | SnapshotLoaded


class QuorumIO:
    """Files and other nodes for the machine of one node."""

    def __init__(
        self,
        config: NodeConfig,
        out: Outbox,
        peers: Peers,
        log: MetadataLog,
        identity: raft_wire.RaftIdentity,
        tell: Callable[[QuorumEvent], None],
    ) -> None:
        self._config = config
        self._out = out
        self._peers = peers
        self._log = log
        self.identity = identity
        """Our identity to others."""
        self._tell = tell
        settings = config.settings
        self._timeout: float = settings.seconds("controller.quorum.request.timeout.ms")
        self.addresses = ControllerAddresses(config)
        self.append_quorum: Callable[[tuple[QuorumRecord, ...]], int] = _not_open
        """Puts what the log says of the quorum into the log's queue, once that is open."""
        self._strangers = Strangers(config, identity.cluster_id, out, peers)

    @property
    def own_endpoints(self) -> tuple[Endpoint, ...]:
        """Our controller listeners as others reach them."""
        configured = self.addresses.at(self.identity.node_id)
        return tuple(
            e._replace(host=e.host or (configured[0] if configured else "localhost"))
            for e in self._config.advertised
            if e.name in self._config.quorum.listeners
        )

    @property
    def own_voter(self) -> Voter:
        """This node as a voter."""
        endpoints = tuple(Endpoint(e.name, e.host, e.port) for e in self.own_endpoints)
        return Voter(self.identity.node_id, self.identity.directory_id, endpoints, KRAFT_LEVELS)

    # --- files ------------------------------------------------------------------------------

    def save(self, state: ElectionState, then: Callable[[], None]) -> None:
        """Write `quorum-state` durably."""
        voters = tuple(id for id, _, _ in self._config.quorum.voters)
        data = encode_quorum_state(
            state.epoch,
            state.leader,
            state.voted,
            voters,
            kraft_version=1 if self.addresses.history.is_dynamic or not voters else 0,
            voted_directory=state.voted_directory,
        )
        self._log.run(PutFile(self._config.metadata_dir, STATE_FILE, data), lambda _: then())

    def append(self, batches: tuple[RecordBatch, ...], then: Callable[[], None]) -> None:
        """Append a leader's batches, durably where this node is or may become a voter."""
        self._log.append([Cached(batch, None) for batch in batches], then)

    def truncate(self, offset: int, then: Callable[[], None]) -> None:
        """Cut our log back."""
        self._out.say("warning", "metadata log truncated", offset=offset)
        self._log.truncate(offset, then)

    # --- other nodes ------------------------------------------------------------------------

    def ask_vote(
        self, voter: NodeId, ballot: Ballot, then: Callable[[VoteAnswer | None], None]
    ) -> None:
        """Send Vote."""
        request = raft_wire.vote_request(self.identity, self.addresses.key_of(voter), ballot)
        self._ask(self.addresses.at(voter), request, raft_wire.read_vote, then)

    def begin_epoch(
        self, voter: NodeId, epoch: int, then: Callable[[Heard | None], object]
    ) -> None:
        """Send BeginQuorumEpoch."""
        endpoints = self.own_endpoints
        request = raft_wire.begin_request(
            self.identity, self.addresses.key_of(voter), epoch, endpoints
        )
        self._ask(self.addresses.at(voter), request, raft_wire.read_epoch_answer, then)

    def end_epoch(
        self,
        voter: NodeId,
        epoch: int,
        successors: tuple[NodeId, ...],
        then: Callable[[Heard | None], object],
    ) -> None:
        """Send EndQuorumEpoch."""
        keys = [self.addresses.key_of(successor) for successor in successors]
        request = raft_wire.end_request(self.identity, epoch, keys, self.own_endpoints)
        self._ask(self.addresses.at(voter), request, raft_wire.read_epoch_answer, then)

    def fetch(
        self,
        source: NodeId | None,
        position: FetchPosition,
        then: Callable[[FetchAnswer | Silence], None],
    ) -> None:
        """Send Fetch to the leader, or to whichever controller's turn it is."""
        address = self.addresses.at(source)
        request = raft_wire.fetch_request(self.identity, position)
        self._try(
            address or self.addresses.next_server(),
            request,
            raft_wire.read_fetch,
            then,
            FETCH_CHANNEL,
        )

    def load_snapshot(
        self, source: NodeId, epoch: int, snapshot: OffsetAndEpoch, then: Loaded
    ) -> None:
        """Fetch the file piece by piece, check it, store it, restart the log where it ends."""
        address = self.addresses.at(source)
        parts: list[bytes] = []
        position = 0

        def ask() -> None:
            request = raft_wire.snapshot_request(self.identity, epoch, snapshot, position)
            self._ask(address, request, raft_wire.read_snapshot_chunk, on_chunk, FETCH_CHANNEL)

        def on_chunk(chunk: raft_wire.SnapshotChunk | None) -> None:
            nonlocal position
            if chunk is None or chunk.heard.error != Error.NONE or chunk.position != position:
                then(None)
                return
            self._tell(LeaderContact(epoch))
            parts.append(chunk.data)
            position += len(chunk.data)
            if position >= chunk.size:
                self._install(snapshot, b"".join(parts), then)
            elif not chunk.data or chunk.size > SNAPSHOT_BYTES_MAX:
                then(None)
            else:
                ask()

        ask()

    def _install(self, snapshot: OffsetAndEpoch, data: bytes, then: Loaded) -> None:
        name = snapshot_name(snapshot)
        try:
            records, quorum = read_snapshot(name, data), snapshot_quorum(name, data)
            kept = Kept(snapshot, len(data), snapshot_time(name, data))
        except Corrupt as error:
            self._out.say("error", "fetched metadata snapshot is damaged", reason=str(error))
            then(None)
            return

        def stored(_: object) -> None:
            self._log.reset(snapshot.offset, reset)

        def reset() -> None:
            self._out.say("info", "metadata snapshot loaded", snapshot=name, bytes=len(data))
            self._tell(SnapshotLoaded(kept, records))
            then(quorum)

        self._log.run(PutFile(self._config.metadata_dir, f"{FOLDER}/{name}", data), stored)

    # --- voters -----------------------------------------------------------------------------

    def ask_levels(self, voter: Voter, then: Callable[[VersionRange | Error], None]) -> None:
        """Send ApiVersions to a node that is to become a voter."""
        endpoint = voter.endpoint(self._config.quorum.listeners)
        assert endpoint is not None, "it was asked for with an endpoint of this listener"
        request = raft_wire.versions_request()

        def on_answer(levels: VersionRange | None) -> None:
            then(Error.NETWORK_EXCEPTION if levels is None else levels)

        address = (endpoint.host, endpoint.port)
        self._ask(address, request, raft_wire.read_levels, on_answer)

    def update_voter(
        self, leader: NodeId, epoch: int, own: Voter, then: Callable[[Heard | None], object]
    ) -> None:
        """Send UpdateRaftVoter."""
        request = raft_wire.update_request(self.identity, epoch, own)
        self._ask(self.addresses.at(leader), request, raft_wire.read_update, then)

    def add_voter(self, leader: NodeId, own: Voter) -> None:
        """Send AddRaftVoter for ourselves."""
        self._ask_change(leader, raft_wire.add_request(self.identity, own))

    def remove_voter(self, leader: NodeId, key: VoterKey) -> None:
        """Send RemoveRaftVoter."""
        self._ask_change(leader, raft_wire.remove_request(self.identity, key))

    def _ask_change(
        self, leader: NodeId, request: Request[AddRaftVoterResponse | RemoveRaftVoterResponse]
    ) -> None:
        def refused(why: str | None) -> None:
            if why:
                self._out.say("warning", "the quorum's leader refuses", reason=why)

        self._ask(self.addresses.at(leader), request, raft_wire.read_refusal, refused)

    # --- what changes -------------------------------------------------------------------------

    def lead(self, epoch: int, opening: tuple[QuorumRecord, ...]) -> None:
        """Open our epoch."""
        self._tell(EpochWon(epoch, opening))

    def on_change(self) -> None:
        """Epoch, leader or role are others now."""
        self._tell(LeadershipChanged())

    def on_high_watermark(self) -> None:
        """More is committed."""
        self._tell(Advanced())

    def on_impossible(self, why: str) -> None:
        """Stop the node."""
        self._out.halt(why)

    # --- sending ------------------------------------------------------------------------------

    def _ask(
        self,
        address: tuple[str, int] | None,
        request: Request[A],
        read: Callable[[A], T],
        then: Callable[[T | None], object],
        channel: str = CHANNEL,
    ) -> None:
        def on_answer(answer: T | Silence) -> None:
            then(None if isinstance(answer, Silence) else answer)

        self._try(address, request, read, on_answer, channel)

    def _try(
        self,
        address: tuple[str, int] | None,
        request: Request[A],
        read: Callable[[A], T],
        then: Callable[[T | Silence], None],
        channel: str,
    ) -> None:
        if address is None:
            self._out.after(0.001, lambda: then(Silence.LATE))
            return

        def on_answer(answer: A | PeerFailed) -> None:
            if isinstance(answer, PeerGone):
                self.addresses.on_gone(address)
            elif not isinstance(answer, PeerFailed):
                self.addresses.on_found(address)
            if isinstance(answer, PeerFailed):
                self._out.say("debug", "controller does not answer", reason=str(answer))
                then(Silence.GONE if isinstance(answer, PeerGone) else Silence.LATE)
                return
            if answer.error_code == Error.INCONSISTENT_CLUSTER_ID:
                self._strangers.on_refused(address)
                then(Silence.LATE)
                return
            try:
                self.addresses.learn(raft_wire.read_addresses(answer))
                result = read(answer)
            except raft_wire.TurnedAway as turned:
                self._on_turned_away(address, turned)
                then(Silence.LATE)
                return
            except (Corrupt, Refusal) as error:
                self._out.say(
                    "warning", "malformed response from the controller", reason=str(error)
                )
                then(Silence.LATE)
                return
            self._strangers.on_accepted()
            then(result)

        version = raft_wire.VERSIONS[type(request)]
        self._peers.ask(*address, channel, request, version, on_answer, self._timeout)

    def _on_turned_away(self, address: tuple[str, int], turned: raft_wire.TurnedAway) -> None:
        host, port = address
        if turned.error is Error.BROKER_NOT_AVAILABLE:
            self._out.say("debug", "controller is starting or stopping", host=host, port=port)
            return
        self._out.say(
            "warning", "controller refuses a request", host=host, port=port, reason=str(turned)
        )
