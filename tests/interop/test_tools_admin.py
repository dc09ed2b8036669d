"""The AdminClient against a real cluster."""

from __future__ import annotations

import asyncio
import signal
import uuid
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from tests.support.apache_kafka import ApacheKafka
from tests.support.freezing import freeze
from tests.support.waiting import eventually_async

from spindle.client.admin import AdminClient
from spindle.client.failures import OutOfTime, Refused, Unreachable
from spindle.client.results import (
    Change,
    ConfigChange,
    ConfigSource,
    NewPartitions,
    NewTopic,
    Replica,
    Resource,
    ResourceType,
)
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition

pytestmark = pytest.mark.kafka

T = TypeVar("T")


def asked(cluster: ApacheKafka, work: Callable[[AdminClient], Awaitable[T]]) -> T:
    """Run a scenario with a client of the cluster."""

    async def run() -> T:
        async with AdminClient(cluster.bootstrap) as admin:
            return await work(admin)

    return asyncio.run(run())


def error_of(outcome: object) -> Error:
    assert isinstance(outcome, Refused), outcome
    return outcome.error


def test_the_cluster_and_its_quorum(cluster: ApacheKafka) -> None:
    async def work(admin: AdminClient) -> None:
        described = await admin.describe_cluster()
        assert described.cluster_id == cluster.cluster_id
        assert {b: n.port for b, n in described.brokers.items()} == {
            n.node_id: n.port for n in cluster.brokers
        }
        quorum = await admin.describe_metadata_quorum()
        assert [v.node_id for v in quorum.voters] == [quorum.leader_id] == [1]
        assert quorum.high_watermark > 0

    asked(cluster, work)


def test_topics_are_made_described_grown_and_deleted(cluster: ApacheKafka) -> None:
    async def work(admin: AdminClient) -> None:
        new = [
            NewTopic("ad-a", 3, 2, configs={"retention.ms": "3600000"}),
            NewTopic("ad-b", assignment={0: (2, 1), 1: (1,) * 1 + (2,)}),
        ]
        await admin.create_topics(new, validate_only=True).all()
        made = await admin.create_topics([*new, NewTopic("ad-c", 1, 7)]).settled()
        assert error_of(made["ad-c"]) == Error.INVALID_REPLICATION_FACTOR
        again = await admin.create_topics([NewTopic("ad-a", 1, 1)]).settled()
        assert error_of(again["ad-a"]) == Error.TOPIC_ALREADY_EXISTS

        async def known() -> bool:
            return {"ad-a", "ad-b"} <= set(await admin.list_topics())

        await eventually_async(known, "the topics are known")
        found = await admin.describe_topics(["ad-a", "ad-b"]).all()
        assert len(found["ad-a"].partitions) == 3
        assert [p.replicas for p in found["ad-b"].partitions] == [(2, 1), (1, 2)]
        assert found["ad-b"].partitions[0].leader == 2
        unknown = await admin.describe_topics(["ad-nix"]).settled()
        assert error_of(unknown["ad-nix"]) == Error.UNKNOWN_TOPIC_OR_PARTITION

        grown = await admin.create_partitions(
            {"ad-a": NewPartitions(4), "ad-b": NewPartitions(1)}
        ).settled()
        assert grown["ad-a"] is None
        assert error_of(grown["ad-b"]) == Error.INVALID_PARTITIONS

        election = await admin.elect_leaders([TopicPartition("ad-b", 0)]).settled()
        assert error_of(election[TopicPartition("ad-b", 0)]) == Error.ELECTION_NOT_NEEDED

        gone = await admin.delete_topics(["ad-a", "ad-b", "ad-nix"]).settled()
        assert gone["ad-a"] is None
        assert gone["ad-b"] is None
        assert error_of(gone["ad-nix"]) == Error.UNKNOWN_TOPIC_OR_PARTITION

    asked(cluster, work)


