"""The base of every part of a broker: its identity, the committed metadata, the ways to others.

Holds no part and decides nothing. Made by `node`; `broker` gives it to each part's constructor,
where what the part needs beyond it stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from spindle.model.config import NodeConfig
from spindle.model.feature_rules import DIRECTORY_ASSIGNMENT, METADATA_VERSION
from spindle.model.ids import UNASSIGNED, DirectoryId, Endpoint, NodeId, PartitionId
from spindle.model.image import TOPIC_RESOURCE, ClusterImage
from spindle.model.outbox import Outbox
from spindle.model.settings.typed_settings import Settings, TopicSettings
from spindle.node.metadata import Metadata
from spindle.node.node_to_controller_channel import NodeToControllerChannel
from spindle.node.peers import Peers

T = TypeVar("T")
_SPARE: Final = 64
"""So many topics that are gone may be remembered, and as many as have settings."""


class BrokerContext:
    """The ground of one broker."""

    def __init__(
        self,
        config: NodeConfig,
        cluster_id: str,
        out: Outbox,
        metadata: Metadata,
        peers: Peers,
        controller: NodeToControllerChannel,
    ) -> None:
        self.config = config
        self.cluster_id = cluster_id
        self.out = out
        self.metadata = metadata
        self.peers = peers
        self.controller = controller
        self._topics: dict[str, tuple[Mapping[str, str], TopicSettings]] = {}
        self._topics_version = 0

    @property
    def node_id(self) -> NodeId:
        """Our id."""
        return self.config.node_id

    @property
    def settings(self) -> Settings:
        """Our settings, dynamic values included."""
        return self.config.settings

    @property
    def image(self) -> ClusterImage:
        """The committed metadata as replayed here so far. A snapshot puts another in its place."""
        return self.metadata.image

    @property
    def level(self) -> int:
        """The cluster's `metadata.version`; 0 before it is known."""
        return self.image.features.get(METADATA_VERSION, 0)

    @property
    def broker_epoch(self) -> int:
        """The epoch of our registration as committed; -1 before the first."""
        state = self.image.brokers.get(self.node_id)
        return -1 if state is None else state.broker_epoch

    @property
    def speaks_of_directories(self) -> bool:
        """Whether the cluster's metadata knows directories (K858-19)."""
        return self.level >= DIRECTORY_ASSIGNMENT

    def assigned(self, id: PartitionId) -> DirectoryId:
        """The directory that the committed metadata names for our replica."""
        state = self.image.partition(id)
        if state is None or self.node_id not in state.replicas:
            return UNASSIGNED
        return self.image.directory_of(state, self.node_id)

    def address(self, node: NodeId) -> tuple[str, int] | None:
        """Where another broker is reached by brokers; None where it is not registered."""
        endpoint = self.image.endpoint(node, self.config.inter_broker_listener)
        return None if endpoint is None else (endpoint.host, endpoint.port)

    def highest_level(self, node: NodeId) -> int:
        """The highest `metadata.version` that another broker serves; 0 where it is not known."""
        registered = self.image.brokers.get(node)
        features = {} if registered is None else dict(registered.features)
        served = features.get(METADATA_VERSION)
        return 0 if served is None else served.max

    def reached(
        self, listener: str, brokers: Iterable[NodeId]
    ) -> Iterator[tuple[NodeId, Endpoint]]:
        """Where brokers are reached by a listener's clients; without those that are not."""
        for broker in brokers:
            endpoint = self.image.endpoint(broker, listener)
            if endpoint is not None:
                yield broker, endpoint

    def topic(self, topic: str) -> TopicSettings:
        """What holds for a topic: its own settings, else ours.

        Read once for each change: the same object until then, and for all topics with none of
        their own. What is made of it can be kept with it (`PerTopic`).
        """
        own = self.image.config(TOPIC_RESOURCE, topic)
        version, many = self.settings.version, 2 * len(self.image.configs) + _SPARE
        if version != self._topics_version or len(self._topics) > many:
            self._topics.clear()
            self._topics_version = version
        name = topic if own else ""
        known = self._topics.get(name)
        if known is None or known[0] is not own:
            known = self._topics[name] = (own, TopicSettings(own, self.settings))
        return known[1]


class PerTopic(Generic[T]):
    """What is made of topics' settings, once for each change of them."""

    def __init__(self, context: BrokerContext, make: Callable[[TopicSettings], T]) -> None:
        self._context = context
        self._make = make
        self._made: WeakKeyDictionary[TopicSettings, T] = WeakKeyDictionary()

    def of(self, topic: str) -> T:
        """What holds for a topic now."""
        settings = self._context.topic(topic)
        found = self._made.get(settings)
        if found is None:
            found = self._made[settings] = self._make(settings)
        return found
