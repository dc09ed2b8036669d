"""Changes of settings and features that are refused: Apache Kafka 4.3's answers and ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.apache_kafka import CONTROLLER_ID, ApacheKafka
from tests.support.both_sides import Sides, port_of, same, send
from tests.support.local import Local
from tools.messages.entities import make, request_types

from spindle.wire.apis import Key

pytestmark = [pytest.mark.kafka, pytest.mark.spec("N-08")]

TOPIC, BROKER, SUBSCRIPTION, GROUP = 2, 4, 16, 32
SET, DELETE, APPEND = range(3)
SETTINGS = {"default.replication.factor": "1", "offsets.topic.replication.factor": "1"}
NODES = pytest.mark.parametrize("node", [1, CONTROLLER_ID], ids=["broker", "controller"])


@pytest.fixture(scope="module")
def sides(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    folder = tmp_path_factory.mktemp("alterations")
    with (
        ApacheKafka(
            folder / "apache", kafka_jars, separate_controller=True, settings=SETTINGS
        ) as apache,
        Local(folder / "ours", kafka_jars, brokers=1, settings=SETTINGS) as ours,
    ):
        apache.start()
        ours.start()
        for cluster in (apache, ours):
            cluster.create_topic("t", "1")
        yield Sides(apache, ours)


def alter(
    cluster: ApacheKafka, node: int, *changes: tuple[int, str, str, int, str | None]
) -> list[Any]:
    """What comes of changes (type and name of a resource, setting, operation, value)."""
    types = request_types(Key.INCREMENTAL_ALTER_CONFIGS, 1)
    resources = []
    for kind, named, key, operation, value in changes:
        config = make(types.AlterableConfig, name=key, config_operation=operation, value=value)
        resources.append(
            make(
                types.AlterConfigsResource, resource_type=kind, resource_name=named,
                configs=(config,),
            )
        )  # fmt: skip
    answer = send(
        port_of(cluster, node), Key.INCREMENTAL_ALTER_CONFIGS, 1, "IncrementalAlterConfigsRequest",
        validate_only=True, resources=resources,
    )  # fmt: skip
    return sorted((r.resource_name, r.error_code, r.error_message) for r in answer.responses)


def altered(
    cluster: ApacheKafka,
    node: int,
    resource: tuple[int, str],
    *settings: tuple[str, int, str | None],
) -> list[Any]:
    """What comes of changes to one resource, by the request of today and by the older one."""
    kind, named = resource
    told = []
    for key, version, operations in ((Key.INCREMENTAL_ALTER_CONFIGS, 1, True),
                                     (Key.ALTER_CONFIGS, 2, False)):  # fmt: skip
        if not operations and any(operation != SET for _, operation, _ in settings):
            continue
        types = request_types(key, version)
        configs = tuple(
            make(types.AlterableConfig, name=name, value=value,
                 **({"config_operation": operation} if operations else {}))
            for name, operation, value in settings
        )  # fmt: skip
        one = make(
            types.AlterConfigsResource, resource_type=kind, resource_name=named, configs=configs
        )
        name = "IncrementalAlterConfigsRequest" if operations else "AlterConfigsRequest"
        answer = send(
            port_of(cluster, node), key, version, name, validate_only=True, resources=(one,)
        )
        told += [(r.error_code, r.error_message) for r in answer.responses]
    return told


@NODES
@pytest.mark.spec("C-06")
@pytest.mark.parametrize("pattern", ["client_id", "client_name=app", "client_id=[", "client_id=a"])
def test_subscriptions_match_clients(sides: Sides, pattern: str, node: int) -> None:
    def question(cluster: ApacheKafka) -> Any:
        return alter(cluster, node, (SUBSCRIPTION, "s", "match", SET, pattern))[0][1]

    same(sides, question)


@NODES
def test_nulls_and_settings_that_are_named_twice(sides: Sides, node: int) -> None:
    """A broker refuses them; a controller that is asked itself removes, and takes the last."""
    topic = (TOPIC, "t"), ("retention.ms", "100"), "cleanup.policy"
    metrics = (SUBSCRIPTION, "s"), ("interval.ms", "1000"), "match"
    group = (GROUP, "g"), ("consumer.session.timeout.ms", "50000"), "none"
    for resource, (name, value), other in (topic, metrics, group, ((99, "x"), ("a", "b"), "c")):
        for asked in (
            ((name, SET, None),),
            ((name, DELETE, None),),
            ((name, APPEND, None),),
            (("none", SET, None),),
            (("", SET, value),),
            ((name, SET, value), (other, SET, None)),
            ((name, SET, "bad"), (name, SET, value)),
            ((name, SET, value), (name, SET, "bad")),
        ):
            same(sides, altered, node, resource, *asked)
    brokers = (BROKER, "")
    for asked in ((("background.threads", SET, None),), (("", SET, "8"),)):
        same(sides, altered, node, brokers, *asked)


@NODES
@pytest.mark.parametrize("value", ["", " ", ",", "compact,", "compact,,compact", "compact"])
def test_entries_without_a_word(sides: Sides, node: int, value: str) -> None:
    same(sides, altered, node, (TOPIC, "t"), ("cleanup.policy", APPEND, value))
    same(sides, altered, node, (TOPIC, "t"), ("cleanup.policy", SET, value))
    same(sides, altered, node, (SUBSCRIPTION, "s"), ("metrics", SET, value))
    same(sides, altered, node, (SUBSCRIPTION, "s"), ("metrics", APPEND, value))


@NODES
def test_names_of_resources(sides: Sides, node: int) -> None:
    setting = ("retention.ms", SET, "100")
    for name in ("a b", ".", "x" * 250, "missing", ""):
        same(sides, altered, node, (TOPIC, name), setting)
    same(sides, altered, node, (GROUP, ""), ("consumer.session.timeout.ms", SET, "50000"))
    if node == CONTROLLER_ID:
        for name in ("7", "x", "-1", "1 "):
            same(sides, altered, node, (BROKER, name), ("background.threads", SET, "8"))


@pytest.mark.spec("C-06")
@pytest.mark.parametrize("name", ["2", "-1", "x"])
def test_a_broker_takes_no_settings_of_another(sides: Sides, name: str) -> None:
    changes = ((BROKER, each, "background.threads", SET, "8") for each in (name, "", "1"))
    same(sides, alter, 1, *changes)


@pytest.mark.spec("C-06")
def test_nor_does_it_by_the_older_request(sides: Sides) -> None:
    """And no setting twice; each resource by itself."""
    types = request_types(Key.ALTER_CONFIGS, 2)
    once = (("background.threads", "8"),)
    wanted: tuple[tuple[int, str, tuple[tuple[str, str | None], ...]], ...] = (
        *((BROKER, name, once) for name in ("2", "-1", "x", "", "1")),
        (SUBSCRIPTION, "s", (("interval.ms", "100"), ("interval.ms", "200"))),
        (SUBSCRIPTION, "t", (("interval.ms", "100"),)),
        (SUBSCRIPTION, "u", (("interval.ms", None),)),
        (8, "1", (("root", "INFO"),)),
        (99, "1", (("root", "INFO"),)),
    )

    def question(cluster: ApacheKafka) -> Any:
        resources = [
            make(
                types.AlterConfigsResource, resource_type=kind, resource_name=name,
                configs=tuple(make(types.AlterableConfig, name=k, value=v) for k, v in settings),
            )
            for kind, name, settings in wanted
        ]  # fmt: skip
        answer = send(
            port_of(cluster, 1), Key.ALTER_CONFIGS, 2, "AlterConfigsRequest",
            validate_only=True, resources=resources,
        )  # fmt: skip
        return sorted(
            (r.resource_type, r.resource_name, r.error_code, r.error_message)
            if r.resource_type in (BROKER, SUBSCRIPTION)
            else (r.resource_type, r.resource_name, r.error_code)
            for r in answer.responses
        )

    same(sides, question)


def test_no_broker_has_a_floor_of_its_own_for_isrs(sides: Sides) -> None:
    for name in ("1", ""):
        for operation, value in ((SET, "1"), (DELETE, None)):
            same(
                sides, alter, CONTROLLER_ID, (BROKER, name, "min.insync.replicas", operation, value)
            )


@NODES
@pytest.mark.parametrize("version", [0, 1, 2])
def test_features_are_refused_together(sides: Sides, version: int, node: int) -> None:
    types = request_types(Key.UPDATE_FEATURES, version)

    def question(cluster: ApacheKafka) -> Any:
        updates = tuple(
            make(types.FeatureUpdateKey, feature=name, max_version_level=level, upgrade_type=1)
            for name, level in (("group.version", 1), ("transaction.version", 9))
        )
        answer = send(
            port_of(cluster, node), Key.UPDATE_FEATURES, version, "UpdateFeaturesRequest",
            timeout=30_000, feature_updates=updates, validate_only=True,
        )  # fmt: skip
        told = [(r.feature, r.error_code) for r in getattr(answer, "results", ())]
        return answer.error_code, answer.error_message, told

    same(sides, question)