def test_settings_of_topics_and_brokers(cluster: ApacheKafka) -> None:
    async def work(admin: AdminClient) -> None:
        await admin.create_topics([NewTopic("ad-conf", 1, 1)]).all()
        topic, broker = Resource(ResourceType.TOPIC, "ad-conf"), Resource(ResourceType.BROKER, "2")
        rate = "replica.alter.log.dirs.io.max.bytes.per.second"
        changes = {
            topic: [ConfigChange("retention.ms", Change.SET, "7200000")],
            broker: [ConfigChange(rate, Change.SET, "1000000")],
        }
        await admin.incremental_alter_configs(changes).all()

        async def applied() -> bool:
            settled = await admin.describe_configs([topic, broker]).settled()
            found = {r: s for r, s in settled.items() if not isinstance(s, Exception)}
            if len(found) < 2:
                return False
            retention, limit = found[topic]["retention.ms"], found[broker].get(rate)
            return (
                (retention.value, retention.source) == ("7200000", ConfigSource.TOPIC)
                and limit is not None
                and limit.value == "1000000"
            )

        await eventually_async(applied, "the settings are applied")
        own = await admin.describe_configs([broker], names=["log.dirs"])[broker]
        assert (own["log.dirs"].value or "").split(",") == cluster.log_dirs(2)
        await admin.incremental_alter_configs(
            {
                topic: [ConfigChange("retention.ms", Change.DELETE)],
                broker: [ConfigChange(rate, Change.DELETE)],
            }
        ).all()
        wrong = await admin.incremental_alter_configs(
            {topic: [ConfigChange("retention.ms", Change.SET, "soon")]}
        ).settled()
        assert error_of(wrong[topic]) == Error.INVALID_CONFIG

    asked(cluster, work)


@pytest.mark.spec("K113-20", "K113-26")
def test_directories_replicas_and_moves_one_awaitable_each(cluster: ApacheKafka) -> None:
    async def work(admin: AdminClient) -> None:
        await admin.create_topics([NewTopic("ad-dirs", assignment={0: (1, 2)})]).all()
        here = Replica("ad-dirs", 0, 1)

        async def hosted() -> bool:
            found = await admin.describe_replica_log_dirs([here, here._replace(broker=2)]).all()
            return all(where.current for where in found.values())

        await eventually_async(hosted, "both brokers have the replica")
        source = (await admin.describe_replica_log_dirs([here])[here]).current
        (target,) = (d for d in cluster.log_dirs(1) if d != source)
        absent, elsewhere = Replica("ad-dirs", 0, 9), Replica("ad-dirs", 0, 2)
        moves = admin.alter_replica_log_dirs(
            {here: target, elsewhere: "/no/such/dir", absent: target}
        )
        await moves[here]
        with pytest.raises(Refused) as refused:
            await moves[elsewhere]
        assert refused.value.error == Error.LOG_DIR_NOT_FOUND
        with pytest.raises(Unreachable, match="no broker 9"):
            await moves[absent]
        with pytest.raises(Refused):
            await moves.all()

        async def moved() -> bool:
            where = await admin.describe_replica_log_dirs([here])[here]
            return where.current == target and where.future is None

        await eventually_async(moved, "the replica has moved")
        described = admin.describe_log_dirs([1, 2, 9])
        (directory,) = (d for d in await described[1] if d.path == target)
        assert TopicPartition("ad-dirs", 0) in directory.current
        assert directory.online
        with pytest.raises(Unreachable, match="no broker 9"):
            await described[9]

    asked(cluster, work)


