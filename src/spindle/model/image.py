"""The cluster as the metadata log tells it. `apply(record)` is the only thing that changes it.

Every node holds one and replays committed records into it (brokers), or records as it decides
them (the active controller). Nothing here knows where records come from.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from spindle.model import metadata_records as r
from spindle.model.acl_table import AclTable
from spindle.model.client_quotas import QuotaTable, quota_entity
from spindle.model.ids import (
    LOST,
    MIGRATING,
    NO_LEADER,
    UNASSIGNED,
    DirectoryId,
    Endpoint,
    NodeId,
    PartitionId,
    TopicId,
    TopicPartition,
)

TOPIC_RESOURCE = 2
BROKER_RESOURCE = 4
CLIENT_METRICS_RESOURCE = 16
GROUP_RESOURCE = 32
NO_SETTINGS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(slots=True)
class TopicState:
    """A topic and its partitions, by index."""

    name: str
    topic_id: TopicId
    partitions: dict[int, r.PartitionRegistration] = field(default_factory=dict)


@dataclass(slots=True)
class Delta:
    """What records have touched since the last look."""

    partitions: dict[PartitionId, None] = field(default_factory=dict)
    """Created or changed, in order."""
    removed: dict[TopicId, TopicState] = field(default_factory=dict)
    gone: dict[PartitionId, None] = field(default_factory=dict)
    """The partitions of topics that were removed."""
    brokers: dict[NodeId, None] = field(default_factory=dict)
    configs: dict[tuple[int, str], None] = field(default_factory=dict)
    features: bool = False
    goes_on: bool = False
    """It is a later slice of the change before it."""
    revision: object = field(default_factory=object, compare=False)
    """`ClusterImage.revision`: handed on to the delta after it."""

    def __bool__(self) -> bool:
        return bool(
            self.partitions or self.removed or self.brokers or self.configs or self.features
        )

    def slices(self, most: int) -> deque[Delta]:
        """The same in several, with so many partitions each, for parts that act on it in turns.

        First what holds for all: settings, features, the names of topics that are gone. Then their
        partitions, for others may come under the same names; then the others; brokers in the end.
        """
        if len(self.gone) + len(self.partitions) <= most:
            return deque([self])
        found = deque([Delta(removed=self.removed, configs=self.configs, features=self.features)])
        for touched in (self.gone, self.partitions):
            ids = iter(touched)
            while piece := dict.fromkeys(islice(ids, most)):
                slice = Delta(goes_on=True)
                if touched is self.gone:
                    slice.gone = piece
                else:
                    slice.partitions = piece
                found.append(slice)
        if self.brokers:
            found.append(Delta(brokers=self.brokers, goes_on=True))
        return found


@dataclass(slots=True)
class AccessImage:
    """Which users there are, what they may do, and how much."""

    scram: dict[tuple[str, int], r.UserScramCredential] = field(default_factory=dict)
    """Credentials by user and mechanism."""
    acls: AclTable = field(default_factory=AclTable)
    quotas: QuotaTable = field(default_factory=QuotaTable)
    tokens: dict[str, r.DelegationToken] = field(default_factory=dict)
    """Delegation tokens by their ids."""

    def copy(self) -> AccessImage:
        """One that can be changed without changing this one."""
        quotas, tokens = self.quotas.copy(), dict(self.tokens)
        return AccessImage(dict(self.scram), self.acls.copy(), quotas, tokens)


class ClusterImage:
    """Topics, partitions, brokers, configs and features, as replayed so far.

    `offset` is that of the last record applied, `epoch` its leader epoch; -1 before the first.
    """

    def __init__(self) -> None:
        self.offset = -1
        self.epoch = -1
        self.topics: dict[TopicId, TopicState] = {}
        self.topic_ids: dict[str, TopicId] = {}
        self.brokers: dict[NodeId, r.RegisterBroker] = {}
        self.controllers: dict[NodeId, r.RegisterController] = {}
        self.configs: dict[tuple[int, str], Mapping[str, str]] = {}
        self.features: dict[str, int] = {}
        self.next_producer_id = 0
        self.access = AccessImage()
        self.others: list[r.Other] = []
        self.delta = Delta()

    # --- asking -----------------------------------------------------------------------------

    @property
    def revision(self) -> object:
        """Another object after each record that has changed anything: an idle cluster writes
        records that do not (KIP-835)."""
        return self.delta.revision

    @property
    def scram(self) -> dict[tuple[str, int], r.UserScramCredential]:
        """Credentials of SCRAM, by user and mechanism."""
        return self.access.scram

    @property
    def acls(self) -> AclTable:
        """The ACLs."""
        return self.access.acls

    @property
    def quotas(self) -> QuotaTable:
        """The quotas of clients."""
        return self.access.quotas

    def partition(self, id: PartitionId) -> r.PartitionRegistration | None:
        """A partition's state, or None where it does not exist."""
        topic = self.topics.get(id.topic_id)
        return topic.partitions.get(id.partition) if topic else None

    def topic(self, name: str) -> TopicState | None:
        """A topic by its name."""
        topic_id = self.topic_ids.get(name)
        return self.topics[topic_id] if topic_id is not None else None

    def resolve(self, name: TopicPartition) -> PartitionId | None:
        """The id of a partition that is known by name."""
        topic_id = self.topic_ids.get(name.topic)
        return PartitionId(topic_id, name.partition) if topic_id is not None else None

    def name_of(self, id: PartitionId) -> TopicPartition | None:
        """The name of a partition that is known by id."""
        topic = self.topics.get(id.topic_id)
        return TopicPartition(topic.name, id.partition) if topic else None

    def partitions(self) -> Iterator[tuple[TopicState, r.PartitionRegistration]]:
        """All partitions with their topics."""
        for topic in self.topics.values():
            for partition in topic.partitions.values():
                yield topic, partition

    def config(self, resource_type: int, name: str) -> Mapping[str, str]:
        """Dynamic settings of a resource ("" for the brokers' cluster-wide default).

        The same object as before exactly as long as they have not changed.
        """
        return self.configs.get((resource_type, name), NO_SETTINGS)

    def is_alive(self, broker: NodeId) -> bool:
        """Registered and not fenced."""
        state = self.brokers.get(broker)
        return state is not None and not state.fenced

    def is_active(self, broker: NodeId) -> bool:
        """Alive and not on its way out: may lead and may join an ISR."""
        state = self.brokers.get(broker)
        return state is not None and not state.fenced and not state.in_controlled_shutdown

    def directory_is_online(self, broker: NodeId, directory: DirectoryId) -> bool:
        """Whether a broker's directory counts as online (K858-15, as Apache Kafka ships it)."""
        if directory == LOST:
            return False
        if directory in (UNASSIGNED, MIGRATING):
            return True
        state = self.brokers.get(broker)
        return state is not None and (not state.log_dirs or directory in state.log_dirs)

    def directory_of(self, partition: r.PartitionRegistration, broker: NodeId) -> DirectoryId:
        """The directory that the metadata names for a broker's replica."""
        if len(partition.directories) != len(partition.replicas):
            return MIGRATING
        return partition.directories[partition.replicas.index(broker)]

    def replica_is_online(self, partition: r.PartitionRegistration, broker: NodeId) -> bool:
        """The broker is alive and its directory for this replica is online."""
        return (
            broker in partition.replicas
            and self.is_alive(broker)
            and self.directory_is_online(broker, self.directory_of(partition, broker))
        )

    def endpoint(self, broker: NodeId, listener: str) -> Endpoint | None:
        """Where a broker is reached on a listener."""
        state = self.brokers.get(broker)
        if state is None:
            return None
        return next((e for e in state.endpoints if e.name == listener), None)

    # --- replay -----------------------------------------------------------------------------

    def apply(self, record: r.MetadataRecord) -> None:
        """Replay one record. Unknown brokers or topics are a broken log: AssertionError."""
        change = _APPLY[type(record)]
        change(self, record)
        if change is not _nothing:
            self.delta.revision = object()

    def take_delta(self) -> Delta:
        """What changed since the last call."""
        delta, self.delta = self.delta, Delta(revision=self.revision)
        return delta


