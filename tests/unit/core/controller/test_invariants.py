"""Whatever is asked of the controller, in whatever order: what must always hold."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from contextlib import suppress

import pytest
from tests.unit.core.controller.kit import Cluster, directory, dumped

from spindle.core.controller import (
    brokers,
    configs,
    directories,
    elections,
    isr_proposals,
    reassignment,
    topics,
)
from spindle.core.controller.change import Election
from spindle.core.controller.config_resources import Alteration, ConfigResource
from spindle.core.controller.controller_state import ControllerResult, ControllerState
from spindle.model.errors import Refusal
from spindle.model.feature_rules import ELR_VERSION, METADATA_VERSION
from spindle.model.ids import LOST, NO_LEADER, UNASSIGNED, PartitionId, TopicPartition
from spindle.model.image import TOPIC_RESOURCE, ClusterImage
from spindle.model.metadata_records import PartitionRegistration

BROKERS = (1, 2, 3, 4, 5)
STEPS = 120


class Walk:
    """Random requests of a small cluster, from one seed."""

    def __init__(self, seed: int, levels: dict[str, int]) -> None:
        self.rng = random.Random(seed)
        self.cluster = Cluster(levels=levels)
        self.cluster.rng = self.rng
        self.process = dict.fromkeys(BROKERS, 0)
        self.seen: dict[PartitionId, PartitionRegistration] = {}
        self.steps: list[Callable[[], object]] = [
            *[self.register] * 2,
            *[self.beat] * 6,
            self.wait,
            self.unregister,
            *[self.assign] * 4,
            *[self.create] * 2,
            self.delete,
            self.grow,
            *[self.propose] * 6,
            *[self.reassign] * 3,
            self.elect,
            self.prefer,
            self.configure,
        ]

    def run(self) -> None:
        for broker in BROKERS[:3]:
            self.cluster.start(broker)
        for _ in range(STEPS):
            with suppress(Refusal):
                self.rng.choice(self.steps)()
            self.check()

    # --- steps ------------------------------------------------------------------------------

    def broker(self) -> int:
        return self.rng.choice(BROKERS)

    def some_dirs(self, broker: int) -> tuple[uuid.UUID, ...]:
        both = [directory(broker, 0), directory(broker, 1)]
        return tuple(self.rng.sample(both, self.rng.randrange(0, 3)))

    def partition(self) -> tuple[PartitionId, PartitionRegistration] | None:
        found = list(self.cluster.image.partitions())
        if not found:
            return None
        topic, partition = self.rng.choice(found)
        return PartitionId(topic.topic_id, partition.partition_id), partition

    def register(self) -> None:
        broker = self.broker()
        known = self.cluster.image.brokers.get(broker)
        self.process[broker] += self.rng.random() < 0.7
        self.cluster.register(
            broker,
            self.process[broker],
            log_dirs=self.some_dirs(broker),
            previous_epoch=known.broker_epoch if known and self.rng.random() < 0.5 else -1,
        )

    def beat(self) -> None:
        broker = self.broker()
        if broker in self.cluster.image.brokers:
            rng = self.rng
            self.cluster.beat(
                broker,
                want_fence=rng.random() < 0.2,
                want_shut_down=rng.random() < 0.1,
                offline_dirs=self.some_dirs(broker) if rng.random() < 0.2 else (),
                cordoned_dirs=self.some_dirs(broker) if rng.random() < 0.1 else None,
            )

    def wait(self) -> None:
        self.cluster.now += self.rng.random() * 8
        decision = brokers.expire(self.cluster.state, self.cluster.sessions, self.cluster.now)
        if decision is not None:
            self.cluster.take(decision)

    def unregister(self) -> None:
        if self.rng.random() < 0.3:
            self.cluster.take(brokers.unregister(self.cluster.state, self.broker()))

    def assign(self) -> None:
        broker, found = self.broker(), self.partition()
        if found and broker in self.cluster.image.brokers:
            places = [directory(broker, 0), directory(broker, 1), LOST, UNASSIGNED]
            epoch = self.cluster.image.brokers[broker].broker_epoch
            assignment = directories.Assignment(self.rng.choice(places), found[0])
            self.cluster.take(directories.assign(self.cluster.state, broker, epoch, [assignment]))

    def create(self) -> None:
        asked = topics.CreatableTopic(
            name=f"t{self.rng.randrange(8)}",
            partitions=1 + self.rng.randrange(3),
            replication=1 + self.rng.randrange(3),
        )
        self.cluster.take(
            topics.create_topics(self.cluster.state, [asked], self.rng, self.cluster.new_id)
        )

    def delete(self) -> None:
        name = f"t{self.rng.randrange(8)}"
        self.cluster.take(topics.delete_topics(self.cluster.state, [name]))

    def grow(self) -> None:
        asked = topics.MorePartitions(name=f"t{self.rng.randrange(8)}", count=4)
        self.cluster.take(topics.create_partitions(self.cluster.state, [asked], self.rng))

    def propose(self) -> None:
        found = self.partition()
        if found and found[1].leader != NO_LEADER:
            id, partition = found
            others = [b for b in partition.replicas if self.rng.random() < 0.6]
            members = dict.fromkeys([partition.leader, *others])
            proposal = isr_proposals.IsrProposal(
                partition=id,
                leader_epoch=partition.leader_epoch,
                partition_epoch=partition.partition_epoch,
                isr=tuple((m, -1) for m in members),
            )
            epoch = self.cluster.image.brokers[partition.leader].broker_epoch
            self.cluster.take(
                isr_proposals.alter_partitions(
                    self.cluster.state, partition.leader, epoch, [proposal]
                )
            )

    def reassign(self) -> None:
        found = self.partition()
        name = self.cluster.image.name_of(found[0]) if found else None
        if name is not None:
            target = tuple(self.rng.sample(BROKERS, 1 + self.rng.randrange(3)))
            asked = reassignment.TargetReplicas(
                partition=name, replicas=None if self.rng.random() < 0.3 else target
            )
            self.cluster.take(reassignment.alter(self.cluster.state, [asked]))

    def elect(self) -> None:
        kind = self.rng.choice([Election.PREFERRED, Election.UNCLEAN])
        asked = [TopicPartition(f"t{self.rng.randrange(8)}", 0)]
        self.cluster.take(
            elections.elect_leaders(
                self.cluster.state, kind, asked if self.rng.random() < 0.8 else None
            )
        )

    def prefer(self) -> None:
        self.cluster.take(elections.elect_preferred(self.cluster.state))

    def configure(self) -> None:
        resource = ConfigResource(TOPIC_RESOURCE, f"t{self.rng.randrange(8)}")
        name, value = self.rng.choice(
            [("unclean.leader.election.enable", "true"), ("min.insync.replicas", "2")]
        )
        alteration = Alteration(name, self.rng.randrange(2), value)
        self.cluster.take(
            configs.alter_incrementally(self.cluster.state, [(resource, [alteration])])
        )

    # --- what must hold ---------------------------------------------------------------------

    def check(self) -> None:
        image = self.cluster.image
        now = {}
        for topic, p in image.partitions():
            id = PartitionId(topic.topic_id, p.partition_id)
            now[id] = p
            self.check_partition(p)
            before = self.seen.get(id)
            if before is not None:
                assert p.leader_epoch >= before.leader_epoch
                assert p.partition_epoch >= before.partition_epoch
                if p != before:
                    assert p.partition_epoch > before.partition_epoch
                if p.leader != before.leader:
                    assert p.leader_epoch > before.leader_epoch
        self.seen = now

    def check_partition(self, p: PartitionRegistration) -> None:
        image, state = self.cluster.image, self.cluster.state
        assert p.replicas
        assert len(set(p.replicas)) == len(p.replicas)
        assert set(p.isr) <= set(p.replicas)
        assert set(p.adding_replicas) | set(p.removing_replicas) <= set(p.replicas)
        assert p.leader == NO_LEADER or p.leader in p.isr
        if state.directories_supported:
            assert len(p.directories) == len(p.replicas)
        if state.elr_enabled:
            assert not set(p.isr) & set(p.elr)
            assert set(p.elr) <= set(p.replicas)
        else:
            assert p.isr, "without eligible leaders the ISR never empties"
            assert p.elr == ()
        if p.leader != NO_LEADER:
            assert p.last_known_elr == ()
            for member in p.isr:
                assert image.is_active(member)
                assert image.directory_is_online(member, image.directory_of(p, member))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize(
    "levels",
    [{METADATA_VERSION: 30}, {METADATA_VERSION: 30, ELR_VERSION: 1}, {METADATA_VERSION: 16}],
    ids=["directories", "eligible leaders", "before directories"],
)
def test_random_requests_keep_the_cluster_whole(seed: int, levels: dict[str, int]) -> None:
    walk = Walk(seed, levels)
    walk.run()
    cluster = walk.cluster
    replayed = ClusterImage()
    for record in cluster.log:
        replayed.apply(record)
    assert dumped(replayed) == dumped(cluster.image)
    fresh = ControllerState(replayed, cluster.state.settings, cluster.state.cluster_id)
    assert_same_indexes(cluster.state, fresh)


def assert_same_indexes(kept: ControllerState, fresh: ControllerState) -> None:
    for index in ("hosted", "led"):
        trimmed = [
            {broker: set(ids) for broker, ids in getattr(state, index).items() if ids}
            for state in (kept, fresh)
        ]
        assert trimmed[0] == trimmed[1], index
    for index in ("imbalanced", "reassigning"):
        assert set(getattr(kept, index)) == set(getattr(fresh, index)), index
    assert kept.lookalikes == fresh.lookalikes


def test_a_draft_changes_nothing() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    cluster.topic("t", (1, 2))
    before = dumped(cluster.image)
    image = ClusterImage()
    for record in cluster.log:
        image.apply(record)
    beat = brokers.Heartbeat(
        broker_id=1,
        broker_epoch=cluster.image.brokers[1].broker_epoch,
        metadata_offset=0,
        want_fence=True,
    )
    decision: ControllerResult[brokers.HeartbeatAnswer] = brokers.heartbeat(
        cluster.state, cluster.sessions, beat, cluster.next_offset, cluster.now
    )
    assert decision.records
    assert dumped(cluster.image) == before == dumped(image)


def test_the_same_seed_decides_the_same() -> None:
    logs = []
    for _ in range(2):
        walk = Walk(5, {METADATA_VERSION: 30})
        walk.run()
        logs.append(walk.cluster.log)
    assert logs[0] == logs[1]
