"""A controller with its real handlers on a desk, over a quorum that commits when the test says."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from spindle.model import metadata_records as r
from spindle.model.config import node_config
from spindle.model.errors import Refusal
from spindle.model.feature_rules import SUPPORTED
from spindle.model.ids import DirectoryId, NodeId
from spindle.model.image import ClusterImage
from spindle.model.outbox import Outbox
from spindle.node import parted
from spindle.node.controller import Controller
from spindle.node.handlers import CONTROLLER
from spindle.storage.formatting import DEFAULT_LEVELS
from spindle.wire.apis import Key
from tests.support.desk import Desk, part, request

CLUSTER_ID = "AV9P4iMkRQymBdGIGwlqQA"
BOOTSTRAP = list(DEFAULT_LEVELS)


class Committed:
    """The committed image."""

    def __init__(self) -> None:
        self.image = ClusterImage()
        self.kraft_version = 0


class HandQuorum:
    """A quorum of one, in a test's hand: `commit()` commits all, `commit(n)` n batches."""

    def __init__(self) -> None:
        self.cluster_id = CLUSTER_ID
        self.metadata = Committed()
        self.leader_id = 9
        self.next_offset = 1
        self.batches: list[tuple[int, list[r.MetadataRecord]]] = []
        self.at_once = False
        self._waiting: list[tuple[int, Callable[[int], None] | None]] = []

    def leader_endpoint(self) -> tuple[str, int] | None:
        """Where the leader is."""
        return ("leader", 9093) if self.leader_id >= 0 else None

    def check_kraft_version(self, level: int) -> None:
        """Any level will do."""

    def raise_kraft_version(self, level: int, then: Callable[[Refusal | None], None]) -> None:
        """It holds at once."""
        self.metadata.kraft_version = level
        then(None)

    def append(
        self, records: Sequence[r.MetadataRecord], then: Callable[[int], None] | None = None
    ) -> int:
        """Take a batch."""
        base = self.next_offset
        self.batches.append((base, list(records)))
        self.next_offset += len(records)
        self._waiting.append((self.next_offset - 1, then))
        return base

    def commit(self, count: int | None = None) -> None:
        """Commit what waits."""
        for _ in range(len(self._waiting) if count is None else count):
            offset, then = self._waiting.pop(0)
            for record in next(b for base, b in self.batches if base + len(b) - 1 == offset):
                self.metadata.image.apply(record)
            self.metadata.image.offset = offset
            if then is not None:
                then(offset)

    def lose(self) -> None:
        """What waits is never committed."""
        self._waiting.clear()

    @property
    def records(self) -> list[r.MetadataRecord]:
        """All records."""
        return [record for _, batch in self.batches for record in batch]


class ControllerDesk(Desk):
    """An active controller and a client of its listener."""

    def __init__(self, active: bool = True, **settings: str) -> None:
        out = Outbox(random.Random(3))
        out.now, out.wall_ms = 1000.0, 1_700_000_000_000
        self.quorum = HandQuorum()
        self.config = node_config(
            {
                "node.id": "9",
                "process.roles": "controller",
                "listeners": "CONTROLLER://:9093",
                "controller.quorum.voters": "9@localhost:9093",
                **{name.replace("_", "."): value for name, value in settings.items()},
            }
        )
        self.controller = Controller(self.config, out, self.quorum)
        super().__init__(CONTROLLER, self.controller, out, "CONTROLLER", parted.CONTROLLER)
        self.controller.router = self.router
        if active:
            self.lead()

    def lead(self, epoch: int = 1) -> None:
        """The quorum elects us; all that follows from it is committed."""
        image = ClusterImage()
        for record in self.quorum.records:
            image.apply(record)
        image.offset = self.quorum.next_offset - 1
        self.controller.on_leading(epoch, image, BOOTSTRAP)
        self.quorum.commit()

    def resign(self) -> None:
        """The quorum loses its leadership, and what was not committed."""
        self.quorum.lose()
        self.controller.on_resigned()

    def call(self, key: int, version: int, /, **fields: Any) -> Any:
        """Ask, commit, and get the answer."""
        self.send(self.made(key, version, **fields))
        self.quorum.commit()
        (answer,) = self.answers()
        return answer

    def made(self, key: int, version: int, /, **fields: Any) -> Any:
        """A request entity."""
        return request(key, version, **fields)

    def pass_time(self, seconds: float) -> None:
        """Let time pass; timers run when they are due."""
        end = self.out.now + seconds
        while (at := self.out.wake_at) is not None and at <= end:
            self.out.now = max(self.out.now, at)
            self.out.tick()
            self.quorum.commit()
        self.out.now = end

    # --- brokers ----------------------------------------------------------------------------

    def register(self, broker: NodeId, directories: Sequence[DirectoryId], version: int = 4) -> Any:
        """A broker's process registers."""
        key = Key.BROKER_REGISTRATION
        return self.call(
            key,
            version,
            broker_id=broker,
            cluster_id=CLUSTER_ID,
            incarnation_id=uuid.UUID(int=0x500000 + broker),
            listeners=(
                part(
                    key,
                    version,
                    "Listener",
                    name="PLAINTEXT",
                    host=f"host{broker}",
                    port=9092,
                    security_protocol=0,
                ),
            ),
            features=tuple(
                part(
                    key,
                    version,
                    "Feature",
                    name=name,
                    min_supported_version=levels.min,
                    max_supported_version=levels.max,
                )
                for name, levels in SUPPORTED.items()
            ),
            rack=None,
            log_dirs=tuple(directories),
        )

    def beat(self, broker: NodeId, version: int = 2, **fields: Any) -> Any:
        """A broker that has read everything sends a heartbeat."""
        given = {
            "broker_id": broker,
            "broker_epoch": self.quorum.metadata.image.brokers[broker].broker_epoch,
            "current_metadata_offset": self.quorum.next_offset - 1,
            "want_fence": False,
            "want_shut_down": False,
        }
        return self.call(Key.BROKER_HEARTBEAT, version, **{**given, **fields})

    def start(self, *brokers: NodeId) -> None:
        """Brokers with two directories each register and are unfenced."""
        for broker in brokers:
            assert self.register(broker, places(broker)).error_code == 0
            assert not self.beat(broker).is_fenced

    def create(self, name: str, *replicas: tuple[NodeId, ...]) -> None:
        """A topic with partitions assigned by hand."""
        key, version = Key.CREATE_TOPICS, 7
        topic = part(
            key,
            version,
            "CreatableTopic",
            name=name,
            num_partitions=-1,
            replication_factor=-1,
            assignments=tuple(
                part(key, version, "CreatableReplicaAssignment", partition_index=n, broker_ids=ids)
                for n, ids in enumerate(replicas)
            ),
            configs=(),
        )
        answer = self.call(key, version, topics=(topic,))
        assert answer.topics[0].error_code == 0, answer.topics[0].error_message


def places(broker: NodeId) -> tuple[DirectoryId, DirectoryId]:
    """The ids of a broker's two directories."""
    return uuid.UUID(int=0x1000 + broker * 16), uuid.UUID(int=0x1001 + broker * 16)