# --- replay: what each record changes ------------------------------------------------------------


def _register_broker(image: ClusterImage, record: r.RegisterBroker) -> None:
    image.brokers[record.broker_id] = record
    image.delta.brokers[record.broker_id] = None


def _unregister_broker(image: ClusterImage, record: r.UnregisterBroker) -> None:
    _registration(image, record.broker_id, record.broker_epoch)
    del image.brokers[record.broker_id]
    image.delta.brokers[record.broker_id] = None


def _change_broker(image: ClusterImage, record: r.BrokerRegistrationChange) -> None:
    state = _registration(image, record.broker_id, record.broker_epoch)
    leaving, cordoned = record.in_controlled_shutdown, record.cordoned_log_dirs
    image.brokers[record.broker_id] = replace(
        state,
        fenced=record.fenced > 0 if record.fenced else state.fenced,
        in_controlled_shutdown=leaving > 0 if leaving else state.in_controlled_shutdown,
        log_dirs=record.log_dirs or state.log_dirs,
        cordoned_log_dirs=state.cordoned_log_dirs if cordoned is None else cordoned,
    )
    image.delta.brokers[record.broker_id] = None


def _registration(image: ClusterImage, broker: NodeId, epoch: int) -> r.RegisterBroker:
    state = image.brokers.get(broker)
    assert state is not None, f"a record changes broker {broker}, which is not registered"
    assert state.broker_epoch == epoch, (
        f"a record changes broker {broker} of epoch {epoch}, registered {state.broker_epoch}"
    )
    return state


