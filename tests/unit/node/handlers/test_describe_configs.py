"""DescribeConfigs and ListConfigResources: values, where they come from, types."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.cluster_image import add_topic, three_brokers
from tests.support.desk import Desk, part

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.image import ClusterImage
from spindle.model.outbox import Outbox
from spindle.model.settings.table import NODE_SETTINGS, TOPIC_SETTINGS
from spindle.model.settings.typed_settings import Settings
from spindle.node.handlers import BROKER as HANDLERS
from spindle.node.handlers import CONTROLLER
from spindle.node.slices import Slices
from spindle.wire.apis import Key

TOPIC, BROKER = 2, 4


@pytest.fixture
def image() -> ClusterImage:
    image = three_brokers()
    add_topic(image, "t", (1,))
    return image


def desk_of(image: ClusterImage, **given: str) -> Desk:
    settings = Settings({"node.id": "1"} | given)
    out = Outbox(random.Random(1))
    target = SimpleNamespace(
        image=image, settings=settings, node_id=1, out=out, slices=Slices(out, "/d1")
    )
    return Desk(HANDLERS, target, out)


def put(image: ClusterImage, kind: int, name: str, key: str, value: str) -> None:
    image.apply(r.DynamicConfig(resource_type=kind, resource_name=name, key=key, value=value))


def describe(desk: Desk, kind: int, name: str, *keys: str, version: int = 4, **fields: Any) -> Any:
    resource = part(
        Key.DESCRIBE_CONFIGS,
        version,
        "DescribeConfigsResource",
        resource_type=kind,
        resource_name=name,
        configuration_keys=keys or None,
    )
    (result,) = desk.ask(Key.DESCRIBE_CONFIGS, version, resources=(resource,), **fields).results
    return result


@pytest.mark.parametrize("version", range(1, 5))
def test_every_topic_setting_is_described(image: ClusterImage, version: int) -> None:
    result = describe(desk_of(image), TOPIC, "t", version=version)
    assert (result.error_code, result.resource_name) == (Error.NONE, "t")
    assert {c.name for c in result.configs} == {
        s.name for s in TOPIC_SETTINGS.values() if s.described
    }
    assert {c.config_source for c in result.configs} == {5}
    assert not any(c.read_only or c.is_sensitive or c.synonyms for c in result.configs)
    if version >= 3:
        types = {c.name: c.config_type for c in result.configs}
        assert types["cleanup.policy"] == 7
        assert types["retention.ms"] == 5
        assert types["segment.bytes"] == 3
        assert types["min.cleanable.dirty.ratio"] == 6
        assert types["preallocate"] == 1
        assert types["message.timestamp.type"] == 2
        assert {c.documentation for c in result.configs} == {None}


def test_a_topics_value_comes_from_the_nearest_place(image: ClusterImage) -> None:
    desk = desk_of(image, **{"log.retention.ms": "1"})
    told = []
    for kind, name, key, value in (
        (None, "", "", ""),
        (BROKER, "", "log.retention.ms", "2"),
        (BROKER, "1", "log.retention.ms", "3"),
        (TOPIC, "t", "retention.ms", "4"),
    ):
        if kind is not None:
            put(image, kind, name, key, value)
        (config,) = describe(desk, TOPIC, "t", "retention.ms").configs
        told.append((config.value, config.config_source))
    assert told == [("1", 4), ("2", 3), ("3", 2), ("4", 1)]
    (config,) = describe(
        desk, TOPIC, "t", "retention.ms", include_synonyms=True, include_documentation=True
    ).configs
    assert [(s.name, s.value, s.source) for s in config.synonyms] == [
        ("retention.ms", "4", 1),
        ("log.retention.ms", "3", 2),
        ("log.retention.ms", "2", 3),
        ("log.retention.ms", "1", 4),
        ("log.retention.hours", "168", 5),
    ]
    assert config.documentation == TOPIC_SETTINGS["retention.ms"].doc


def test_a_brokers_own_settings(image: ClusterImage) -> None:
    desk = desk_of(image, **{"log.dirs": "/a,/b"})
    put(image, BROKER, "1", "cordoned.log.dirs", "/a")
    result = describe(desk, BROKER, "1")
    told = {c.name: c for c in result.configs}
    assert set(told) == {s.name for s in NODE_SETTINGS.values() if s.described}
    dirs, cordoned, rack = told["log.dirs"], told["cordoned.log.dirs"], told["broker.rack"]
    assert (dirs.value, dirs.config_source, dirs.read_only) == ("/a,/b", 4, True)
    assert (cordoned.value, cordoned.config_source, cordoned.read_only) == ("/a", 2, False)
    assert (rack.value, rack.config_source) == (None, 5)
    assert dirs.config_type == 7


def test_the_clusters_dynamic_settings_have_the_empty_name(image: ClusterImage) -> None:
    put(image, BROKER, "", "log.retention.ms", "2")
    result = describe(desk_of(image), BROKER, "")
    assert [(c.name, c.value, c.config_source) for c in result.configs] == [
        ("log.retention.ms", "2", 3)
    ]


@pytest.mark.spec("C-06")
def test_a_client_metrics_subscription_has_its_own_settings_and_defaults(
    image: ClusterImage,
) -> None:
    put(image, 16, "sub", "interval.ms", "5000")
    result = describe(desk_of(image), 16, "sub")
    assert [(c.name, c.value, c.config_source) for c in result.configs] == [
        ("metrics", "", 5),
        ("interval.ms", "5000", 7),
        ("match", "", 5),
    ]


@pytest.mark.parametrize(
    ("kind", "name", "error"),
    [
        (TOPIC, "nowhere", Error.UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, "(no name)", Error.INVALID_TOPIC_EXCEPTION),
        (16, "", Error.INVALID_REQUEST),
        (BROKER, "2", Error.INVALID_REQUEST),
        (8, "2", Error.INVALID_REQUEST),
        (77, "x", Error.INVALID_REQUEST),
    ],
)
def test_what_cannot_be_described_is_refused_by_name(
    image: ClusterImage, kind: int, name: str, error: Error
) -> None:
    result = describe(desk_of(image), kind, name)
    assert (result.error_code, result.configs) == (error, ())
    assert result.error_message


def test_asking_for_no_names_is_asking_for_all(image: ClusterImage) -> None:
    resource = part(
        Key.DESCRIBE_CONFIGS,
        4,
        "DescribeConfigsResource",
        resource_type=TOPIC,
        resource_name="t",
        configuration_keys=(),
    )
    (result,) = desk_of(image).ask(Key.DESCRIBE_CONFIGS, 4, resources=(resource,)).results
    assert len(result.configs) == sum(s.described for s in TOPIC_SETTINGS.values())
    assert describe(desk_of(image), TOPIC, "t", "nonsense").configs == ()


def test_a_controller_tells_its_own(image: ClusterImage) -> None:
    config = SimpleNamespace(settings=Settings({"node.id": "9"}), node_id=9)
    out = Outbox(random.Random(1))
    target = SimpleNamespace(image=image, config=config, out=out, slices=Slices(out, "/d1"))
    desk = Desk(CONTROLLER, target, out)
    (told,) = describe(desk, BROKER, "9", "node.id").configs
    assert (told.value, told.config_source) == ("9", 4)


@pytest.mark.parametrize("version", [0, 1])
def test_resources_are_listed(image: ClusterImage, version: int) -> None:
    put(image, 16, "sub", "interval.ms", "5")
    put(image, 32, "g", "x", "5")
    answer = desk_of(image).ask(Key.LIST_CONFIG_RESOURCES, version, resource_types=())
    told = [(getattr(c, "resource_type", 16), c.resource_name) for c in answer.config_resources]
    if version == 0:
        assert told == [(16, "sub")]
    else:
        brokers = [(kind, str(n)) for kind in (4, 8) for n in (1, 2, 3)]
        assert told == [(2, "t"), *brokers, (16, "sub"), (32, "g")]


@pytest.mark.spec("N-04")
@pytest.mark.parametrize("kind", [0, 99])
def test_types_of_resources_without_settings_are_refused(image: ClusterImage, kind: int) -> None:
    assert describe(desk_of(image), kind, "1").error_code == Error.INVALID_REQUEST
    answer = desk_of(image).ask(Key.LIST_CONFIG_RESOURCES, 1, resource_types=(2, kind))
    assert (answer.error_code, answer.config_resources) == (Error.UNSUPPORTED_VERSION, ())
