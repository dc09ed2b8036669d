"""A controller's state in a test's hand: decide, replay, look. The quorum always agrees."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping
from typing import Any, TypeVar

from spindle.core.controller import brokers, directories, topics
from spindle.core.controller.broker_sessions import BrokerSessions
from spindle.core.controller.controller_state import ControllerResult, ControllerState
from spindle.model import metadata_records as r
from spindle.model.feature_rules import FINALIZED, METADATA_VERSION, SUPPORTED
from spindle.model.ids import DirectoryId, NodeId, PartitionId, TopicPartition, VersionRange
from spindle.model.image import ClusterImage
from spindle.model.settings.typed_settings import Settings

T = TypeVar("T")
CLUSTER_ID = "AV9P4iMkRQymBdGIGwlqQA"


def directory(broker: NodeId, number: int) -> DirectoryId:
    """The id of a broker's directory."""
    return uuid.UUID(int=0x1000 + broker * 16 + number)


def incarnation(number: int) -> uuid.UUID:
    """The id of a broker's process."""
    return uuid.UUID(int=0x900000 + number)


WITHOUT_ELR = {METADATA_VERSION: 30}
"""The levels of a cluster that was upgraded, and KIP-966 not switched on."""


class Cluster:
    """State, sessions and a log of records; `now` in s is moved by the test."""

    def __init__(
        self, settings: Mapping[str, str] | None = None, levels: Mapping[str, int] | None = None
    ) -> None:
        self.image = ClusterImage()
        self.log: list[r.MetadataRecord] = []
        for name, level in (FINALIZED if levels is None else levels).items():
            self.log.append(r.FeatureLevel(name=name, level=level))
            self.image.apply(self.log[-1])
        self.image.offset = len(self.log) - 1
        self.state = ControllerState(self.image, Settings(settings or {}), CLUSTER_ID)
        self.sessions = BrokerSessions(9.0)
        self.now = 100.0
        self.rng = random.Random(7)
        self.last: tuple[r.MetadataRecord, ...] = ()

    @property
    def next_offset(self) -> int:
        """The offset of the next record."""
        return len(self.log)

    def take(self, decision: ControllerResult[T]) -> T:
        """Replay a decision; its answer. The records stay in `last`."""
        for record in decision.records:
            self.state.replay(record, len(self.log))
            self.log.append(record)
        self.last = decision.records
        return decision.answer

    def new_id(self) -> uuid.UUID:
        """A random id."""
        return uuid.UUID(int=self.rng.getrandbits(128), version=4)

    # --- short hands ------------------------------------------------------------------------

    def registration(self, broker: NodeId, process: int = 0, **changes: Any) -> Any:
        """A registration request, two directories by default."""
        given: dict[str, Any] = {
            "broker_id": broker,
            "cluster_id": CLUSTER_ID,
            "incarnation_id": incarnation(broker * 100 + process),
            "features": dict(SUPPORTED),
            "log_dirs": (directory(broker, 0), directory(broker, 1)),
        }
        return brokers.Registration(**{**given, **changes})

    def register(self, broker: NodeId, process: int = 0, **changes: Any) -> int:
        """Register a broker; its epoch."""
        asked = self.registration(broker, process, **changes)
        return self.take(
            brokers.register(self.state, self.sessions, asked, self.next_offset, self.now)
        )

    def beat(self, broker: NodeId, **changes: Any) -> brokers.HeartbeatAnswer:
        """A heartbeat of a broker that has read everything."""
        given: dict[str, Any] = {
            "broker_id": broker,
            "broker_epoch": self.image.brokers[broker].broker_epoch,
            "metadata_offset": self.next_offset - 1,
        }
        beat = brokers.Heartbeat(**{**given, **changes})
        return self.take(
            brokers.heartbeat(self.state, self.sessions, beat, self.next_offset, self.now)
        )

    def start(self, *ids: NodeId, **changes: Any) -> None:
        """Register brokers and unfence them."""
        for broker in ids:
            self.register(broker, **changes)
            self.beat(broker)

    def topic(
        self, name: str, *replicas: tuple[NodeId, ...], configs: Mapping[str, str] | None = None
    ) -> None:
        """Create a topic with partitions assigned by hand."""
        asked = topics.CreatableTopic(
            name=name, assignments=tuple(enumerate(replicas)), configs=dict(configs or {})
        )
        answer = self.take(topics.create_topics(self.state, [asked], self.rng, self.new_id))[0]
        assert answer.error == 0, answer.message

    def id(self, name: str, partition: int = 0) -> PartitionId:
        """A partition's id."""
        id = self.image.resolve(TopicPartition(name, partition))
        assert id is not None
        return id

    def partition(self, name: str, partition: int = 0) -> r.PartitionRegistration:
        """A partition's state."""
        state = self.image.partition(self.id(name, partition))
        assert state is not None
        return state

    def assign(self, broker: NodeId, place: DirectoryId, *names: str) -> list[Any]:
        """A broker says where partitions 0 of topics live; the error codes."""
        return self.take(
            directories.assign(
                self.state,
                broker,
                self.image.brokers[broker].broker_epoch,
                [directories.Assignment(place, self.id(name)) for name in names],
            )
        )

    def change(self, record: r.PartitionChange) -> None:
        """Write a record that no request decided, to set a scene."""
        self.take(ControllerResult((record,), None))


def dumped(image: ClusterImage) -> dict[str, Any]:
    """All that an image says, to be compared."""
    return {
        name: getattr(image, name)
        for name in ("topics", "topic_ids", "brokers", "controllers", "configs", "features")
    } | {"producer": image.next_producer_id}


def old_features(**changes: VersionRange) -> dict[str, VersionRange]:
    """The features of a broker that differs from us in some; names with '_' for '.'."""
    return {**SUPPORTED, **{name.replace("_", "."): range for name, range in changes.items()}}
