"""What Apache Kafka 4.3 refuses, Spindle refuses, in the same words of the protocol (S-05).

One node of each, the same topics and the same ACLs. Clients are ANONYMOUS and differ only by their
address: 127.0.0.1 may do everything, and the others what their ACLs say. Every request is sent to
both by every client, and the answers are compared.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tests.support.acl_cases import (
    CASES,
    CLIENTS,
    ROOT,
    RULES,
    SETTINGS,
    TOPICS,
    Side,
    acl,
    committed,
)
from tests.support.apache_kafka import ApacheKafka, ApacheNode, run_tool
from tests.support.spindle_cluster import SpindleCluster
from tests.support.waiting import eventually

from spindle.model.acl import AclOperation, AclResourceType, PatternType
from spindle.model.errors import Error
from spindle.model.ids import id_to_text
from spindle.wire.apis import Key
from spindle.wire.codec import Message, Request, Response, changed
from spindle.wire.messages import create_acls_request as create_acls
from spindle.wire.messages import create_topics_request as create_topics
from spindle.wire.messages import delete_acls_request as delete_acls
from spindle.wire.messages import metadata_request as metadata
from spindle.wire.messages import offset_commit_request as offset_commit
from spindle.wire.messages.describe_acls_request import DescribeAclsRequest
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest
from spindle.wire.messages.init_producer_id_request import InitProducerIdRequest


def prepare(side: Side) -> None:
    """The ACLs, the topics, a group and a transactional id."""
    made = side.ask(create_acls.CreateAclsRequest(creations=tuple(map(acl, RULES))), 3, ROOT)
    assert [each.error_code for each in made.results] == [Error.NONE] * len(RULES)
    topics = tuple(
        create_topics.CreatableTopic(name=name, num_partitions=1, replication_factor=1)
        for name in TOPICS
    )
    request = create_topics.CreateTopicsRequest(topics=topics, timeout_ms=20_000)
    made = side.ask(request, 7, ROOT)
    assert [each.error_code for each in made.topics] == [Error.NONE] * len(TOPICS)
    side.ids = {each.name: each.topic_id for each in made.topics}
    eventually(lambda: all(led(side, name) for name in TOPICS), "the topics are led", 30)
    for kind, key in ((0, "mine"), (1, "mine"), (2, f"mine:{id_to_text(side.ids['mine'])}:0")):
        find = FindCoordinatorRequest(key_type=kind, coordinator_keys=(key,))
        eventually(lambda find=find: found(side, find), "the coordinator is there", 60)
    for group in ("mine", "other"):
        commit = offset_commit.OffsetCommitRequest(
            group_id=group, generation_id_or_member_epoch=-1,
            topics=tuple(committed(name) for name in TOPICS),
        )  # fmt: skip
        eventually(lambda commit=commit: well(side.ask(commit, 8, ROOT)), "offsets are there", 60)
    for txn in ("mine", "other"):
        init = InitProducerIdRequest(transactional_id=txn, transaction_timeout_ms=60_000)
        eventually(lambda init=init: well(side.ask(init, 4, ROOT)), "producers are there", 60)


def well(response: Response) -> bool:
    return not errors_in(response)


def led(side: Side, name: str) -> bool:
    topic = metadata.MetadataRequestTopic(name=name)
    return well(side.ask(metadata.MetadataRequest(topics=(topic,)), 9, ROOT))


def found(side: Side, find: FindCoordinatorRequest) -> bool:
    return well(side.ask(find, 6, ROOT))


def errors_in(message: object) -> list[int]:
    if isinstance(message, Message):
        own = [getattr(message, n) for n in type(message).__slots__ if n.endswith("error_code")]
        inner = [getattr(message, n) for n in type(message).__slots__]
        return [e for e in own if e] + [e for each in inner for e in errors_in(each)]
    if isinstance(message, list | tuple):
        return [e for each in message for e in errors_in(each)]
    return []


@pytest.fixture(scope="module")
def sides(kafka_jars: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Side, ...]]:
    folder = tmp_path_factory.mktemp("acls")
    theirs = ApacheKafka(folder / "kafka", kafka_jars, directories=1, settings=SETTINGS)
    ours = SpindleCluster(folder / "spindle", kafka_jars, directories=1, settings=SETTINGS)
    with theirs, ours:
        for cluster in (theirs, ours):
            cluster.start()
        both = tuple(side_of(name, c) for name, c in (("kafka", theirs), ("spindle", ours)))
        for each in both:
            prepare(each)
        yield both


def side_of(name: str, cluster: ApacheKafka) -> Side:
    node: ApacheNode = cluster.brokers[0]
    assert node.controller_port is not None
    return Side(name, node.port, node.controller_port)


VOLATILE = frozenset(
    ("throttle_time_ms", "host", "port", "broker_id", "node_id", "cluster_id", "brokers",
     "leader_epoch", "log_append_time_ms", "log_start_offset", "base_offset", "records",
     "high_watermark", "last_stable_offset", "producer_id", "producer_epoch", "offset",
     "end_offset",
     "low_watermark", "current_leader", "node_endpoints", "error_message", "session_id", "configs",
     "log_dir", "total_bytes", "usable_bytes", "topics_of_dirs", "nodes", "controller_id",
     "member_id", "timestamp", "directory_id", "active_producers", "transaction_start_time_ms",
     "partition_size", "leader", "members", "timestamp_delta", "last_timestamp", "batch_index",
     "current_voters", "observers", "is_cordoned", "members_data", "voters",
     "protocol_name", "protocol_type", "eligible_leader_replicas", "last_known_elr")
)  # fmt: skip
"""What differs between two clusters, or is another test's affair."""