def _register_controller(image: ClusterImage, record: r.RegisterController) -> None:
    image.controllers[record.controller_id] = record


def _topic(image: ClusterImage, record: r.Topic) -> None:
    image.topics[record.topic_id] = TopicState(record.name, record.topic_id)
    image.topic_ids[record.name] = record.topic_id


def _remove_topic(image: ClusterImage, record: r.RemoveTopic) -> None:
    topic = image.topics.pop(record.topic_id)
    del image.topic_ids[topic.name]
    image.configs.pop((TOPIC_RESOURCE, topic.name), None)
    image.delta.removed[record.topic_id] = topic
    for index in topic.partitions:
        id = PartitionId(record.topic_id, index)
        image.delta.partitions.pop(id, None)
        image.delta.gone[id] = None


def _partition(image: ClusterImage, record: r.PartitionRegistration) -> None:
    image.topics[record.topic_id].partitions[record.partition_id] = record
    image.delta.partitions[PartitionId(record.topic_id, record.partition_id)] = None


def _change_partition(image: ClusterImage, record: r.PartitionChange) -> None:
    topic = image.topics[record.topic_id]
    topic.partitions[record.partition_id] = merge(topic.partitions[record.partition_id], record)
    image.delta.partitions[PartitionId(record.topic_id, record.partition_id)] = None


def _config(image: ClusterImage, record: r.DynamicConfig) -> None:
    key = (record.resource_type, record.resource_name)
    settings = dict(image.config(*key))
    if record.value is None:
        settings.pop(record.key, None)
    else:
        settings[record.key] = record.value
    if settings:
        image.configs[key] = settings
    else:
        image.configs.pop(key, None)
    image.delta.configs[key] = None


def _feature(image: ClusterImage, record: r.FeatureLevel) -> None:
    if record.level:
        image.features[record.name] = record.level
    else:
        image.features.pop(record.name, None)
    image.delta.features = True


def _producer_ids(image: ClusterImage, record: r.ProducerIdsBlock) -> None:
    image.next_producer_id = record.next_producer_id


def _clear_elr(image: ClusterImage, record: r.ClearElr) -> None:
    for topic in image.topics.values():
        if record.topic in ("", topic.name):
            for index, state in topic.partitions.items():
                if state.elr or state.last_known_elr:
                    topic.partitions[index] = replace(state, elr=(), last_known_elr=())
                    image.delta.partitions[PartitionId(topic.topic_id, index)] = None