@pytest.mark.spec("K113-10", "K113-26")
def test_a_replica_which_is_not_there_yet_is_noted(cluster: ApacheKafka) -> None:
    async def work(admin: AdminClient) -> None:
        await admin.create_topics([NewTopic("ad-later", assignment={0: (1,)})]).all()

        async def made() -> bool:
            return "ad-later" in await admin.list_topics()

        await eventually_async(made, "the topic is known")
        target, replica = cluster.log_dirs(2)[1], Replica("ad-later", 0, 2)

        async def noted() -> bool:
            outcome = (await admin.alter_replica_log_dirs({replica: target}).settled())[replica]
            return error_of(outcome) == Error.REPLICA_NOT_AVAILABLE

        await eventually_async(noted, "broker 2 knows the topic but has no replica")
        name = TopicPartition("ad-later", 0)
        await admin.alter_partition_reassignments({name: [1, 2]}).all()

        async def there() -> bool:
            where = await admin.describe_replica_log_dirs([replica])[replica]
            assert where.current in (None, target)
            return where.current == target

        await eventually_async(there, "the replica is created in the noted directory")

        async def over() -> bool:
            return not await admin.list_partition_reassignments([name])

        await eventually_async(over, "the reassignment ends")
        nothing = await admin.alter_partition_reassignments({name: None}).settled()
        assert error_of(nothing[name]) == Error.NO_REASSIGNMENT_IN_PROGRESS

    asked(cluster, work)


@pytest.mark.spec("B-25")
def test_kafkas_controller_steps_over_directories_in_a_reassignment(
    apache_cluster: ApacheKafka,
) -> None:
    async def work(admin: AdminClient) -> None:
        described = await admin.describe_log_dirs([1, 2]).all()
        assert {d.directory_id for dirs in described.values() for d in dirs} == {None}
        await admin.create_topics([NewTopic("ad-tagged", assignment={0: (1,)})]).all()
        name = TopicPartition("ad-tagged", 0)
        named = {Replica("ad-tagged", 0, 2): uuid.uuid4()}
        items = admin.alter_partition_reassignments({name: [2]}, directories=named)
        assert await items[name] == ()

        async def there() -> bool:
            found = await admin.describe_topics(["ad-tagged"])["ad-tagged"]
            return found.partitions[0].replicas == (2,)

        await eventually_async(there, "the reassignment ends")

    asked(apache_cluster, work)


@pytest.mark.spec("K113-26")
def test_a_broker_that_hangs_costs_no_more_than_the_time_limit(cluster: ApacheKafka) -> None:
    async def work(admin: AdminClient) -> None:
        process = cluster.nodes[2].process
        assert process is not None
        assert len(await admin.describe_log_dirs([1, 2]).all()) == 2
        freeze(process.pid)
        try:
            for seconds in (1, 4):  # Broker 1 may be slow beside others.
                settled = await admin.describe_log_dirs([1, 2], timeout=seconds).settled()
                if isinstance(settled[1], tuple):
                    break
        finally:
            process.send_signal(signal.SIGCONT)
        assert isinstance(settled[1], tuple)
        assert isinstance(settled[2], OutOfTime)
        assert "did not answer DescribeLogDirs within" in str(settled[2])
        assert len(await admin.describe_log_dirs([1, 2]).all()) == 2

    asked(cluster, work)


def test_controllers_can_be_asked_directly(cluster: ApacheKafka) -> None:
    async def run() -> None:
        async with AdminClient(cluster.controllers, controllers=True) as admin:
            assert list((await admin.describe_cluster()).brokers) == [1]
            assert await admin.list_partition_reassignments() == {}

    asyncio.run(run())


@pytest.mark.spec("K113-11")
def test_a_directory_that_no_broker_has_is_refused_and_nothing_changes(
    cluster: ApacheKafka,
) -> None:
    async def work(admin: AdminClient) -> None:
        await admin.create_topics([NewTopic("ad-steady", assignment={0: (1,)})]).all()
        replica = Replica("ad-steady", 0, 1)

        async def home() -> str | None:
            found = (await admin.describe_replica_log_dirs([replica]).settled())[replica]
            return None if isinstance(found, Exception) else found.current

        before = await eventually_async(home, "the replica is there")
        outcome = await admin.alter_replica_log_dirs({replica: "/no/such/place"}).settled()
        assert error_of(outcome[replica]) == Error.LOG_DIR_NOT_FOUND
        place = await admin.describe_replica_log_dirs([replica])[replica]
        assert (place.current, place.future) == (before, None)

    asked(cluster, work)
