"""A client that changes the cluster: topics, moves between disks, reassignments, settings.

The admin asks for each action once and only counts the answer: an operator's order may fail, and
must do no harm. Part of the workload; tells the history what may be gone because it was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from spindle.core.transactions.transaction_values import BUMPING
from spindle.model.errors import Error, PeerFailed
from spindle.model.feature_rules import (
    DIRECTORY_ASSIGNMENT,
    ELR_VERSION,
    METADATA_VERSION,
    RELEASES,
    TRANSACTION_VERSION,
    UpgradeType,
)
from spindle.model.ids import LogDir, NodeId, PartitionId
from spindle.model.image import BROKER_RESOURCE, TOPIC_RESOURCE
from spindle.model.outbox import Rng
from spindle.model.quorum_voters import Voter
from spindle.sim.client import Client, TopicView
from spindle.sim.sim_votes import voter_change
from spindle.sim.told_history import History
from spindle.wire.codec import Request, Response
from spindle.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from spindle.wire.messages.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from spindle.wire.messages.create_topics_request import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from spindle.wire.messages.create_topics_response import CreateTopicsResponse
from spindle.wire.messages.delete_records_request import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from spindle.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from spindle.wire.messages.elect_leaders_request import ElectLeadersRequest
from spindle.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from spindle.wire.messages.incremental_alter_configs_response import IncrementalAlterConfigsResponse
from spindle.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest

TIMEOUT: Final = 5000
SET: Final = 0
RATE: Final = "replica.alter.log.dirs.io.max.bytes.per.second"
UNLIMITED: Final = 1 << 40
COMPRESSION: Final = "compression.type"
PREFERRED: Final = 0
ELECTION: Final = ElectLeadersRequest(
    election_type=PREFERRED, topic_partitions=None, timeout_ms=TIMEOUT
)
LEVELS: Final = [level for level in RELEASES.values() if level >= DIRECTORY_ASSIGNMENT]
"""Of metadata.version: those at which clusters know directories."""
WAYS: Final = [UpgradeType.UPGRADE, UpgradeType.UPGRADE, UpgradeType.SAFE_DOWNGRADE]
UPGRADE: Final = UpdateFeaturesRequest(
    timeout_ms=TIMEOUT,
    feature_updates=(FeatureUpdateKey(feature=ELR_VERSION, max_version_level=1, upgrade_type=1),),
    validate_only=False,
)
"""Eligible leader replicas are switched on, in a cluster that was formatted without them."""


@dataclass(frozen=True, slots=True)
class AdminWeights:
    """What an admin does and how often. `pause`: mean s between actions; the rest are weights."""

    pause: float = 1.0
    topics: int = 2
    topics_max: int = 4
    partitions_max: int = 3
    replicas: int = 3
    configs: tuple[tuple[str, str], ...] = ()
    """Of every topic."""
    compressions: tuple[str, ...] = ()
    """Each topic has one of these; none: all keep what producers chose."""
    create: float = 1.0
    delete: float = 0.5
    move: float = 6.0
    reassign: float = 2.0
    trim: float = 0.5
    throttle: float = 0.5
    elect: float = 0.5
    repack: float = 0.0
    """A topic gets another compression."""
    change_version: float = 0.0
    """metadata.version goes up, or down as far as its records stay the same."""
    upgrade: float = 0.0
    """Eligible leader replicas are switched on, where the format has left them off."""
    voters: float = 0.0
    """A controller of a dynamic quorum gets a vote, or loses it."""
    reuse_names: bool = True
    """A topic may come again under the name of one that was deleted."""
    directories: dict[NodeId, tuple[LogDir, ...]] = field(default_factory=dict)
    controllers: tuple[Voter, ...] = ()
    """Of a dynamic quorum, as voters."""


class Admin(Client):
    """Creates the first topics, then acts as its weights say, until it drains."""

    def __init__(
        self,
        name: str,
        rng: Rng,
        brokers: dict[NodeId, tuple[str, int]],
        history: History,
        weights: AdminWeights,
    ) -> None:
        super().__init__(name, rng, brokers, history)
        self._weights = weights
        self._made = 0
        self._is_throttled = False
        self.sees_internal = True  # Its replicas move, too; its records are left alone.
        w = weights
        self._actions: list[tuple[float, Callable[[], None]]] = [
            (w.create, self._create_another),
            (w.delete, self._delete_some),
            (w.move, self._move_some),
            (w.reassign, self._reassign_some),
            (w.trim, self._trim_some),
            (w.throttle, lambda: self.throttle(self.choose([1000, 20_000, UNLIMITED]))),
            (w.elect, lambda: self._request("election", None, ELECTION)),
            (w.change_version, self._change_version),
            (w.upgrade, lambda: self._request("upgrade", None, UPGRADE)),
            (w.repack, self._repack_some),
            (w.voters, lambda: self._request(*voter_change(self.choose([*w.controllers]), rng))),
        ]

    def begin(self) -> None:
        """Create topics, then act now and then."""
        for _ in range(self._weights.topics):
            self.create()
        self.refresh_often()
        self._act_later()

    def _act_later(self) -> None:
        self.out.after(self.between(0.0, 2.0) * self._weights.pause, self._act)

    def _act(self) -> None:
        if self.draining:
            return
        self._act_later()
        point = self.out.rng.random() * sum(weight for weight, _ in self._actions)
        for weight, action in self._actions:
            point -= weight
            if point < 0:
                action()
                return

    def _request(self, what: str, node: NodeId | None, request: Request[Response]) -> None:
        def answered(answer: Response | PeerFailed) -> None:
            failed = isinstance(answer, PeerFailed)
            self.history.count(f"{what} {'not answered' if failed else 'answered'}")

        self.ask(node, request, answered)

    # --- topics -----------------------------------------------------------------------------

    def create(self) -> None:
        """Create a topic; asks again until it is there."""
        w = self._weights
        self._made += 1
        again = w.reuse_names and self._made > w.topics and self.out.rng.random() < 0.5
        gone = [n for id, n in self.history.names.items() if id in self.history.deleted]
        name = self.choose(gone) if again and gone else f"topic-{self._made}"
        configs = dict(w.configs)
        if w.compressions:
            configs[COMPRESSION] = self.choose(list(w.compressions))
            self.history.on_packing(name, configs[COMPRESSION])
        topic = CreatableTopic(
            name=name,
            num_partitions=1 + self.out.rng.randrange(w.partitions_max),
            replication_factor=w.replicas,
            configs=tuple(CreatableTopicConfig(name=n, value=v) for n, v in configs.items()),
        )
        request = CreateTopicsRequest(topics=(topic,), timeout_ms=TIMEOUT, validate_only=False)
        self._try_create(request)

    def _try_create(self, request: CreateTopicsRequest) -> None:
        def answered(answer: CreateTopicsResponse | PeerFailed) -> None:
            if isinstance(answer, PeerFailed) or answer.topics[0].error_code in (
                Error.INVALID_REPLICATION_FACTOR,
                Error.REQUEST_TIMED_OUT,
                Error.NOT_CONTROLLER,
            ):
                self.out.after(self.between(0.5, 1.0), lambda: self._try_create(request))
            else:
                self.history.count("topics asked for")
                self.refresh()

        if not self._weights.reuse_names and request.topics[0].name in self.history.names.values():
            return  # It was made, and only the answer was lost: it may be deleted by now.
        self.ask(None, request, answered)

    def _create_another(self) -> None:
        if len(self._own_topics()) < self._weights.topics_max:
            self.create()

    def _own_topics(self) -> list[TopicView]:
        return [topic for topic in self.topics.values() if not topic.name.startswith("__")]

    def _delete_some(self) -> None:
        alive = [t for t in self._own_topics() if t.topic_id not in self.history.deleted]
        if len(alive) > 1:
            self.delete(self.choose(alive))

    def delete(self, topic: TopicView) -> None:
        """Delete a topic, by its id."""
        self.history.deleted[topic.topic_id] = None
        state = DeleteTopicState(name=None, topic_id=topic.topic_id)
        request = DeleteTopicsRequest(topics=(state,), timeout_ms=TIMEOUT)
        self._request("deletion", None, request)

    # --- replicas ---------------------------------------------------------------------------

    def _some_partition(self) -> tuple[TopicView, int] | None:
        found = [(topic, index) for topic in self.topics.values() for index in topic.replicas]
        return self.choose(found) if found else None

    def _move_some(self) -> None:
        found = self._some_partition()
        if found is None:
            return
        topic, index = found
        everybody = list(self._weights.directories)
        # Now and then a broker that has no such replica: it must remember the order (K113-10).
        stranger = self.out.rng.random() < 0.1 or not topic.replicas[index]
        broker = self.choose(everybody if stranger else list(topic.replicas[index]))
        self.move(topic.name, index, broker, self.choose(list(self._weights.directories[broker])))
        if self.out.rng.random() < 0.3:  # and another order for the same replica soon after
            path = self.choose(list(self._weights.directories[broker]))
            delay = self.between(0.0, 0.1)
            self.out.after(delay, lambda: self.move(topic.name, index, broker, path))

    def move(self, topic: str, index: int, broker: NodeId, path: LogDir) -> None:
        """Have a replica moved to a directory (where it is: cancels a move)."""
        named = AlterReplicaLogDirTopic(name=topic, partitions=(index,))
        request = AlterReplicaLogDirsRequest(
            dirs=(AlterReplicaLogDir(path=path, topics=(named,)),),
        )
        self._request("move", broker, request)

    def _reassign_some(self) -> None:
        found = self._some_partition()
        if found is None:
            return
        topic, index = found
        if self.out.rng.random() < 0.2:
            self.reassign(topic.name, index, None)
            return
        brokers = list(self._weights.directories)
        target = []
        for _ in range(min(self._weights.replicas, len(brokers))):
            target.append(brokers.pop(self.out.rng.randrange(len(brokers))))
        self.reassign(topic.name, index, target)

    def reassign(self, topic: str, index: int, brokers: Sequence[NodeId] | None) -> None:
        """Have a partition's replicas moved to these brokers; None cancels."""
        partition = ReassignablePartition(
            partition_index=index,
            replicas=None if brokers is None else tuple(brokers),
        )
        request = AlterPartitionReassignmentsRequest(
            timeout_ms=TIMEOUT,
            allow_replication_factor_change=True,
            topics=(ReassignableTopic(name=topic, partitions=(partition,)),),
        )
        self._request("reassignment", None, request)

    # --- records and settings -----------------------------------------------------------------

    def _trim_some(self) -> None:
        found = self._some_partition()
        if found is None:
            return
        topic, index = found
        id = PartitionId(topic.topic_id, index)
        known = self.history.acknowledged.get(id)
        leader = topic.leaders.get(index, -1)
        if not known or leader < 0 or topic.topic_id in self.history.deleted:
            return
        self._trim(topic, index, leader, self.choose(list(known)))

    def trim(self, name: str, index: int, offset: int) -> None:
        """Have a partition's records below an offset deleted; no request where it has no leader."""
        topic = next((t for t in self.topics.values() if t.name == name), None)
        leader = topic.leaders.get(index, -1) if topic is not None else -1
        if topic is not None and leader >= 0 and topic.topic_id not in self.history.deleted:
            self._trim(topic, index, leader, offset)

    def _trim(self, topic: TopicView, index: int, leader: NodeId, offset: int) -> None:
        self.history.on_trim(PartitionId(topic.topic_id, index), offset)
        partition = DeleteRecordsPartition(partition_index=index, offset=offset)
        request = DeleteRecordsRequest(
            topics=(DeleteRecordsTopic(name=topic.name, partitions=(partition,)),),
            timeout_ms=TIMEOUT,
        )
        self._request("trim", leader, request)

    def unthrottle(self) -> None:
        """Let moves be as fast as they can, if they were limited; asks until that is answered."""

        def answered(answer: IncrementalAlterConfigsResponse | PeerFailed) -> None:
            if isinstance(answer, PeerFailed) or answer.responses[0].error_code != Error.NONE:
                self.out.after(self.between(0.5, 1.0), self.unthrottle)

        if self._is_throttled:
            self.ask(None, _setting((BROKER_RESOURCE, ""), RATE, str(UNLIMITED)), answered)

    def throttle(self, rate: int) -> None:
        """Limit the moves of every broker to `rate` bytes/s."""
        self._is_throttled = True
        self._set("throttle", (BROKER_RESOURCE, ""), RATE, str(rate))

    def _change_version(self) -> None:
        """Ask for another metadata.version, and for a topic before that can be committed.

        Most orders are refused, as they would lose records. Now and then it is transaction.version
        that goes up, under clients that go on as before.
        """
        feature, level, way = METADATA_VERSION, self.choose(LEVELS), self.choose(WAYS)
        if self.out.rng.random() < 0.2:
            feature, level, way = TRANSACTION_VERSION, BUMPING, UpgradeType.UPGRADE
        update = FeatureUpdateKey(feature=feature, max_version_level=level, upgrade_type=way)
        request = UpdateFeaturesRequest(
            timeout_ms=TIMEOUT, feature_updates=(update,), validate_only=False
        )
        self._request("change of the version", None, request)
        self._create_another()

    def _repack_some(self) -> None:
        alive = [t for t in self._own_topics() if t.topic_id not in self.history.deleted]
        if alive:
            self.repack(self.choose(alive).name, self.choose(list(self._weights.compressions)))

    def repack(self, topic: str, compression: str) -> None:
        """Have the records of a topic compressed in another way from now on."""
        self.history.on_packing(topic, compression)
        self._set("repacking", (TOPIC_RESOURCE, topic), COMPRESSION, compression)

    def _set(self, what: str, resource: tuple[int, str], name: str, value: str) -> None:
        self._request(what, None, _setting(resource, name, value))


def _setting(resource: tuple[int, str], name: str, value: str) -> IncrementalAlterConfigsRequest:
    changed = AlterConfigsResource(
        resource_type=resource[0],
        resource_name=resource[1],
        configs=(AlterableConfig(name=name, config_operation=SET, value=value),),
    )
    return IncrementalAlterConfigsRequest(resources=(changed,), validate_only=False)
