"""The voters of the metadata quorum as values: which nodes vote, and what they support (KIP-853).

A voter is a node with one metadata directory: a node that comes back with another disk is another
voter. Knows neither log nor bytes; `core.raft` decides with these, `wire.control` writes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from spindle.model.feature_rules import KRAFT_LEVELS
from spindle.model.ids import ZERO_ID, DirectoryId, Endpoint, NodeId, VersionRange, id_to_text

DYNAMIC: Final = 1
"""The level of kraft.version from which the log says which nodes are voters."""


class VoterKey(NamedTuple):
    """A node and its metadata directory; ZERO_ID where that is not known (static voters)."""

    id: NodeId
    directory_id: DirectoryId = ZERO_ID

    def __str__(self) -> str:
        told = "<undefined>" if self.directory_id == ZERO_ID else id_to_text(self.directory_id)
        return f"ReplicaKey(id={self.id}, directoryId={told})"


@dataclass(frozen=True, slots=True)
class KRaftVersion:
    """The quorum's protocol: 0 static voters, 1 voters in the log (KIP-853)."""

    level: int


@dataclass(frozen=True, slots=True)
class Voter:
    """A voter of a dynamic quorum. `supported`: the kraft.version levels it can work with."""

    id: NodeId
    directory_id: DirectoryId
    endpoints: tuple[Endpoint, ...]
    supported: VersionRange

    @property
    def key(self) -> VoterKey:
        """What makes it the voter that it is."""
        return VoterKey(self.id, self.directory_id)

    def is_of(self, directory: DirectoryId | None) -> bool:
        """Whether that directory is this voter's; one that is not known may be."""
        return self.directory_id == ZERO_ID or self.directory_id == (directory or ZERO_ID)

    def endpoint(self, listeners: Iterable[str]) -> Endpoint | None:
        """Where it is reached: the first of these listeners that it has."""
        by_name = {e.name: e for e in self.endpoints}
        return next((by_name[name] for name in listeners if name in by_name), None)


@dataclass(frozen=True, slots=True)
class Voters:
    """All voters of a quorum, one for each node id."""

    voters: tuple[Voter, ...]

    @property
    def ids(self) -> tuple[NodeId, ...]:
        """The nodes with a vote."""
        return tuple(voter.id for voter in self.voters)

    @property
    def keys(self) -> str:
        """As messages name them."""
        return f"[{', '.join(str(voter.key) for voter in self.voters)}]"

    def find(self, id: NodeId) -> Voter | None:
        """The voter of a node, whatever its directory."""
        return next((voter for voter in self.voters if voter.id == id), None)

    def has(self, key: VoterKey) -> bool:
        """Whether this node with this directory has a vote."""
        voter = self.find(key.id)
        return voter is not None and voter.is_of(key.directory_id)

    def added(self, voter: Voter) -> Voters | None:
        """With one voter more; None where its id has a vote already."""
        return None if self.find(voter.id) is not None else _sorted((*self.voters, voter))

    def removed(self, key: VoterKey) -> Voters | None:
        """Without one voter; None where it has no vote, or is the only one."""
        left = tuple(voter for voter in self.voters if voter.key != key)
        return Voters(left) if left and len(left) < len(self.voters) else None

    def updated(self, voter: Voter) -> Voters | None:
        """With what a voter now says of itself; None where it has no vote."""
        if not self.has(voter.key):
            return None
        return _sorted((*(v for v in self.voters if v.id != voter.id), voter))


QuorumRecord: TypeAlias = KRaftVersion | Voters
"""What the log says of the quorum itself."""


class QuorumAt(NamedTuple):
    """What holds at a place of the log: level of kraft.version, and the voters if the log said."""

    level: int = 0
    voters: Voters | None = None

    @property
    def records(self) -> tuple[QuorumRecord, ...]:
        """What a snapshot says of it: nothing for static voters."""
        if self.level < DYNAMIC or self.voters is None:
            return ()
        return (KRaftVersion(self.level), self.voters)


NO_VOTERS: Final = Voters(())
STATIC: Final = QuorumAt()
"""The log says nothing of the quorum."""


def static_voters(nodes: Iterable[tuple[NodeId, str, int]], listener: str = "CONTROLLER") -> Voters:
    """The voters that a configuration names as (id, host, port)."""
    return _sorted(
        Voter(id, ZERO_ID, (Endpoint(listener, host, port),), KRAFT_LEVELS)
        for id, host, port in nodes
    )


def _sorted(voters: Iterable[Voter]) -> Voters:
    return Voters(tuple(sorted(voters, key=lambda voter: voter.id)))