def _scram(image: ClusterImage, record: r.UserScramCredential) -> None:
    image.scram[record.name, record.mechanism] = record


def _remove_scram(image: ClusterImage, record: r.RemoveUserScramCredential) -> None:
    del image.scram[record.name, record.mechanism]


def _token(image: ClusterImage, record: r.DelegationToken) -> None:
    image.access.tokens[record.token_id] = record


def _remove_token(image: ClusterImage, record: r.RemoveDelegationToken) -> None:
    image.access.tokens.pop(record.token_id, None)


def _add_acl(image: ClusterImage, record: r.AccessControlEntry) -> None:
    image.acls.add(record)


def _remove_acl(image: ClusterImage, record: r.RemoveAccessControlEntry) -> None:
    assert record.id in image.acls.entries, f"a record removes ACL {record.id}, which is not there"
    image.acls.remove(record.id)


def _quota(image: ClusterImage, record: r.ClientQuota) -> None:
    entity = quota_entity(record.entity)
    if record.remove:
        image.quotas.remove(entity, record.key)
    else:
        image.quotas.set(entity, record.key, record.value)


def _other(image: ClusterImage, record: r.Other) -> None:
    image.others.append(record)


def _nothing(image: ClusterImage, record: object) -> None:
    """NoOp, and transaction marks: the reader of the log resolves these."""


def merge(state: r.PartitionRegistration, change: r.PartitionChange) -> r.PartitionRegistration:
    """A partition after a change: epochs move as replay defines."""
    leads = change.leader != r.NO_CHANGE
    return r.PartitionRegistration(
        partition_id=state.partition_id,
        topic_id=state.topic_id,
        replicas=state.replicas if change.replicas is None else change.replicas,
        isr=state.isr if change.isr is None else change.isr,
        leader=change.leader if leads else state.leader,
        leader_epoch=state.leader_epoch + 1 if leads else state.leader_epoch,
        partition_epoch=state.partition_epoch + 1,
        directories=state.directories if change.directories is None else change.directories,
        removing_replicas=(
            state.removing_replicas
            if change.removing_replicas is None
            else change.removing_replicas
        ),
        adding_replicas=(
            state.adding_replicas if change.adding_replicas is None else change.adding_replicas
        ),
        leader_recovery_state=(
            state.leader_recovery_state
            if change.leader_recovery_state < 0
            else change.leader_recovery_state
        ),
        elr=state.elr if change.elr is None else change.elr,
        last_known_elr=(
            state.last_known_elr if change.last_known_elr is None else change.last_known_elr
        ),
    )


def has_leader(state: r.PartitionRegistration) -> bool:
    """Whether the partition has a leader."""
    return state.leader != NO_LEADER


_APPLY: dict[type, Callable[[ClusterImage, Any], None]] = {
    r.RegisterBroker: _register_broker,
    r.UnregisterBroker: _unregister_broker,
    r.BrokerRegistrationChange: _change_broker,
    r.RegisterController: _register_controller,
    r.Topic: _topic,
    r.RemoveTopic: _remove_topic,
    r.PartitionRegistration: _partition,
    r.PartitionChange: _change_partition,
    r.DynamicConfig: _config,
    r.FeatureLevel: _feature,
    r.ProducerIdsBlock: _producer_ids,
    r.NoOp: _nothing,
    r.BeginTransaction: _nothing,
    r.EndTransaction: _nothing,
    r.AbortTransaction: _nothing,
    r.ClearElr: _clear_elr,
    r.UserScramCredential: _scram,
    r.RemoveUserScramCredential: _remove_scram,
    r.AccessControlEntry: _add_acl,
    r.RemoveAccessControlEntry: _remove_acl,
    r.ClientQuota: _quota,
    r.DelegationToken: _token,
    r.RemoveDelegationToken: _remove_token,
    r.Other: _other,
}
