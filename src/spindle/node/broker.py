"""A broker, composed: its parts, wired together. Holds no logic of its own.

Handlers reach every part through it. Parts know only what their constructors take:
docs/architecture.md draws which part stands on which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from spindle.core.lifecycle import BrokerState
from spindle.model.errors import Failure
from spindle.model.ids import LogDir, NodeId
from spindle.model.image import BROKER_RESOURCE, TOPIC_RESOURCE, ClusterImage, Delta
from spindle.model.log_values import OpenedDirectory
from spindle.model.outbox import Outbox
from spindle.model.settings.scrutiny import INTERNAL_TOPICS, look_at_topic
from spindle.model.settings.typed_settings import Settings
from spindle.model.statistics import Figures
from spindle.node.broker_context import BrokerContext
from spindle.node.broker_figures import BrokerFigures
from spindle.node.broker_lifecycle_manager import BrokerLifecycleManager
from spindle.node.forwarding import Forwarding
from spindle.node.groups.group_coordinator_service import GroupCoordinatorService
from spindle.node.housekeeping import Housekeeping
from spindle.node.logdirs.log_dir_manager import LogDirManager
from spindle.node.replicas.compaction import Compaction
from spindle.node.replicas.replica_fetcher_manager import ReplicaFetcherManager
from spindle.node.replicas.replica_manager import ReplicaManager
from spindle.node.share.share_coordinator_service import ShareCoordinatorService
from spindle.node.share.share_offsets import ShareOffsets
from spindle.node.share.share_partition_manager import SharePartitionManager
from spindle.node.share.share_persister import SharePersister
from spindle.node.slices import Slices
from spindle.node.topic_creation import TopicCreation
from spindle.node.transactions.producer_id_manager import ProducerIdManager
from spindle.node.transactions.transaction_coordinator_service import TransactionCoordinatorService


class Broker:
    """What a broker consists of, each part made after those that it takes."""

    def __init__(self, context: BrokerContext) -> None:
        self.context = context
        self.lifecycle = BrokerLifecycleManager(context, lambda: self.logs.places.rooms())
        self.replicas = ReplicaManager(context)
        self.fetchers = ReplicaFetcherManager(context, self.replicas)
        self.logs = LogDirManager(
            context, self.lifecycle, self.replicas, self.fetchers.has_answered
        )
        self.replicas.bind(self.fetchers, self.logs.post)
        self.fetchers.listeners.append(self.logs.assignments.on_answered)
        self.housekeeping = Housekeeping(context, self.replicas, self.logs)
        self.compaction = Compaction(
            context,
            self.replicas,
            lambda id: self.logs.moves.under_way.of(id) is not None,
            self.logs.places.purging.sweep,
        )
        self.topic_creation = TopicCreation(context)
        self.producer_ids = ProducerIdManager(context)
        self.share_coordinators = ShareCoordinatorService(
            context, self.replicas, self.topic_creation
        )
        persister = SharePersister(context, self.share_coordinators)
        self.groups = GroupCoordinatorService(
            context, self.replicas, self.topic_creation, persister.states
        )
        self.shares = SharePartitionManager(context, self.replicas, persister)
        self.share_offsets = ShareOffsets(context, self.replicas.partitions, persister)
        self.transactions = TransactionCoordinatorService(
            context, self.replicas, self.groups, self.topic_creation, self.producer_ids
        )
        self.forwarding = Forwarding(context)
        self.figures = BrokerFigures(
            context, self.lifecycle, self.replicas, self.fetchers, self.groups, self.shares
        )
        self.slices = Slices(context.out, context.config.log_dirs[0])
        self._said: set[str] = set()
        """What the log says of settings is said once."""

    # --- the context, for handlers -------------------------------------------------------------

    @property
    def cluster_id(self) -> str:
        """The cluster's id."""
        return self.context.cluster_id

    @property
    def node_id(self) -> NodeId:
        """Our id."""
        return self.context.node_id

    @property
    def settings(self) -> Settings:
        """Our settings, dynamic values included."""
        return self.context.settings

    @property
    def image(self) -> ClusterImage:
        """The committed metadata as replayed here so far."""
        return self.context.image

    @property
    def out(self) -> Outbox:
        """Our effects."""
        return self.context.out

    # --- life -------------------------------------------------------------------------------

    @property
    def has_started(self) -> bool:
        """Whether it has begun to register."""
        return self.lifecycle.state != BrokerState.NOT_RUNNING

    @property
    def is_serving(self) -> bool:
        """Whether we can answer clients: our logs are found, and brokers are known to be alive."""
        return self.logs.reconciler.is_settled and any(
            map(self.image.is_active, self.image.brokers)
        )

    @property
    def has_left(self) -> bool:
        """Whether we stop, and the controller no longer counts on us: no client should, either.

        Our logs are still to be closed, which takes a while. The last broker would say meanwhile
        that there are no brokers at all; and Apache Kafka's hangs up on its clients, too.
        """
        state = self.lifecycle.state
        return state == BrokerState.SHUTTING_DOWN or (
            state == BrokerState.PENDING_CONTROLLED_SHUTDOWN
            and not self.image.is_alive(self.node_id)
        )

    def on_opened(self, opened: Mapping[LogDir, OpenedDirectory | Failure]) -> None:
        """Our directories were opened, or could not be."""
        self.logs.on_opened(opened)

    def start(self) -> None:
        """The quorum follows the metadata log: register with the directories that can be used."""
        self.lifecycle.start(self.logs.online_ids, self.logs.reconciler.previous_broker_epoch)

    def shut_down(self, then: Callable[[], None]) -> None:
        """Give leadership away, stop moving and copying, write checkpoints; `then` close."""

        def left() -> None:
            self.replicas.close()
            self.logs.stop_moving(lambda: self.housekeeping.checkpoint(then))

        self.lifecycle.shut_down(left)

    # --- metadata ---------------------------------------------------------------------------

    def on_metadata(self, delta: Delta) -> None:
        """Metadata was committed: each part acts on it, the place of logs first."""
        if any(kind == BROKER_RESOURCE for kind, _ in delta.configs):
            self._apply_configs()
        self._look_at_topics(delta)
        self.logs.on_metadata(delta)
        self.replicas.on_metadata(delta)
        self.groups.on_metadata(delta)
        self.share_coordinators.on_metadata(delta)
        self.transactions.on_metadata(delta)

    def statistics(self) -> Figures:
        """Figures about this broker, under Kafka's names."""
        yield from self.housekeeping.statistics()
        yield from self.compaction.statistics()
        yield from self.figures.statistics()

    def _look_at_topics(self, delta: Delta) -> None:
        """Settings of topics that we do not honour: controllers of another kind accept them."""
        for kind, name in delta.configs:
            if kind == TOPIC_RESOURCE and name not in INTERNAL_TOPICS:
                idle = look_at_topic(self.image.config(kind, name))
                self._say_idle(f"topic {name}: {text}" for text in idle)

    def _say_idle(self, texts: Iterable[str]) -> None:
        for text in texts:
            if text not in self._said:
                self._said.add(text)
                self.out.say("warning", "a setting has no effect", reason=text)

    def _apply_configs(self) -> None:
        shared = self.image.config(BROKER_RESOURCE, "")
        own = self.image.config(BROKER_RESOURCE, str(self.node_id))
        self._say_idle(self.settings.set_dynamic({**shared, **own}))
        self.logs.on_settings()
