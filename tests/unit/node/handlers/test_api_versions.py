"""ApiVersions, as clients of every age ask it."""

from __future__ import annotations

import random
import struct
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.cluster_image import three_brokers
from tests.support.desk import Desk
from tools.messages.entities import decode, response_types

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.feature_rules import FINALIZED
from spindle.model.image import ClusterImage
from spindle.model.outbox import Outbox
from spindle.node.handlers import BROKER, CONTROLLER
from spindle.node.request_context import Serving
from spindle.wire.apis import Key

CLIENT = {"client_software_name": "apache-kafka-java", "client_software_version": "4.3.0"}


def target_of(image: ClusterImage, level: int = 0) -> SimpleNamespace:
    """A broker or a controller in a quorum with a kraft.version."""
    metadata = SimpleNamespace(kraft_version=level)
    part = SimpleNamespace(metadata=metadata)
    return SimpleNamespace(image=image, context=part, quorum=part)


@pytest.fixture
def desk() -> Desk:
    target = target_of(three_brokers())
    return Desk(BROKER, target, Outbox(random.Random(1)))


@pytest.mark.parametrize("version", range(5))
@pytest.mark.parametrize("table", [BROKER, CONTROLLER], ids=["broker", "controller"])
def test_what_is_served_is_advertised(table: dict[int, Serving[Any]], version: int) -> None:
    target = target_of(three_brokers())
    keys = {Key.API_VERSIONS, Key.METADATA} & table.keys()
    desk = Desk({int(key): table[key] for key in keys}, target, Outbox(random.Random(1)))
    answer = desk.ask(Key.API_VERSIONS, version, **CLIENT)
    assert answer.error_code == Error.NONE
    told = {a.api_key: (a.min_version, a.max_version) for a in answer.api_keys}
    assert told[Key.API_VERSIONS] == (0, 4)
    assert (Key.METADATA in told) is (table is BROKER)
    assert len(told) == len(keys)


def test_private_apis_are_advertised_to_our_own_nodes_and_tools_alone() -> None:
    target = target_of(three_brokers())
    desk = Desk(CONTROLLER, target, Outbox(random.Random(1)))
    for version, name, told in ((4, "spindle", True), (4, "librdkafka", False), (0, "", False)):
        answer = desk.ask(
            Key.API_VERSIONS, version, client_software_name=name, client_software_version="1"
        )
        keys = {a.api_key for a in answer.api_keys}
        assert (Key.ALTER_REPLICA_STATE in keys) is told


def test_features_are_sent_from_version_3_on_and_those_from_0_on_from_version_4(
    desk: Desk,
) -> None:
    old = desk.ask(Key.API_VERSIONS, 3, **CLIENT)
    new = desk.ask(Key.API_VERSIONS, 4, **CLIENT)
    assert {f.name for f in old.supported_features} == {"metadata.version"}
    told = {f.name: (f.min_version, f.max_version) for f in new.supported_features}
    assert told["metadata.version"] == (7, 30)
    assert told["kraft.version"] == (0, 1)
    assert told["streams.version"] == (0, 0)
    assert told["eligible.leader.replicas.version"] == (0, 1)
    assert told["transaction.version"] == (0, 2)
    assert told["group.version"] == told["share.version"] == (0, 1)
    for answer in (old, new):
        assert answer.finalized_features_epoch == 77
        told = {f.name: f.max_version_level for f in answer.finalized_features}
        assert told == FINALIZED


def test_features_finalized_above_what_is_served_are_kept_from_clients(desk: Desk) -> None:
    image = three_brokers()
    image.apply(r.FeatureLevel(name="streams.version", level=1))
    target = target_of(image)
    desk = Desk(BROKER, target, Outbox(random.Random(1)))
    answer = desk.ask(Key.API_VERSIONS, 4, **CLIENT)
    assert [f.name for f in answer.finalized_features] == list(FINALIZED)


@pytest.mark.spec("C-05")
def test_the_quorums_version_is_finalized_where_its_log_says_which_nodes_vote() -> None:
    desk = Desk(BROKER, target_of(three_brokers(), 1), Outbox(random.Random(1)))
    answer = desk.ask(Key.API_VERSIONS, 4, **CLIENT)
    told = {f.name: f.max_version_level for f in answer.finalized_features}
    assert told["kraft.version"] == 1


@pytest.mark.parametrize("name", ["", "-x", "a b", "ä"])
def test_malformed_software_names_are_refused(desk: Desk, name: str) -> None:
    answer = desk.ask(Key.API_VERSIONS, 3, client_software_name=name, client_software_version="1")
    assert answer.error_code == Error.INVALID_REQUEST


def test_an_unknown_version_is_answered_in_version_0(desk: Desk) -> None:
    header = struct.pack(">hhih", Key.API_VERSIONS, 99, 5, 1) + b"x"
    desk.router.on_frame(desk.connection, header + b"\0rubbish")
    ready = desk.out.take()
    assert ready is not None
    frame = b"".join(bytes(b) for b in ready.answers[0].buffers)
    assert frame[4:8] == struct.pack(">i", 5)
    answer, _ = decode(response_types(Key.API_VERSIONS, 0).ApiVersionsResponse, frame, 8)
    assert answer.error_code == Error.UNSUPPORTED_VERSION
    (own,) = answer.api_keys
    assert (own.api_key, own.min_version, own.max_version) == (Key.API_VERSIONS, 0, 4)