def shape(side: Side, message: object) -> object:
    """An answer without what differs between clusters, in a form that does not know order."""
    if isinstance(message, Message):
        told = {
            name: shape(side, getattr(message, name))
            for name in type(message).__slots__
            if name not in VOLATILE or (name == "error_message" and is_well(message))
        }
        return tuple(sorted((k, v) for k, v in told.items() if v not in ((), None)))
    if isinstance(message, list | tuple):
        return tuple(sorted((shape(side, each) for each in message), key=repr))
    if isinstance(message, uuid.UUID):
        return next((name for name, id in side.ids.items() if id == message), "another")
    return int(message) if isinstance(message, int) else message


def is_well(message: Message) -> bool:
    """Whether an answer tells of no error: its message, empty or none, is compared then."""
    return getattr(message, "error_code", None) == Error.NONE


@pytest.mark.spec("S-05")
@pytest.mark.parametrize("name", CASES)
def test_every_client_is_refused_what_kafka_refuses(sides: tuple[Side, ...], name: str) -> None:
    key, version, make = CASES[name]
    kafka, spindle = sides
    for host in CLIENTS:
        if (name, host) == ("fetch as a follower", "127.0.0.6"):
            continue  # It is allowed, and the fetch of a replica that is none is another test's.
        request = make(kafka)
        assert key == request.KEY
        expected = shape(kafka, kafka.ask(request, version, host))
        told = shape(spindle, spindle.ask(make(spindle), version, host))
        assert told == expected, f"{name} from {host}"


FILTER: Final = ("resource_type_filter", "pattern_type_filter", "operation", "permission_type")
ACL: Final = ("resource_type", "resource_pattern_type", "operation", "permission_type")


def coded(key: Key, name: str, code: int) -> Request[Any]:
    """A request about ACLs with a code in one of its fields."""
    if key is Key.CREATE_ACLS:
        rule = acl((AclResourceType.TOPIC, "coded", PatternType.LITERAL, ROOT, AclOperation.READ))
        return create_acls.CreateAclsRequest(creations=(rule, changed(rule, **{name: code})))
    fields: dict[str, Any] = {"resource_type_filter": 2, "pattern_type_filter": 1, "operation": 1}
    fields |= {"permission_type": 1, name: code}
    if key is Key.DESCRIBE_ACLS:
        return DescribeAclsRequest(**fields)
    other = delete_acls.DeleteAclsFilter(resource_name_filter="none", **fields)
    return delete_acls.DeleteAclsRequest(filters=(other,))


@pytest.mark.spec("S-05")
@pytest.mark.parametrize("key", [Key.DESCRIBE_ACLS, Key.CREATE_ACLS, Key.DELETE_ACLS])
def test_codes_that_kafka_has_not(sides: tuple[Side, ...], key: Key) -> None:
    """Apache Kafka's nodes hang up on UNKNOWN (0), and fail over an ACL to make with ANY in it."""
    for name in ACL if key is Key.CREATE_ACLS else FILTER:
        for code in (99, -1) if key is Key.CREATE_ACLS else (1, 99, -1):
            request = coded(key, name, code)
            for controller in (False, True):
                theirs, ours = (shape(s, s.ask(request, 3, ROOT, controller)) for s in sides)
                assert ours == theirs, (name, code, controller)
        request = coded(key, name, 0)
        with pytest.raises(EOFError):
            sides[0].ask(request, 3, ROOT)
        assert Error.INVALID_REQUEST in errors_in(sides[1].ask(request, 3, ROOT)), name


TOOL: Final = (
    ("--add", "--allow-principal", "User:carol", "--producer", "--idempotent", "--topic", "tool"),
    ("--add", "--deny-principal", "User:bob", "--deny-host", "10.0.0.9", "--operation", "All",
     "--group", "g", "--resource-pattern-type", "prefixed"),
    ("--remove", "--allow-principal", "User:carol", "--operation", "Write", "--topic", "tool",
     "--force"),
    ("--list",),
)  # fmt: skip


@pytest.mark.spec("S-05")
def test_kafkas_tool_adds_lists_and_removes(sides: tuple[Side, ...], kafka_jars: Path) -> None:
    def said(side: Side, words: tuple[str, ...]) -> list[str]:
        at = ("--bootstrap-server", f"127.0.0.1:{side.port}")
        done = run_tool(kafka_jars, "org.apache.kafka.tools.AclCommand", *at, *words)
        assert done.code == 0, done
        return sorted(line.strip() for line in done.lines() if line.strip())

    for words in TOOL:
        told: list[list[str]] = []

        def alike(words: tuple[str, ...] = words, told: list[list[str]] = told) -> bool:
            told[:] = [said(side, words) for side in sides]
            return told[0] == told[1]

        # After a change the tool lists what there is; the broker may not have heard of it yet. What
        # is added or removed a second time stays as it is.
        eventually(alike, f"both say the same of {words}")
    assert told[0], "the list at the end is not empty"
