"""What a controller tells of the cluster, and each node of the metadata quorum, when asked.

Every controller counts on the committed metadata, whether it decides or not, as Apache Kafka's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spindle.core.raft.roles import (
    CandidateState,
    FollowerState,
    LeaderState,
    ResignedState,
    Role,
)
from spindle.model.ids import PartitionId
from spindle.model.image import ClusterImage, Delta, has_leader
from spindle.model.metric_tables import controllers as of
from spindle.model.statistics import AT_ONCE, Figures, Sample
from spindle.node.broker_death_watch import BrokerDeathWatch
from spindle.node.quorum.quorum import Quorum


class ControllerFigures:
    """The figures of one controller."""

    def __init__(
        self,
        image: Callable[[], ClusterImage],
        active: Callable[[], bool],
        deaths: BrokerDeathWatch,
    ) -> None:
        """`image`: the committed metadata; `active`: whether this controller decides."""
        self._image, self._active, self._deaths = image, active, deaths
        self._unclean = 0
        self._recovering: set[PartitionId] = set()
        """Partitions whose leader was not in sync, and which have not recovered yet."""

    def on_metadata(self, delta: Delta) -> None:
        """Metadata was committed: count the leaders that were not in sync."""
        self._recovering -= delta.gone.keys()
        for id in delta.partitions:
            state = self._image().partition(id)
            if state is None or not state.leader_recovery_state:
                self._recovering.discard(id)
            elif id not in self._recovering:
                self._recovering.add(id)
                self._unclean += 1

    def statistics(self) -> Figures:
        """All of them."""
        image, deaths = self._image(), self._deaths
        yield of.ACTIVE.of(self._active())
        yield of.TIMED_OUT.of(deaths.timed_out)
        yield of.BURIED.of(deaths.found_dead)
        yield of.UNCLEAN.of(self._unclean)
        fenced = sum(broker.fenced for broker in image.brokers.values())
        yield of.ACTIVE_BROKERS.of(len(image.brokers) - fenced)
        yield of.FENCED_BROKERS.of(fenced)
        yield from _of_partitions(image)


def _of_partitions(image: ClusterImage) -> Figures:
    topics = tuple(image.topics.values())
    count = offline = imbalanced = 0
    for topic in topics:
        for state in tuple(topic.partitions.values()):
            count += 1
            offline += not has_leader(state)
            imbalanced += has_leader(state) and state.leader != state.replicas[0]
            if count % AT_ONCE == 0:
                yield None
    yield of.TOPICS.of(len(topics))
    yield of.ALL_PARTITIONS.of(count)
    yield of.OFFLINE_PARTITIONS.of(offline)
    yield of.IMBALANCE.of(imbalanced)


def quorum_statistics(quorum: Quorum) -> Iterator[Sample]:
    """What a node knows of the metadata quorum, and how far it has come."""
    yield of.APPLIED.of(quorum.metadata.image.offset)
    raft = quorum.raft
    if raft is None:
        return
    state = raft.state
    yield of.STATE.of(1, _name(state.role, state.is_voter))
    yield of.LEADER.of(state.leader)
    yield of.VOTE.of(state.election.voted)
    yield of.EPOCH.of(state.epoch)
    yield of.QUORUM_MARK.of(raft.log.high_watermark)
    yield of.QUORUM_END.of(raft.log.end)
    yield of.VOTERS.of(len(state.voters))


def _name(role: Role, is_voter: bool) -> str:
    """A role in Kafka's words."""
    if isinstance(role, LeaderState):
        return "leader"
    if isinstance(role, CandidateState):
        return "prospective" if role.pre_vote else "candidate"
    if isinstance(role, ResignedState):
        return "resigned"
    if not is_voter:
        return "observer"
    return "follower" if isinstance(role, FollowerState) else "unattached"
