"""What the controller knows, and the draft in which a decision is made.

`ControllerState` is the cluster's image plus indexes; `replay(record, offset)` is its only writer.
Beside it stands what brokers say of the room in their directories, of which no record tells. A
decision reads the state through a `Draft`, which shows the records decided so far as if they had
been replayed already, and changes nothing else. The caller of the decision appends the records
and replays them, and gives the answer away once they are committed.

Knows no wire, no clock and no quorum. Used by the other modules here and by `node.controller`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from spindle.core.logdirs.placement import DirectoryCapacities
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import (
    CORDONED_DIRECTORIES,
    DIRECTORY_ASSIGNMENT,
    ELIGIBLE_LEADER_REPLICAS,
    ELR_VERSION,
    METADATA_VERSION,
)
from spindle.model.ids import (
    MIGRATING,
    NO_LEADER,
    UNASSIGNED,
    DirectoryId,
    NodeId,
    PartitionId,
    TopicId,
)
from spindle.model.image import BROKER_RESOURCE, TOPIC_RESOURCE, ClusterImage, merge
from spindle.model.settings.typed_settings import Settings, TopicSettings
from spindle.model.token_key import delegation_token_rules

T = TypeVar("T")

BATCH_RECORDS_MAX: Final = 10_000
"""Records of one atomic batch."""


@dataclass(frozen=True, slots=True)
class ControllerResult(Generic[T]):
    """What to write and, once that is committed, what to say.

    `atomic`: all records belong into one batch; else they may be cut anywhere, in order.
    """

    records: tuple[r.MetadataRecord, ...]
    answer: T
    atomic: bool = True


def check_records(count: int) -> None:
    """Refusal POLICY_VIOLATION where a decision needs too many records."""
    if count > BATCH_RECORDS_MAX:
        raise Refusal(
            Error.POLICY_VIOLATION,
            f"Unable to perform excessively large batch operation: it needs {count} records, more"
            f" than {BATCH_RECORDS_MAX}; ask for less at a time",
        )


class ControllerState:
    """The image, the settings of this node, and indexes over the partitions."""

    def __init__(self, image: ClusterImage, settings: Settings, cluster_id: str) -> None:
        self.image = image
        self.settings = settings
        self.token_rules = delegation_token_rules(settings)
        self.cluster_id = cluster_id
        self.hosted: dict[NodeId, dict[PartitionId, None]] = {}
        """Partitions that have a replica on a broker."""
        self.led: dict[NodeId, dict[PartitionId, None]] = {}
        """Partitions that a broker leads; under NO_LEADER those without a leader."""
        self.imbalanced: dict[PartitionId, None] = {}
        """Partitions whose leader is not their first replica."""
        self.reassigning: dict[PartitionId, None] = {}
        self.lookalikes: dict[str, dict[str, None]] = {}
        """Topic names by the form in which '.' and '_' are one (metric names collide)."""
        self.rooms: dict[NodeId, tuple[int, DirectoryCapacities[DirectoryId]]] = {}
        """The room of directories that brokers reported last, with the epoch of the broker."""
        self.registered_at: dict[NodeId, int] = {}
        """Offset of each broker's RegisterBroker record, or of the image where it came so."""
        for broker in image.brokers:
            self.registered_at[broker] = image.offset
        for topic, partition in image.partitions():
            id = PartitionId(topic.topic_id, partition.partition_id)
            for replica in partition.replicas:
                self.hosted.setdefault(replica, {})[id] = None
            self._index(id, partition)
        for name in image.topic_ids:
            self.lookalikes.setdefault(name.replace(".", "_"), {})[name] = None

    # --- replay -----------------------------------------------------------------------------

    def replay(self, record: r.MetadataRecord, offset: int) -> None:
        """Take over one decided record, which will stand at `offset` of the log."""
        match record:
            case r.RegisterBroker():
                self.registered_at[record.broker_id] = offset
            case r.UnregisterBroker():
                self.registered_at.pop(record.broker_id, None)
            case r.Topic():
                self.lookalikes.setdefault(record.name.replace(".", "_"), {})[record.name] = None
            case r.RemoveTopic():
                self._forget_topic(record.topic_id)
            case r.PartitionRegistration() | r.PartitionChange():
                self._replay_partition(record, offset)
                return
        self.image.apply(record)
        self.image.offset = offset
        self.image.take_delta()  # no part here reads it, and it must not grow

    def _replay_partition(
        self, record: r.PartitionRegistration | r.PartitionChange, offset: int
    ) -> None:
        id = PartitionId(record.topic_id, record.partition_id)
        before = self.image.partition(id)
        self.image.apply(record)
        self.image.offset = offset
        self.image.delta.partitions.clear()
        after = self.image.partition(id)
        assert after is not None
        if before is not None and before.replicas != after.replicas:
            for broker in before.replicas:
                self.hosted[broker].pop(id, None)
        if before is None or before.replicas != after.replicas:
            for broker in after.replicas:
                self.hosted.setdefault(broker, {})[id] = None
            self._take_room(before, after)
        if before is not None:
            self._unindex(id, before)
        self._index(id, after)

    def _forget_topic(self, topic_id: TopicId) -> None:
        topic = self.image.topics[topic_id]
        for index, partition in topic.partitions.items():
            id = PartitionId(topic_id, index)
            for broker in partition.replicas:
                self.hosted[broker].pop(id, None)
            self._unindex(id, partition)
        alike = self.lookalikes[topic.name.replace(".", "_")]
        del alike[topic.name]
        if not alike:
            del self.lookalikes[topic.name.replace(".", "_")]

    def _index(self, id: PartitionId, partition: r.PartitionRegistration) -> None:
        self.led.setdefault(partition.leader, {})[id] = None
        if partition.leader != partition.replicas[0]:
            self.imbalanced[id] = None
        if partition.adding_replicas or partition.removing_replicas:
            self.reassigning[id] = None

    def _unindex(self, id: PartitionId, partition: r.PartitionRegistration) -> None:
        self.led[partition.leader].pop(id, None)
        self.imbalanced.pop(id, None)
        self.reassigning.pop(id, None)

    def _take_room(
        self, before: r.PartitionRegistration | None, after: r.PartitionRegistration
    ) -> None:
        """Replicas that begin in a directory count there until their broker reports again."""
        for broker in after.replicas:
            if broker in self.rooms and (before is None or broker not in before.replicas):
                self.rooms[broker][1].took(self.image.directory_of(after, broker))

    # --- asking -----------------------------------------------------------------------------

    @property
    def metadata_version(self) -> int:
        """The finalized level of metadata.version."""
        return self.image.features.get(METADATA_VERSION, 0)

    @property
    def directories_supported(self) -> bool:
        """Whether brokers tell their directories (KIP-858)."""
        return self.metadata_version >= DIRECTORY_ASSIGNMENT

    @property
    def cordons_supported(self) -> bool:
        """Whether brokers tell which directories take no new replica (KIP-1066)."""
        return self.metadata_version >= CORDONED_DIRECTORIES

    @property
    def elr_enabled(self) -> bool:
        """Whether leavers of a small ISR stay eligible to lead (KIP-966)."""
        return (
            self.metadata_version >= ELIGIBLE_LEADER_REPLICAS
            and self.image.features.get(ELR_VERSION, 0) > 0
        )

    def check_broker_epoch(self, broker: NodeId, epoch: int) -> r.RegisterBroker:
        """The broker's registration; Refusal STALE_BROKER_EPOCH where it has not this epoch."""
        registration = self.image.brokers.get(broker)
        if registration is None or registration.broker_epoch != epoch:
            known = "not registered" if registration is None else str(registration.broker_epoch)
            raise Refusal(
                Error.STALE_BROKER_EPOCH,
                f"broker {broker} says epoch {epoch}, the controller knows: {known}",
            )
        return registration


