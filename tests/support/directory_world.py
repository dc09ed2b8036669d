"""Spindle brokers under one controller of either kind, whose directories a test tampers with.

Broker 1 (`VICTIM`) and broker 2 (`KEEPER`) have three log directories, broker 3 (`SINGLE`) has one.
What 1 and 3 say to the controller goes through relays; what is committed is read from its log.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from confluent_kafka.admin import NewTopic

from spindle.model.errors import Error
from spindle.model.ids import DirectoryId
from spindle.runtime.os_disk import OsDisk
from spindle.storage import meta
from spindle.wire.apis import Key
from tests.support import committed
from tests.support.apache_kafka import CONTROLLER_ID
from tests.support.mixed import Mixed
from tests.support.relay import Relay

KINDS: Final = ("our-controller", "their-controller")
VICTIM, KEEPER, SINGLE = 1, 2, 3
BOTH: Final = {VICTIM, KEEPER}
NOWHERE: Final = uuid.UUID(int=858_858)
"""The id of no directory."""
PATIENCE: Final = 90
SETTINGS: Final = {
    "broker.session.timeout.ms": "4000",
    "default.replication.factor": "2",
    "offsets.topic.replication.factor": "2",
    "log.dir.failure.timeout.ms": "60000",
}


@dataclass
class World:
    """A cluster, and what stands between two of its brokers and the controller."""

    cluster: Mixed
    relays: dict[int, Relay]

    # -- asking -----------------------------------------------------------------------------

    def ids(self, broker: int = VICTIM) -> list[DirectoryId]:
        """Ids of a broker's directories, in the order of its configuration."""
        return [directory_id(path) for path in self.cluster.nodes[broker].log_dirs]

    def folder(self, topic: str, disk: int) -> Path:
        """Where the victim has, or would have, a topic's log."""
        return self.cluster.nodes[VICTIM].log_dirs[disk] / f"{topic}-0"

    def where(self, topic: str) -> list[int]:
        """Numbers of the victim's directories that hold a current log of a topic."""
        return [n for n in range(3) if self.folder(topic, n).is_dir()]

    def assigned(self, topic: str, broker: int = VICTIM) -> DirectoryId:
        """What the committed metadata says."""
        return committed.assigned(self.cluster, broker, topic)[topic]

    def reports(self, broker: int = VICTIM) -> list[dict[tuple[uuid.UUID, int], DirectoryId]]:
        """Every AssignReplicasToDirs of a broker: the directory of each partition, by topic id."""
        return [
            {
                (topic.topic_id, partition.partition_index): directory.id_
                for directory in seen.body.directories
                for topic in directory.topics
                for partition in topic.partitions
            }
            for seen in self.relays[broker].seen(Key.ASSIGN_REPLICAS_TO_DIRS)
        ]

    def has_reported(self, topic: str, broker: int = VICTIM) -> bool:
        """Whether a broker has reported to the controller where its replica of a topic is."""
        topic_id = committed.image(self.cluster).topic_ids[topic]
        return any((topic_id, 0) in request for request in self.reports(broker))

    def fenced(self, broker: int = VICTIM) -> bool:
        """Whether the controller keeps a broker away from clients."""
        running = self.cluster.nodes[broker].process is not None
        return not running or committed.image(self.cluster).brokers[broker].fenced

    def until(self, look: Callable[[], object], what: str) -> None:
        """Poll, patiently."""
        self.cluster.until(look, what, PATIENCE)

    def become(self, topic: str, leader: int, isr: set[int]) -> None:
        """Wait until a topic's only partition is led and replicated so."""
        self.cluster.become(topic, {0: (leader, isr)}, PATIENCE)

    # -- doing ------------------------------------------------------------------------------

    def make_topics(self, topics: Sequence[str], replicas: list[int]) -> None:
        """Make topics of one partition, in sync."""
        new = [NewTopic(t, num_partitions=1, replica_assignment=[replicas]) for t in topics]
        for made in self.cluster.admin.create_topics(new).values():
            made.result(60)
        for topic in topics:
            self.become(topic, replicas[0], set(replicas))

    def place(self, homes: Mapping[str, int], broker: int = VICTIM) -> None:
        """Have a broker's replicas in directories by number, and named there."""
        asked: dict[tuple[str, int, int], int | str] = {(t, 0, broker): n for t, n in homes.items()}
        # The broker may learn of a new topic later than the one that leads it.
        self.until(lambda: set(self.cluster.alter(asked).values()) == {Error.NONE}, "it is asked")
        ids, disks = self.ids(broker), self.cluster.nodes[broker].log_dirs

        def settled() -> bool:
            said = committed.assigned(self.cluster, broker, *homes)
            there = all((disks[n] / f"{t}-0").is_dir() for t, n in homes.items())
            return there and all(said[t] == ids[n] for t, n in homes.items())

        self.until(settled, "every replica is where its case begins")

    def stop_and(self, change: Callable[[], None], broker: int = VICTIM) -> None:
        """Stop a broker, change what it will find, start it, and do not wait for it."""
        self.cluster.stop_node(broker)
        change()
        self.relays[broker].forget()
        self.cluster.start_node(broker, wait=False)

    def restart_changed(self, change: Callable[[], None], broker: int = VICTIM) -> None:
        """The same; returns when the broker is unfenced."""
        self.stop_and(change, broker)
        self.until(lambda: not self.fenced(broker), f"broker {broker} is unfenced")


@contextmanager
def running(kind: str, folder: Path, jars: Path) -> Iterator[World]:
    """Three Spindle brokers that serve, under a controller of this kind."""
    theirs = {CONTROLLER_ID} if kind == "their-controller" else set()
    cluster = Mixed(folder, jars, theirs=theirs, brokers=3, directories=3, settings=SETTINGS)
    relays = {}
    for broker in (VICTIM, SINGLE):
        node = cluster.nodes[broker]
        relay = relays[broker] = Relay(cluster.nodes[CONTROLLER_ID].controller_port or 0)
        node.settings["controller.quorum.voters"] = f"{CONTROLLER_ID}@127.0.0.1:{relay.port}"
        if broker == SINGLE:
            node.log_dirs = node.log_dirs[:1]
        cluster.write_config(node)
    with cluster, relays[VICTIM], relays[SINGLE]:
        cluster.start()
        yield World(cluster, relays)


def directory_id(path: Path) -> DirectoryId:
    """The id in a directory's `meta.properties`."""
    own = meta.read(OsDisk(), str(path))
    assert own is not None
    assert own.directory_id is not None
    return own.directory_id
