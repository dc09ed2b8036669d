"""DescribeConfigs and AlterConfigs of our broker beside Apache Kafka 4.3's, name by name (N-03)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from tests.support.apache_kafka import ApacheKafka
from tests.support.clients import state_of
from tests.support.spindle_cluster import SpindleCluster
from tests.support.waiting import eventually

from spindle.client.link import Link
from spindle.model.errors import Error
from spindle.wire.codec import Request, Response
from spindle.wire.messages.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from spindle.wire.messages.incremental_alter_configs_request import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)

R = TypeVar("R", bound=Response)

pytestmark = pytest.mark.kafka

TOPIC, BROKER = 2, 4
SETTINGS = {
    "log.retention.hours": "8760",
    "log.roll.ms": "3600000",
    "log.segment.bytes": "104857600",
    "min.insync.replicas": "1",
    "num.replica.fetchers": "2",
    "log.cleaner.min.cleanable.ratio": "0.25",
}
OF_THE_NODE = {
    "advertised.listeners",
    "controller.quorum.bootstrap.servers",
    "controller.quorum.voters",
    "listeners",
    "log.dirs",
    "metadata.log.dir",
}
"""Addresses and paths: each cluster has its own, but both know them from the same place."""


class Seen(NamedTuple):
    """What DescribeConfigs says of one name."""

    value: str | None
    source: int
    kind: int
    read_only: bool
    sensitive: bool
    synonyms: tuple[tuple[str, str | None, int], ...]


class Pair(NamedTuple):
    """Both clusters, with the same settings and a topic `tuned`."""

    apache: ApacheKafka
    ours: ApacheKafka


@pytest.fixture(scope="module")
def pair(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("beside")
    with (
        ApacheKafka(folder / "apache", kafka_jars, settings=SETTINGS) as apache,
        SpindleCluster(folder / "ours", kafka_jars, settings=SETTINGS) as ours,
    ):
        for cluster in (apache, ours):
            cluster.start()
            admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
            tuned = NewTopic("tuned", 1, 1, config={"retention.ms": "5000", "segment.ms": "7000"})
            for done in admin.create_topics([tuned]).values():
                done.result()
            eventually(lambda a=admin: state_of(a, "tuned"), "the broker knows the topic")
        yield Pair(apache, ours)


def asked(cluster: ApacheKafka, request: Request[R]) -> R:
    """A broker's answer to a request in its newest version."""

    async def ask() -> R:
        host, _, port = cluster.bootstrap.split(",")[0].rpartition(":")
        link = await Link.connect(host, int(port), name="asked", client_id="test", seconds=10)
        try:
            return await link.ask(request, request.VERSIONS[-1], 10)
        finally:
            link.close()

    return asyncio.run(ask())


def described(
    cluster: ApacheKafka, kind: int, name: str, *, documentation: bool = False
) -> dict[str, Any]:
    """The rows of a resource by name."""
    resource = DescribeConfigsResource(
        resource_type=kind,
        resource_name=name,
        configuration_keys=None,
    )
    request = DescribeConfigsRequest(
        resources=(resource,),
        include_synonyms=True,
        include_documentation=documentation,
    )
    (result,) = asked(cluster, request).results
    assert result.error_code == Error.NONE, result.error_message
    return {row.name: row for row in result.configs}


def seen(cluster: ApacheKafka, kind: int, name: str) -> dict[str, Seen]:
    return {
        row.name: Seen(
            None if row.name in OF_THE_NODE else row.value,
            row.config_source,
            row.config_type,
            row.read_only,
            row.is_sensitive,
            tuple(
                (s.name, None if s.name in OF_THE_NODE else s.value, s.source) for s in row.synonyms
            ),
        )
        for row in described(cluster, kind, name).values()
    }


@pytest.mark.spec("N-03")
@pytest.mark.parametrize(("kind", "name"), [(BROKER, "1"), (TOPIC, "tuned")])
def test_every_name_that_both_have_is_described_alike(pair: Pair, kind: int, name: str) -> None:
    apache, ours = seen(pair.apache, kind, name), seen(pair.ours, kind, name)
    differing = {n: (apache[n], ours[n]) for n in apache if n in ours and apache[n] != ours[n]}
    assert differing == {}
    assert set(apache) - set(ours) == set()
    assert len(apache) > 30


