"""Which partitions of an internal topic are led here, each with the coordinator of its keys.

When leadership comes, a coordinator is made and the partition is read to its end for it; until then
clients hear COORDINATOR_LOAD_IN_PROGRESS. When it goes, the coordinator is closed. The base of
`node.groups` and `node.transactions`, which know what a coordinator is and what it asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from spindle.core.groups.subscription import partition_for
from spindle.model.errors import Error, Refusal
from spindle.model.ids import NodeId, PartitionId
from spindle.model.image import has_leader
from spindle.node.broker_context import BrokerContext
from spindle.node.partition_reader import Readable, Reading
from spindle.node.replicas.ports import CoordinatorRecord
from spindle.node.topic_creation import TopicCreation


class Closable(Protocol):
    """The inputs of any coordinator."""

    def on_loaded(self) -> None:
        """All is replayed."""

    def close(self) -> None:
        """Another broker leads now."""


class CoordinatorPartitions(Readable, Protocol):
    """What coordinators need of the replicas; tests keep partitions in memory."""

    @property
    def listeners(self) -> list[Callable[[PartitionId, bool], None]]:
        """Called whenever a partition begins (True) or ceases (False) to be led here."""

    def append(
        self,
        id: PartitionId,
        records: Iterable[CoordinatorRecord],
        then: Callable[[int | Error], None],
        producer: tuple[int, int] | None = None,
    ) -> None:
        """Append a batch; `then` gets its first offset once it is committed, or the error."""


C = TypeVar("C", bound=Closable, covariant=True)


class LedPartition(Generic[C]):
    """A partition that we lead: its coordinator, and its reading while that lasts."""

    def __init__(self, coordinator: C) -> None:
        self.coordinator = coordinator
        self.loading: Reading | None = None


L = TypeVar("L", bound=LedPartition[Closable])


class Coordinating(Generic[L]):
    """The partitions of `topic` that are led here, and the way from a key to its coordinator."""

    def __init__(
        self,
        context: BrokerContext,
        partitions: CoordinatorPartitions,
        creation: TopicCreation,
        topic: str,
    ) -> None:
        self._context = context
        self._partitions = partitions
        self._creation = creation
        self._topic = topic
        self._led: dict[PartitionId, L] = {}
        partitions.listeners.append(self.on_leading)

    # --- finding ----------------------------------------------------------------------------------

    def partition_of(self, key: str) -> PartitionId | None:
        """The partition that holds a key; None while the topic is not there."""
        topic = self._context.image.topic(self._topic)
        if topic is None or not topic.partitions:
            return None
        return PartitionId(topic.topic_id, partition_for(key, len(topic.partitions)))

    def leader_for(self, key: str) -> NodeId | None:
        """The coordinator of a key; None if there is none yet. Has the topic made if need be."""
        id = self.partition_of(key)
        if id is None:
            self._creation.want([self._topic])
            return None
        state = self._context.image.partition(id)
        if state is None or not has_leader(state) or not self._context.image.is_alive(state.leader):
            return None
        return state.leader

    @property
    def is_loading(self) -> bool:
        """Whether any of our partitions is still being read."""
        return any(led.loading is not None for led in self._led.values())

    def _find(self, key: str) -> L:
        """Where a key is coordinated, if that is here and ready; Refusal else."""
        id = self.partition_of(key)
        if id is None:
            raise Refusal(Error.NOT_COORDINATOR, f"{self._topic} does not exist yet")
        led = self._led.get(id)
        if led is None:
            raise Refusal(Error.NOT_COORDINATOR, f"{key} is coordinated elsewhere")
        if led.loading is not None:
            raise Refusal(Error.COORDINATOR_LOAD_IN_PROGRESS, f"reading {id}")
        return led

    def ready(self) -> Iterator[L]:
        """The partitions that are led here and read."""
        return (led for led in tuple(self._led.values()) if led.loading is None)

    # --- leading ----------------------------------------------------------------------------------

    def on_leading(self, id: PartitionId, leads: bool) -> None:
        """A partition begins or ceases to be led here (as `replicas` tells)."""
        if not leads:
            self._resign(id)
            return
        name = self._context.image.name_of(id)
        if name is not None and name.topic == self._topic:
            self._resign(id)
            self._lead(id)

    def _lead(self, id: PartitionId) -> None:
        """Make a coordinator and begin to read for it, by `_begin`."""
        raise NotImplementedError

    def _begin(
        self, id: PartitionId, led: L, reading: Callable[[Callable[[], None]], Reading]
    ) -> None:
        """`reading` gets what to run at the end."""
        led.loading = reading(lambda: self._on_loaded(id, led))
        self._led[id] = led
        led.loading.start()

    def _on_loaded(self, id: PartitionId, led: L) -> None:
        reading = led.loading
        assert reading is not None
        self._context.out.say(
            "info",
            "coordinator is ready",
            topic=self._topic,
            partition=id.partition,
            records=reading.records,
        )
        led.loading = None
        led.coordinator.on_loaded()

    def _resign(self, id: PartitionId) -> L | None:
        """Another broker leads now; what was led."""
        led = self._led.pop(id, None)
        if led is not None:
            if led.loading is not None:
                led.loading.stop()
            led.coordinator.close()
        return led
