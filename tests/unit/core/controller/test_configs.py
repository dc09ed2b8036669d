"""Dynamic settings: both requests, every check."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.core.controller.kit import Cluster

from spindle.core.controller import configs
from spindle.core.controller.config_resources import Alteration, ConfigResource
from spindle.core.controller.group_bounds import check_bounds
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import METADATA_VERSION
from spindle.model.image import (
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from spindle.model.settings.typed_settings import Settings

TOPIC = ConfigResource(TOPIC_RESOURCE, "t")
GROUP = ConfigResource(GROUP_RESOURCE, "g")
ALL_BROKERS = ConfigResource(BROKER_RESOURCE, "")
SET, DELETE, APPEND, SUBTRACT = range(4)


def scene(**given: str) -> Cluster:
    cluster = Cluster()
    cluster.start(1)
    cluster.topic("t", (1,), configs=given)
    return cluster


def alter(
    cluster: Cluster, *alterations: tuple[str, int, str | None], to: ConfigResource = TOPIC
) -> Error:
    asked = [(to, [Alteration(*a) for a in alterations])]
    return cluster.take(configs.alter_incrementally(cluster.state, asked))[0][1].error


@pytest.mark.parametrize(
    ("resource", "alteration", "error"),
    [
        (TOPIC, ("retention.ms", SET, "5"), Error.NONE),
        (TOPIC, ("retention.ms", SET, "five"), Error.INVALID_CONFIG),
        (TOPIC, ("retention.ms", SET, None), Error.INVALID_REQUEST),
        (TOPIC, ("retention.ms", APPEND, "5"), Error.INVALID_CONFIG),
        (TOPIC, ("retention.ms", 4, "5"), Error.INVALID_REQUEST),
        (TOPIC, ("nothing", SET, "5"), Error.INVALID_CONFIG),
        (TOPIC, ("", SET, "5"), Error.INVALID_CONFIG),
        (ALL_BROKERS, ("", SET, "5"), Error.NONE),
        (TOPIC, ("cleanup.policy", APPEND, ""), Error.INVALID_CONFIG),
        (TOPIC, ("cleanup.policy", APPEND, "compact,,delete"), Error.INVALID_CONFIG),
        (ALL_BROKERS, ("log.cleanup.policy", APPEND, " "), Error.INVALID_REQUEST),
        (
            ConfigResource(TOPIC_RESOURCE, "a b"),
            ("retention.ms", SET, "5"),
            Error.INVALID_TOPIC_EXCEPTION,
        ),
        (TOPIC, ("leader.replication.throttled.replicas", SET, "0:1,1:2"), Error.NONE),
        (TOPIC, ("leader.replication.throttled.replicas", SET, "*"), Error.NONE),
        (TOPIC, ("leader.replication.throttled.replicas", SET, "0-1"), Error.INVALID_CONFIG),
        (ConfigResource(TOPIC_RESOURCE, ""), ("retention.ms", SET, "5"), Error.INVALID_REQUEST),
        (
            ConfigResource(TOPIC_RESOURCE, "u"),
            ("retention.ms", SET, "5"),
            Error.UNKNOWN_TOPIC_OR_PARTITION,
        ),
        (ALL_BROKERS, ("log.retention.ms", SET, "5"), Error.NONE),
        (ALL_BROKERS, ("log.dirs", SET, "/d"), Error.INVALID_REQUEST),
        (ALL_BROKERS, ("some.plugin.setting", SET, "x"), Error.NONE),
        # As Apache Kafka's brokers answer, which look before the controller does.
        (
            ConfigResource(BROKER_RESOURCE, "1"),
            ("log.retention.ms", SET, "-2"),
            Error.INVALID_REQUEST,
        ),
        (
            ConfigResource(BROKER_RESOURCE, "1"),
            ("replica.alter.log.dirs.io.max.bytes.per.second", SET, "1000"),
            Error.NONE,
        ),
        (
            ConfigResource(BROKER_RESOURCE, "7"),
            ("log.retention.ms", SET, "5"),
            Error.BROKER_ID_NOT_REGISTERED,
        ),
        (
            ConfigResource(BROKER_RESOURCE, "x"),
            ("log.retention.ms", SET, "5"),
            Error.INVALID_REQUEST,
        ),
        (ConfigResource(8, "1"), ("any", SET, "5"), Error.INVALID_REQUEST),
        (GROUP, ("consumer.session.timeout.ms", SET, "50000"), Error.NONE),
        (GROUP, ("consumer.session.timeout.ms", SET, "0"), Error.INVALID_CONFIG),
        (GROUP, ("consumer.session.timeout.ms", SET, "44999"), Error.INVALID_CONFIG),
        (GROUP, ("consumer.session.timeout.ms", SET, "60001"), Error.INVALID_CONFIG),
        (GROUP, ("consumer.heartbeat.interval.ms", SET, "4999"), Error.INVALID_CONFIG),
        (GROUP, ("consumer.heartbeat.interval.ms", SET, "15000"), Error.NONE),
        (GROUP, ("consumer.heartbeat.interval.ms", SET, "15001"), Error.INVALID_CONFIG),
        (GROUP, ("consumer.assignment.interval.ms", SET, "15001"), Error.INVALID_CONFIG),
        (GROUP, ("consumer.session.timeout.ms", APPEND, "1"), Error.INVALID_CONFIG),
        (GROUP, ("share.session.timeout.ms", SET, "50000"), Error.NONE),
        (GROUP, ("share.session.timeout.ms", SET, "1"), Error.INVALID_CONFIG),
        (GROUP, ("streams.session.timeout.ms", SET, "50000"), Error.INVALID_CONFIG),
        (GROUP, ("nothing", SET, "5"), Error.INVALID_CONFIG),
        (
            ConfigResource(GROUP_RESOURCE, ""),
            ("consumer.session.timeout.ms", SET, "50000"),
            Error.INVALID_REQUEST,
        ),
    ],
)
def test_each_check(resource: ConfigResource, alteration: Any, error: Error) -> None:
    cluster = scene()
    assert alter(cluster, alteration, to=resource) is error
    name, _, value = alteration
    expected = {name: value} if error is Error.NONE else {}
    assert cluster.image.config(resource.type, resource.name) == expected


def test_a_groups_session_outlasts_its_heartbeats() -> None:
    own = {"consumer.session.timeout.ms": "9000", "consumer.heartbeat.interval.ms": "9000"}
    node = {"group.consumer.min.session.timeout.ms": "6000"}
    with pytest.raises(Refusal, match="must be greater than consumer"):
        check_bounds(own, Settings(node))
    check_bounds(own | {"consumer.heartbeat.interval.ms": "8999"}, Settings(node))


def test_a_resource_changes_as_a_whole_or_not_at_all() -> None:
    cluster = scene(**{"retention.ms": "1"})
    changes = (("retention.ms", SET, "2"), ("segment.bytes", SET, "no"))
    assert alter(cluster, *changes) is Error.INVALID_CONFIG
    assert cluster.image.config(TOPIC_RESOURCE, "t") == {"retention.ms": "1"}


def test_setting_what_is_set_and_deleting_what_is_not_are_no_records() -> None:
    cluster = scene(**{"retention.ms": "1"})
    assert alter(cluster, ("retention.ms", SET, "1"), ("segment.bytes", DELETE, None)) == 0
    assert cluster.last == ()
    assert alter(cluster, ("retention.ms", DELETE, None)) is Error.NONE
    assert cluster.image.config(TOPIC_RESOURCE, "t") == {}


def test_lists_grow_and_shrink() -> None:
    cluster = scene()
    assert alter(cluster, ("cleanup.policy", APPEND, "compact, delete")) is Error.NONE
    assert cluster.image.config(TOPIC_RESOURCE, "t") == {"cleanup.policy": "delete,compact"}
    assert alter(cluster, ("cleanup.policy", SUBTRACT, "delete")) is Error.NONE
    assert cluster.image.config(TOPIC_RESOURCE, "t") == {"cleanup.policy": "compact"}
    # An empty list keeps records for ever: so does Apache Kafka since 4.1.
    assert alter(cluster, ("cleanup.policy", SUBTRACT, "compact")) is Error.NONE
    assert cluster.image.config(TOPIC_RESOURCE, "t") == {"cleanup.policy": ""}
    one = ConfigResource(BROKER_RESOURCE, "1")
    assert alter(cluster, ("cordoned.log.dirs", APPEND, "/a"), to=one) is Error.NONE
    assert alter(cluster, ("cordoned.log.dirs", APPEND, "/b,/a"), to=one) is Error.NONE
    assert cluster.image.config(BROKER_RESOURCE, "1") == {"cordoned.log.dirs": "/a,/b"}
    assert alter(cluster, ("cordoned.log.dirs", SET, "/a"), to=ALL_BROKERS) is Error.INVALID_REQUEST


@pytest.mark.spec("B-19")
def test_a_cluster_whose_metadata_knows_no_cordons_takes_none() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 29})
    cluster.start(1)
    one = ConfigResource(BROKER_RESOURCE, "1")
    assert alter(cluster, ("cordoned.log.dirs", SET, ""), to=one) is Error.INVALID_CONFIG
    asked = [(one, [Alteration("cordoned.log.dirs", SET, "/a")])]
    outcomes = cluster.take(configs.alter_wholly(cluster.state, asked))
    assert [o.error for _, o in outcomes] == [Error.INVALID_CONFIG]
    assert "requires metadata.version >= 4.3-IV0" in str(outcomes[0][1].message)
    assert alter(cluster, ("log.retention.ms", SET, "5"), to=one) is Error.NONE


SUBSCRIPTION = ConfigResource(CLIENT_METRICS_RESOURCE, "sub")


@pytest.mark.spec("C-06")
@pytest.mark.parametrize(
    ("alteration", "error"),
    [
        (("metrics", SET, "*"), Error.NONE),
        (("metrics", APPEND, "org.apache.kafka.producer."), Error.INVALID_CONFIG),
        (("metrics", SET, "a,"), Error.INVALID_CONFIG),
        (("interval.ms", SET, "100"), Error.NONE),
        (("interval.ms", SET, "99"), Error.INVALID_REQUEST),
        (("interval.ms", SET, "3600001"), Error.INVALID_REQUEST),
        (("interval.ms", SET, "soon"), Error.INVALID_CONFIG),
        (("match", SET, "client_id=app-[0-9]+, client_source_port=9.*"), Error.NONE),
        (("match", SET, "client_id"), Error.INVALID_CONFIG),
        (("match", SET, "client_name=app"), Error.INVALID_CONFIG),
        (("match", SET, "client_id=["), Error.INVALID_CONFIG),
        (("retention.ms", SET, "5"), Error.INVALID_REQUEST),
    ],
)
def test_client_metrics_subscriptions(alteration: tuple[str, int, str], error: Error) -> None:
    cluster = scene()
    assert alter(cluster, alteration, to=SUBSCRIPTION) is error
    kept = cluster.state.image.config(CLIENT_METRICS_RESOURCE, "sub")
    assert (alteration[0] in kept) == (error is Error.NONE)
    assert alter(cluster, ("metrics", SET, ""), to=ConfigResource(16, "")) is Error.INVALID_REQUEST


def test_nothing_is_named_twice() -> None:
    cluster = scene()
    twice = (("retention.ms", SET, "2"), ("retention.ms", DELETE, None))
    assert alter(cluster, *twice) is Error.INVALID_REQUEST
    one = (TOPIC, [Alteration("retention.ms", SET, "2")])
    outcomes = cluster.take(configs.alter_incrementally(cluster.state, [one, one]))
    assert [o.error for _, o in outcomes] == [Error.INVALID_REQUEST] * 2
    assert cluster.last == ()


def test_a_controllers_client_may_name_a_setting_twice_and_set_it_to_null() -> None:
    """It takes the last, and removes; a broker would have refused both (KIP-919)."""
    cluster = scene(**{"retention.ms": "1", "flush.ms": "7"})

    def ask(whole: bool, resource: ConfigResource, *settings: Alteration) -> Error:
        decide = configs.alter_wholly if whole else configs.alter_incrementally
        decision = decide(cluster.state, [(resource, settings)], direct=True)
        return cluster.take(decision)[0][1].error

    twice = (Alteration("flush.ms", SET, "x"), Alteration("flush.ms", SET, "8"))
    assert ask(False, TOPIC, *twice, Alteration("retention.ms", SET, None)) is Error.NONE
    assert cluster.image.config(TOPIC_RESOURCE, "t") == {"flush.ms": "8"}
    assert ask(True, TOPIC, *twice[1:], *twice[:1]) is Error.INVALID_CONFIG
    assert ask(False, TOPIC, Alteration("retention.ms", APPEND, None)) is Error.INVALID_CONFIG
    assert ask(False, TOPIC, Alteration("cleanup.policy", APPEND, None)) is Error.INVALID_REQUEST
    assert ask(True, TOPIC, Alteration("flush.ms", SET, None)) is Error.NONE
    assert cluster.image.config(TOPIC_RESOURCE, "t") == {}
    assert ask(True, ConfigResource(8, "1")) is Error.INVALID_REQUEST
    assert ask(True, ConfigResource(99, "1")) is Error.UNSUPPORTED_VERSION


def test_validating_writes_nothing() -> None:
    cluster = scene()
    asked = [(TOPIC, [Alteration("retention.ms", SET, "2")])]
    decision = configs.alter_incrementally(cluster.state, asked, validate_only=True)
    assert cluster.take(decision)[0][1].error is Error.NONE
    assert cluster.last == ()
    whole = configs.alter_wholly(cluster.state, asked, validate_only=True)
    assert cluster.take(whole)[0][1].error is Error.NONE
    assert cluster.last == ()


def test_the_older_request_replaces_everything() -> None:
    cluster = scene(**{"retention.ms": "1", "segment.bytes": "2000"})

    def replace(settings: dict[str, str | None], *more: Alteration) -> Error:
        alterations = [Alteration(name, SET, value) for name, value in settings.items()]
        decision = configs.alter_wholly(cluster.state, [(TOPIC, [*alterations, *more])])
        return cluster.take(decision)[0][1].error

    assert replace({"retention.ms": "1", "flush.ms": "7"}) is Error.NONE
    assert len(cluster.last) == 2
    expected = {"retention.ms": "1", "flush.ms": "7"}
    assert cluster.image.config(TOPIC_RESOURCE, "t") == expected
    assert replace({"flush.ms": None}) is Error.INVALID_REQUEST
    assert replace({"nothing": "1"}) is Error.INVALID_CONFIG
    assert replace({"flush.ms": "8"}, Alteration("flush.ms", SET, "9")) is Error.INVALID_REQUEST
    assert cluster.image.config(TOPIC_RESOURCE, "t") == expected


def test_the_controller_itself_lifts_cordons_and_makes_none() -> None:
    """It does not know a broker's paths. A broker does, and forwards what it has looked at."""
    cluster, broker = scene(), ConfigResource(BROKER_RESOURCE, "1")
    name = "cordoned.log.dirs"

    def ask(operation: int, value: str) -> Error:
        asked = [(broker, [Alteration(name, operation, value)])]
        decision = configs.alter_incrementally(cluster.state, asked, direct=True)
        return cluster.take(decision)[0][1].error

    assert ask(SET, "/a") is Error.INVALID_CONFIG
    assert alter(cluster, (name, SET, "/a,/b"), to=broker) is Error.NONE
    assert ask(APPEND, "/c") is Error.INVALID_CONFIG
    assert ask(SUBTRACT, "/a") is Error.NONE
    assert cluster.image.configs[BROKER_RESOURCE, "1"] == {name: "/b"}


@pytest.mark.spec("N-01")
@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("cleanup.policy", "compact", Error.NONE),
        ("cleanup.policy", "..", Error.INVALID_CONFIG),  # Every broker would read it.
        ("segment.bytes", "many", Error.INVALID_CONFIG),
        ("remote.storage.enable", "true", Error.NONE),  # Others' coordinators may mean it.
    ],
)
def test_a_coordinators_topic_takes_no_value_that_cannot_be_read(
    name: str, value: str, error: Error
) -> None:
    cluster = Cluster()
    cluster.start(1)
    cluster.topic("__consumer_offsets", (1,))
    internal = ConfigResource(TOPIC_RESOURCE, "__consumer_offsets")
    assert alter(cluster, (name, SET, value), to=internal) == error
