"""Levels of loggers, described and changed: Apache Kafka 4.3's answers and ours (KIP-412).

Loggers have other names in each, so answers are compared for `root`, for loggers that do not exist,
and by their form.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.support.apache_kafka import CONFIGS, CONTROLLER_ID, ApacheKafka
from tests.support.local import Local
from tests.support.quorum import ask
from tools.messages.entities import make, request_types

from spindle.model.errors import Error
from spindle.model.log_levels import LOGGERS
from spindle.wire.apis import Key

pytestmark = [pytest.mark.kafka, pytest.mark.spec("C-06", "N-08")]

BROKER, TOPIC, LOGGER = 4, 2, 8
SET, DELETE, APPEND, SUBTRACT = range(4)
SETTINGS = {"default.replication.factor": "1", "offsets.topic.replication.factor": "1"}
NODES = [1, CONTROLLER_ID]
Change = tuple[str, int, str | None]


class Sides(NamedTuple):
    """Both clusters: a broker and a controller apart."""

    apache: ApacheKafka
    ours: ApacheKafka


@pytest.fixture(scope="module")
def sides(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    folder = tmp_path_factory.mktemp("loggers")
    with (
        ApacheKafka(
            folder / "apache", kafka_jars, brokers=1, separate_controller=True, settings=SETTINGS
        ) as apache,
        Local(folder / "ours", kafka_jars, brokers=1, settings=SETTINGS) as ours,
    ):
        apache.start()
        ours.start()
        yield Sides(apache, ours)


def send(cluster: ApacheKafka, node: int, key: Key, version: int, name: str, **fields: Any) -> Any:
    found = cluster.nodes[node]
    port = found.controller_port if node == CONTROLLER_ID else found.port
    assert port is not None
    return ask(port, make(getattr(request_types(key, version), name), **fields), 20)


def alter(
    cluster: ApacheKafka,
    node: int,
    *resources: tuple[int, str, list[Change]],
    validate_only: bool = False,
) -> list[tuple[Any, ...]]:
    """Type, name, error and message of each resource."""
    types = request_types(Key.INCREMENTAL_ALTER_CONFIGS, 1)
    asked = tuple(
        make(
            types.AlterConfigsResource,
            resource_type=kind,
            resource_name=name,
            configs=tuple(
                make(types.AlterableConfig, name=n, config_operation=op, value=value)
                for n, op, value in changes
            ),
        )
        for kind, name, changes in resources
    )
    answer = send(
        cluster, node, Key.INCREMENTAL_ALTER_CONFIGS, 1, "IncrementalAlterConfigsRequest",
        resources=asked, validate_only=validate_only,
    )  # fmt: skip
    return sorted(
        (r.resource_type, r.resource_name, r.error_code, r.error_message) for r in answer.responses
    )


def described(cluster: ApacheKafka, node: int, name: str, *keys: str, more: bool = True) -> Any:
    types = request_types(Key.DESCRIBE_CONFIGS, 4)
    resource = make(
        types.DescribeConfigsResource,
        resource_type=LOGGER,
        resource_name=name,
        configuration_keys=keys or None,
    )
    (result,) = send(
        cluster, node, Key.DESCRIBE_CONFIGS, 4, "DescribeConfigsRequest",
        resources=(resource,), include_synonyms=more, include_documentation=more,
    ).results  # fmt: skip
    return result


def root(cluster: ApacheKafka, node: int) -> Any:
    (found,) = described(cluster, node, str(node), "root").configs
    return found


@pytest.mark.parametrize("node", NODES)
def test_the_root_is_described_alike(sides: Sides, node: int) -> None:
    for cluster in sides:
        assert alter(cluster, node, (LOGGER, str(node), [("root", SET, "WARN")]))[0][2] == 0
    theirs, ours = (root(cluster, node) for cluster in sides)
    assert ours == theirs
    assert ours.value == "WARN"
    brief = [described(c, node, str(node), "root", more=False) for c in sides]
    assert brief[0] == brief[1]
    every = described(sides.ours, node, str(node)).configs
    assert {c.name for c in every} == set(LOGGERS)
    assert {(c.value, c.config_source, c.is_sensitive, c.read_only) for c in every} == {
        ("WARN", theirs.config_source, False, False)
    }


@pytest.mark.parametrize("node", NODES)
@pytest.mark.parametrize("name", ["", "7", "one"])
def test_other_nodes_loggers_are_not_described(sides: Sides, node: int, name: str) -> None:
    theirs, ours = (described(cluster, node, name) for cluster in sides)
    assert ours == theirs
    assert ours.error_code == Error.INVALID_REQUEST


CHANGES: dict[str, list[Change]] = {
    "no such logger": [("no.such", SET, "DEBUG")],
    "no such logger to delete": [("no.such", DELETE, None)],
    "no such level": [("root", SET, "LOUD")],
    "off": [("root", SET, "OFF")],
    "a level in lower case": [("root", SET, "debug")],
    "an empty level": [("root", SET, "")],
    "root deleted": [("root", DELETE, None)],
    "appended": [("root", APPEND, "DEBUG")],
    "subtracted": [("root", SUBTRACT, "DEBUG")],
    "one of two is wrong": [("root", SET, "ERROR"), ("no.such", SET, "INFO")],
    "nothing": [],
}


@pytest.mark.parametrize("node", NODES)
@pytest.mark.parametrize("what", CHANGES)
def test_what_is_refused_is_refused_alike_and_changes_nothing(
    sides: Sides, node: int, what: str
) -> None:
    for cluster in sides:
        alter(cluster, node, (LOGGER, str(node), [("root", SET, "INFO")]))
    theirs, ours = (alter(cluster, node, (LOGGER, str(node), CHANGES[what])) for cluster in sides)
    assert ours == theirs
    assert [root(cluster, node).value for cluster in sides] == ["INFO", "INFO"]


@pytest.mark.parametrize(
    "changes",
    [[("root", SET, None)], [("root", SET, "INFO"), ("root", SET, "WARN")]],
    ids=["no value", "named twice"],
)
def test_brokers_look_at_requests_first(sides: Sides, changes: list[Change]) -> None:
    theirs, ours = (alter(cluster, 1, (LOGGER, "1", changes)) for cluster in sides)
    assert ours == theirs


@pytest.mark.parametrize("node", NODES)
@pytest.mark.parametrize("name", ["", "one", "7"])
def test_other_nodes_loggers_are_not_changed(sides: Sides, node: int, name: str) -> None:
    theirs, ours = (
        alter(cluster, node, (LOGGER, name, [("root", SET, "INFO")])) for cluster in sides
    )
    if name == "7":  # Apache Kafka names the node that it is, where it means the one that is asked.
        theirs = [(*found[:3], ours[0][3]) for found in theirs]
    assert ours == theirs
    assert ours[0][2] == Error.INVALID_REQUEST


@pytest.mark.parametrize("node", NODES)
def test_loggers_and_settings_in_one_request(sides: Sides, node: int) -> None:
    resources: tuple[tuple[int, str, list[Change]], ...] = (
        (LOGGER, str(node), [("root", SET, "ERROR")]),
        (TOPIC, "absent", [("retention.ms", SET, "1000")]),
        (BROKER, "1", [("log.cleaner.backoff.ms", SET, "20000")]),
    )
    theirs, ours = (alter(cluster, node, *resources) for cluster in sides)
    assert [found[:3] for found in ours] == [found[:3] for found in theirs]
    assert [root(cluster, node).value for cluster in sides] == ["ERROR", "ERROR"]
    twice = (resources[0], resources[0])
    if node == 1:
        theirs, ours = (alter(cluster, node, *twice) for cluster in sides)
        assert ours == theirs


def test_what_is_only_validated_changes_nothing(sides: Sides) -> None:
    for cluster in sides:
        alter(cluster, 1, (LOGGER, "1", [("root", SET, "INFO")]))
        found = alter(cluster, 1, (LOGGER, "1", [("root", SET, "DEBUG")]), validate_only=True)
        assert found[0][2] == 0
        assert root(cluster, 1).value == "INFO"


@pytest.mark.parametrize("kinds", [(), (LOGGER,)], ids=["all", "loggers"])
def test_loggers_of_brokers_are_listed(sides: Sides, kinds: tuple[int, ...]) -> None:
    theirs, ours = (
        {
            (found.resource_type, found.resource_name)
            for found in send(
                cluster, 1, Key.LIST_CONFIG_RESOURCES, 1, "ListConfigResourcesRequest",
                resource_types=kinds,
            ).config_resources
        }
        for cluster in sides
    )  # fmt: skip
    assert ours == theirs
    assert (LOGGER, "1") in ours


@pytest.mark.parametrize("node", NODES)
def test_kafka_configs_changes_and_shows_levels(sides: Sides, node: int) -> None:
    cluster = sides.ours
    found = cluster.nodes[node]
    at = ("--bootstrap-server", cluster.bootstrap)
    if node == CONTROLLER_ID:
        at = ("--bootstrap-controller", f"127.0.0.1:{found.controller_port}")
    entity = (*at, "--entity-type", "broker-loggers", "--entity-name", str(node))
    alter(cluster, node, (LOGGER, str(node), [("root", SET, "INFO")]))
    cluster.run_tool(CONFIGS, *entity, "--alter", "--add-config", "spindle.runtime=DEBUG")
    shown = cluster.run_tool(CONFIGS, *entity, "--describe").stdout
    assert "spindle.runtime.disks=DEBUG" in shown
    assert "spindle.node=INFO" in shown
    refused = cluster.run_tool(CONFIGS, *entity, "--alter", "--add-config", "no.such=DEBUG")
    assert refused.code != 0
    cluster.run_tool(CONFIGS, *entity, "--alter", "--delete-config", "spindle.runtime")
    shown = cluster.run_tool(CONFIGS, *entity, "--describe").stdout
    assert "spindle.runtime.disks=INFO" in shown
