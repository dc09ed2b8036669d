"""What voters of the metadata quorum say to each other, as values (KIP-595, KIP-996).

Knows no bytes and no sockets. `node.quorum` translates these to requests and back.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from spindle.model.batches import RecordBatch
from spindle.model.errors import Error
from spindle.model.ids import ZERO_ID, DirectoryId, NodeId
from spindle.model.offsets import OffsetAndEpoch
from spindle.model.outbox import Rng
from spindle.model.quorum_voters import VoterKey

NO_NODE: Final = -1
"""No leader known; no vote cast."""


class ElectionState(NamedTuple):
    """What a node must remember of elections across a crash: `quorum-state`."""

    epoch: int = 0
    leader: NodeId = NO_NODE
    voted: NodeId = NO_NODE
    voted_directory: DirectoryId = ZERO_ID

    def has_voted_for(self, key: VoterKey) -> bool:
        """Whether our vote of this epoch is that node's, with that directory."""
        directory = self.voted_directory in (ZERO_ID, key.directory_id)
        return self.voted == key.id and (directory or key.directory_id == ZERO_ID)


class Ballot(NamedTuple):
    """A candidate asks for a vote. `last`: its log's end and the epoch of its last record."""

    candidate: NodeId
    epoch: int
    last: OffsetAndEpoch
    pre_vote: bool
    directory: DirectoryId = ZERO_ID
    """Of the candidate."""

    @property
    def key(self) -> VoterKey:
        """The candidate as a voter."""
        return VoterKey(self.candidate, self.directory)

    @property
    def is_possible(self) -> bool:
        """Whether a candidate can be so: nothing is in its log of the epoch that it stands for."""
        newest = self.epoch if self.pre_vote else self.epoch - 1
        return self.last.offset >= 0 and 0 <= self.last.epoch <= newest


class Heard(NamedTuple):
    """What each answer of a voter says: an error, and the epoch and leader that it knows."""

    error: Error
    epoch: int
    leader: NodeId


class VoteAnswer(NamedTuple):
    """The answer to a Ballot."""

    heard: Heard
    granted: bool


class FetchPosition(NamedTuple):
    """What a follower asks of the leader next. `offset` acknowledges all that lies before it."""

    epoch: int
    offset: int
    last_epoch: int
    start: int
    high_watermark: int


@dataclass(slots=True)
class FetchAnswer:
    """What a leader (or a voter that knows better) answered to a FetchPosition."""

    heard: Heard
    high_watermark: int = -1
    diverging: OffsetAndEpoch | None = None
    snapshot: OffsetAndEpoch | None = None
    batches: tuple[RecordBatch, ...] = ()


class Silence(Enum):
    """Why a fetch got no answer."""

    LATE = "no usable answer in time"
    GONE = "the connection was refused, or closed before an answer came"


@dataclass(slots=True, frozen=True)
class FetchVerdict:
    """A leader's judgement of a fetch, before any bytes are read.

    Exactly one holds: an `error`, a `diverging` point, a `snapshot` to load first, or (none of
    these) records from the offset asked for.
    """

    error: Error = Error.NONE
    diverging: OffsetAndEpoch | None = None
    snapshot: OffsetAndEpoch | None = None


@dataclass(slots=True, frozen=True)
class Timing:
    """The quorum's time limits, in seconds (`controller.quorum.*.ms`)."""

    fetch_timeout: float = 2.0
    election_timeout: float = 1.0
    backoff_max: float = 1.0
    retry_backoff: float = 0.02
    request_timeout: float = 2.0

    def backoff(self, place: int, rng: Rng) -> float:
        """How long the successor in this place leaves an election to those before it."""
        step = self.retry_backoff * (1 << min(place, 10))
        return min(step, self.backoff_max) * (0.5 + rng.random())
