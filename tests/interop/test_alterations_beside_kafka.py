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

BROKER, SUBSCRIPTION = 4, 16
SET, DELETE = range(2)
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


@NODES
@pytest.mark.spec("C-06")
@pytest.mark.parametrize("pattern", ["client_id", "client_name=app", "client_id=[", "client_id=a"])
def test_subscriptions_match_clients(sides: Sides, pattern: str, node: int) -> None:
    def question(cluster: ApacheKafka) -> Any:
        return alter(cluster, node, (SUBSCRIPTION, "s", "match", SET, pattern))[0][1]

    same(sides, question)


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