@pytest.mark.spec("N-03")
def test_every_name_is_documented(pair: Pair) -> None:
    for kind, name in ((BROKER, "1"), (TOPIC, "tuned")):
        for row in described(pair.ours, kind, name, documentation=True).values():
            assert row.documentation.endswith("."), row.name


ALTERATIONS = [
    # What Apache Kafka takes.
    (BROKER, "1", "log.retention.ms=100000"),
    (BROKER, "", "log.cleaner.backoff.ms=20000"),
    (BROKER, "1", "leader.replication.throttled.rate=1000"),
    (BROKER, "", "max.connections=500"),
    (BROKER, "1", "some.plugins.own=1"),
    (BROKER, "1", "sasl.kerberos.min.time.before.relogin=58000"),
    (TOPIC, "tuned", "retention.ms=123456"),
    (TOPIC, "tuned", "cleanup.policy=compact"),
    (TOPIC, "tuned", "segment.jitter.ms=100"),
    (TOPIC, "tuned", "leader.replication.throttled.replicas=*"),
    # What it refuses.
    (BROKER, "1", "log.retention.hours=5"),
    (BROKER, "1", "num.partitions=5"),
    (BROKER, "", "cordoned.log.dirs=/nowhere"),
    (BROKER, "1", "log.segment.bytes=many"),
    (BROKER, "1", "min.insync.replicas=0"),
    (BROKER, "", "log.cleanup.policy=shred"),
    (BROKER, "1", "log.cleaner.threads=2"),
    (BROKER, "", "log.cleaner.threads=2"),
    (BROKER, "1", "log.cleaner.dedupe.buffer.size=1048576"),
    (BROKER, "1", "log.retention.ms=0"),
    (BROKER, "", "log.roll.jitter.ms=-1"),
    (TOPIC, "tuned", "retention.ms=abc"),
    (TOPIC, "tuned", "retention.ms=-2"),
    (TOPIC, "tuned", "min.cleanable.dirty.ratio=2"),
    (TOPIC, "tuned", "cleanup.policy=shred"),
    (TOPIC, "tuned", "message.timestamp.type=Sometime"),
    (TOPIC, "tuned", "unclean.leader.election.enable=perhaps"),
    (TOPIC, "tuned", "no.such.setting=1"),
    (TOPIC, "tuned", "remote.storage.enable=true"),
    (TOPIC, "tuned", "leader.replication.throttled.replicas=nonsense"),
]


def altered(cluster: ApacheKafka, kind: int, name: str, change: str) -> str:
    """How one change ends: empty where it is taken, else the error and its words.

    A change without a value takes a setting back.
    """
    key, _, value = change.partition("=")
    config = AlterableConfig(
        name=key, config_operation=0 if value else 1, value=value if value else None
    )
    resource = AlterConfigsResource(resource_type=kind, resource_name=name, configs=(config,))
    request = IncrementalAlterConfigsRequest(resources=(resource,), validate_only=False)
    (row,) = asked(cluster, request).responses
    return f"{Error(row.error_code).name}: {row.error_message}" if row.error_code else ""


def _as_reported(end: str) -> str:
    """Apache Kafka writes a list that is wrong as a whole in brackets."""
    return end.replace("[nonsense]", "nonsense")


@pytest.mark.spec("N-03")
def test_changes_end_alike_and_errors_have_kafkas_words(pair: Pair) -> None:
    ends = {
        (kind, name, change): tuple(altered(cluster, kind, name, change) for cluster in pair)
        for kind, name, change in ALTERATIONS
    }
    differing = {
        key: end for key, end in ends.items() if _as_reported(end[0]) != _as_reported(end[1])
    }
    assert differing == {}


@pytest.mark.spec("N-01", "N-03")
def test_changes_are_judged_with_what_is_set_already(pair: Pair) -> None:
    for change, is_taken in (
        ("log.cleaner.threads=2", False),
        ("log.cleaner.dedupe.buffer.size=4194304", True),
        ("log.cleaner.threads=2", True),
        ("log.cleaner.dedupe.buffer.size", False),
        ("log.cleaner.threads", True),
        ("log.cleaner.dedupe.buffer.size", True),
    ):
        for cluster in pair:
            eventually(  # A broker judges by what it has heard of the last change.
                lambda c=cluster, x=change, t=is_taken: (altered(c, BROKER, "1", x) == "") == t,
                f"{change} taken: {is_taken}",
            )