class Draft:
    """The state as it will be once the records of this draft are replayed. Changes nothing."""

    def __init__(self, state: ControllerState) -> None:
        self.state = state
        self.records: list[r.MetadataRecord] = []
        self._partitions: dict[PartitionId, r.PartitionRegistration] = {}
        self._brokers: ClusterImage = state.image
        self._configs: dict[tuple[int, str], dict[str, str]] = {}
        self._settings: dict[str, TopicSettings] = {}
        """What `topic_settings` has made: thousands of partitions ask for the same."""
        self._rooms: dict[NodeId, DirectoryCapacities[DirectoryId]] = {}
        self.lookalikes: dict[str, str] = {}
        """Names of this draft's topics, by the form in which '.' and '_' are one."""

    def add(self, record: r.MetadataRecord) -> None:
        """Decide one more record; see `add_change` for changes of partitions."""
        assert not isinstance(record, r.PartitionChange)
        self.records.append(record)
        match record:
            case r.Topic():
                self.lookalikes.setdefault(record.name.replace(".", "_"), record.name)
            case r.PartitionRegistration():
                self._partitions[PartitionId(record.topic_id, record.partition_id)] = record
            case r.RegisterBroker() | r.UnregisterBroker() | r.BrokerRegistrationChange():
                if self._brokers is self.state.image:
                    self._brokers = ClusterImage()
                    self._brokers.brokers = dict(self.state.image.brokers)
                self._brokers.apply(record)
            case r.DynamicConfig():
                self._settings.clear()
                key = (record.resource_type, record.resource_name)
                settings = self._configs.setdefault(key, dict(self.state.image.config(*key)))
                if record.value is None:
                    settings.pop(record.key, None)
                else:
                    settings[record.key] = record.value

    def add_change(
        self, id: PartitionId, old: r.PartitionRegistration, record: r.PartitionChange
    ) -> None:
        """Decide a change of a partition, which is `old` until then."""
        self.records.append(record)
        self._partitions[id] = merge(old, record)

    def decision(self, answer: T, atomic: bool = True) -> ControllerResult[T]:
        """This draft as a decision. Refusal POLICY_VIOLATION where it is too large to be atomic."""
        if atomic:
            check_records(len(self.records))
        return ControllerResult(tuple(self.records), answer, atomic)

    # --- asking -----------------------------------------------------------------------------

    def partition(self, id: PartitionId) -> r.PartitionRegistration | None:
        """A partition, or None where it does not exist."""
        return self._partitions.get(id) or self.state.image.partition(id)

    def hosted(self, broker: NodeId) -> Iterator[tuple[PartitionId, r.PartitionRegistration]]:
        """The partitions that have a replica on `broker` and existed before this draft."""
        for id in list(self.state.hosted.get(broker, ())):
            partition = self.partition(id)
            if partition is not None and broker in partition.replicas:
                yield id, partition

    def leaderless(self) -> Iterator[PartitionId]:
        """The partitions without a leader that existed before this draft."""
        ids = dict.fromkeys(self.state.led.get(NO_LEADER, ()))
        ids.update(dict.fromkeys(self._partitions))
        for id in ids:
            partition = self.partition(id)
            if partition is not None and partition.leader == NO_LEADER:
                yield id

    def broker(self, broker: NodeId) -> r.RegisterBroker | None:
        """A broker's registration, or None."""
        return self._brokers.brokers.get(broker)

    @property
    def brokers(self) -> Mapping[NodeId, r.RegisterBroker]:
        """All registrations."""
        return self._brokers.brokers

    def is_active(self, broker: NodeId) -> bool:
        """Registered, unfenced, not shutting down."""
        return self._brokers.is_active(broker)

    def directory_is_online(self, broker: NodeId, directory: DirectoryId) -> bool:
        """Whether a directory counts as online (K858-15)."""
        return self._brokers.directory_is_online(broker, directory)

    def config(self, resource_type: int, name: str) -> Mapping[str, str]:
        """Dynamic settings of a resource."""
        changed = self._configs.get((resource_type, name))
        return self.state.image.config(resource_type, name) if changed is None else changed

    def topic_name(self, topic_id: TopicId) -> str:
        """The name of an existing topic."""
        return self.state.image.topics[topic_id].name

    def topic_settings(self, topic: str) -> TopicSettings:
        """A topic's settings: its own, the cluster's dynamic ones, our file's, the defaults."""
        if topic not in self._settings:
            own, shared = self.config(TOPIC_RESOURCE, topic), self.config(BROKER_RESOURCE, "")
            self._settings[topic] = TopicSettings(own, self.state.settings, shared)
        return self._settings[topic]

    def default_directory(self, broker: NodeId) -> DirectoryId:
        """Where a new replica is to be: the broker's only directory, or the one with most room.

        UNASSIGNED where the broker has not reported room (not Spindle's, or we have only just
        become the controller), or not of each directory's (one has only just come back): it chooses
        and tells, as Apache Kafka's brokers do (B-24).
        """
        registration = self.broker(broker)
        if registration is None or not registration.log_dirs:
            return MIGRATING
        if len(registration.log_dirs) == 1:
            return registration.log_dirs[0]
        rooms = self._rooms_of(registration)
        cordoned = registration.cordoned_log_dirs or ()
        open_ = [d for d in registration.log_dirs if d not in cordoned]
        ranked = rooms.order(open_)
        if not ranked or len(ranked) < len(open_):
            return UNASSIGNED
        rooms.took(ranked[0])
        return ranked[0]

    def _rooms_of(self, registration: r.RegisterBroker) -> DirectoryCapacities[DirectoryId]:
        """A broker's figures with what this draft has placed there."""
        broker = registration.broker_id
        if broker not in self._rooms:
            epoch, told = self.state.rooms.get(
                broker, (-1, DirectoryCapacities[DirectoryId]({}, 0, 0))
            )
            current = epoch == registration.broker_epoch
            self._rooms[broker] = told.copy() if current else DirectoryCapacities({}, 0, 0)
        return self._rooms[broker]
