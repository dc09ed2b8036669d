"""`python -m tests.soak`: see `tests.soak`."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

import spindle.testing
from spindle.testing import ClusterInstance
from tests.soak import audit
from tests.soak.consuming import PROTOCOLS, Member, Seen
from tests.soak.copying import GROUP, Copier
from tests.soak.producing import NumberedProducer, Produced
from tests.soak.topics import COPY, INPUT, PARTITIONS, Place
from tests.soak.troubles import REPLICAS, Troubles
from tests.support.clients import state_of
from tests.support.waiting import TimeIsUp, eventually

BROKERS, DISKS, CONTROLLERS, PRODUCERS, COPIERS, MEMBERS = 4, 3, 3, 3, 2, 2
IN_SYNC_S: Final = 180
READ_S: Final = 300
SETTINGS: Final = {
    "min.insync.replicas": "2",
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "log.segment.bytes": "1048576",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    "transaction.state.log.min.isr": "2",
}


class Soak:
    """One cluster, its clients, its trouble, and what was found wrong."""

    def __init__(self, cluster: ClusterInstance, seed: int, say: Callable[[str], None]) -> None:
        self._cluster, self._say = cluster, say
        bootstrap = self._bootstrap = cluster.bootstrap_servers
        self._admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
        topics = [NewTopic(name, PARTITIONS, REPLICAS) for name in (INPUT, COPY)]
        for made in self._admin.create_topics(topics).values():
            made.result(20)
        self.produced = Produced()
        self._producers = [
            NumberedProducer(bootstrap, n, seed, self.produced) for n in range(PRODUCERS)
        ]
        self.copiers = [Copier(bootstrap, f"copier-{n}") for n in range(COPIERS)]
        self._seen = {protocol: Seen() for protocol in PROTOCOLS}
        self._members = [
            Member(bootstrap, protocol, seen)
            for protocol, seen in self._seen.items()
            for _ in range(MEMBERS)
        ]
        self.troubles = Troubles(cluster, seed, say)

    def run(self, seconds: float) -> Iterator[str]:
        """All of it; the findings."""
        for client in (*self._producers, *self.copiers, *self._members):
            client.start()
        self.troubles.run(seconds)
        self._say("all trouble has ended")
        yield from self._ended()
        yield from self._waited(self._is_in_sync, "all replicas are in sync", IN_SYNC_S)
        left = sum(producer.end() for producer in self._producers)
        if left or self.produced.given_up:
            yield f"not delivered: {left} records; given up: {dict(self.produced.given_up)}"
        yield from self._waited(self._is_read, "each group has read all", READ_S)
        for copier in self.copiers:
            copier.end()
        for member in self._members:
            member.end()
        yield from (f"{m.name} has given up: {m.fatal}" for m in self._members if m.fatal)
        yield from self._ended()
        self._say("the audit begins")
        yield from audit.records(self._bootstrap, self.produced)
        replicas = self._replicas()
        for broker in self._cluster.brokers:
            broker.stop()
        yield from audit.files(self._cluster, replicas)
        yield from audit.bugs(self._cluster)

    def _ended(self) -> Iterator[str]:
        for node in self._cluster.nodes:
            if not node.is_running:
                yield f"{node.name} has ended by itself with {node.exit_code}"

    def _waited(self, look: Callable[[], bool], what: str, seconds: float) -> Iterator[str]:
        try:
            eventually(look, what, seconds, 1)
        except TimeIsUp as late:
            yield str(late)

    def _is_in_sync(self) -> bool:
        found = [state_of(self._admin, topic) for topic in (INPUT, COPY)]
        return all(
            len(state) == PARTITIONS and all(len(isr) == REPLICAS for _, isr in state.values())
            for state in found
        )

    def _is_read(self) -> bool:
        wanted = {
            place.partition: records.keys() for place, records in self.produced.acknowledged.items()
        }
        try:
            asked = [ConsumerGroupTopicPartitions(GROUP)]
            copied = self._admin.list_consumer_group_offsets(asked)[GROUP].result(10)
        except KafkaException:
            return False
        ends = {p.partition: p.offset for p in copied.topic_partitions if p.topic == INPUT}
        return all(
            ends.get(number, 0) > max(offsets)
            and all(offsets <= seen.offsets[number] for seen in self._seen.values())
            for number, offsets in wanted.items()
        )

    def _replicas(self) -> dict[Place, list[int]]:
        topics = self._admin.list_topics(timeout=20).topics
        return {
            Place(name, number): sorted(found.replicas)
            for name in (INPUT, COPY)
            for number, found in topics[name].partitions.items()
        }


def soak(seed: int, seconds: float, is_verbose: bool, kept: Path) -> list[str]:
    """Run one seed and say what came of it; the findings. `kept`: where the nodes' logs go then."""
    began = time.monotonic()

    def say(what: str) -> None:
        if is_verbose:
            print(f"{time.monotonic() - began:6.1f} {what}", flush=True)

    with spindle.testing.cluster(
        BROKERS, DISKS, controllers=CONTROLLERS, settings=SETTINGS
    ) as cluster:
        running = Soak(cluster, seed, say)
        findings = [*running.run(seconds)]
        acknowledged = running.produced.number
        words = sum((copier.words for copier in running.copiers), Counter())
        print(
            f"seed {seed}: {acknowledged} records, transactions {dict(words)}, "
            f"troubles {dict(running.troubles.counts)}, {len(findings)} findings, "
            f"{time.monotonic() - began:.0f} s",
            flush=True,
        )
        for finding in findings:
            print(f"  {finding}", flush=True)
        if findings:
            kept.mkdir(parents=True, exist_ok=True)
            for node in cluster.nodes:
                shutil.copy(node.log_file, kept / f"{seed}-{node.name.replace(' ', '-')}.log")
            print(f"  the nodes' logs are in {kept}", flush=True)
    return findings


def main() -> int:
    """Exit code 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many")
    parser.add_argument("--seconds", type=float, default=90, help="how long trouble lasts")
    parser.add_argument("--verbose", action="store_true", help="print each fault as it strikes")
    parser.add_argument(
        "--keep", type=Path, default=Path("build/soak"), help="folder for logs of what has failed"
    )
    asked = parser.parse_args()
    seeds = range(asked.seed, asked.seed + asked.seeds)
    found = [
        finding
        for seed in seeds
        for finding in soak(seed, asked.seconds, asked.verbose, asked.keep)
    ]
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
