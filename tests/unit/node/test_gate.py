"""Requests are checked before their handlers: what is refused comes back with what is served."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.cluster_image import add_topic, three_brokers

from spindle.core.authorizer import Authorizer
from spindle.model.acl import AclBinding, AclOperation, AclPermissionType, PatternType
from spindle.model.acl import AclResourceType as Type
from spindle.model.acl_table import AclTable
from spindle.model.computing import Compute
from spindle.model.errors import Error
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.model.metadata_records import AccessControlEntry
from spindle.model.outbox import Outbox, Ready
from spindle.model.settings.typed_settings import Settings
from spindle.node import parted
from spindle.node.authorization import check_table as checks
from spindle.node.authorization.gate import Gate
from spindle.node.authorization.permits import LOGGED_MAX, AuditLog
from spindle.node.authorization.sifting import Sifted
from spindle.node.connection import Connection
from spindle.node.handlers import BROKER, CONTROLLER
from spindle.node.replicas.silent_leaders import SilentLeaders
from spindle.node.request_context import Handler, RequestContext
from spindle.node.router import Router
from spindle.node.slices import Slices
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import beside
from spindle.wire.apis import Key
from spindle.wire.codec import Packed, Request
from spindle.wire.framing import request_frame, response_in
from spindle.wire.messages.alter_replica_state_request import AlterReplicaStateRequest
from spindle.wire.messages.assign_replicas_to_dirs_request import AssignReplicasToDirsRequest
from spindle.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest
from spindle.wire.messages.list_offsets_request import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from spindle.wire.messages.list_offsets_response import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from spindle.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic

ALICE, BOB, ROOT = (KafkaPrincipal("User", name) for name in ("alice", "bob", "root"))


def may(principal: KafkaPrincipal, operation: AclOperation, topic: str) -> AclBinding:
    return AclBinding(
        Type.TOPIC, topic, PatternType.PREFIXED, str(principal), "*", operation,
        AclPermissionType.ALLOW,
    )  # fmt: skip


class Guarded:
    """A router behind a gate, over as much of a broker as its handlers need."""

    def __init__(self, acls: Iterable[AclBinding], controller: bool = False, **broker: Any) -> None:
        self.out = Outbox(random.Random(1))
        self.table = AclTable()
        for number, acl in enumerate(acls):
            self.table.add(AccessControlEntry.of(uuid.UUID(int=number + 1), acl))
        self.is_ready = True
        self.target: Any = SimpleNamespace(
            out=self.out, slices=Slices(self.out, "/d1"), node_id=1, cluster_id="cluster",
            settings=Settings({}), **broker,
        )  # fmt: skip
        silent = SilentLeaders(self.out, lambda: self.target.image)
        self.target.fetchers = SimpleNamespace(silent=silent)
        self.handlers: dict[int, Any] = {**(CONTROLLER if controller else BROKER)}
        authorizer = Authorizer(lambda: self.table, frozenset(("User:root",)), False)
        table: Any = checks.CONTROLLER if controller else checks.BROKER
        gate = Gate[Any](table, authorizer, lambda: self.is_ready, AuditLog(self.out))
        parts: Any = {} if controller else parted.BROKER
        self.router = Router(self.handlers, self.target, self.out, parts, gate)
        self.logged: list[str] = []
        self._connections: dict[int, tuple[Connection, Request[Any], int]] = {}

    def send(self, who: KafkaPrincipal, request: Request[Any], version: int) -> None:
        number = len(self._connections) + 1
        connection = Connection(number, "PLAINTEXT", "10.0.0.1", self.out, principal=who)
        self._connections[number] = connection, request, version
        self.router.on_frame(connection, request_frame(request, version, 1, None)[4:])

    def answers(self) -> list[Any]:
        """The answers to all that was sent, in the order in which it was sent."""
        found: dict[int, Any] = {}
        while len(found) < len(self._connections):
            ready = self.out.take()
            if ready is None:
                self.out.now += 0.1
                self.out.tick()
                continue
            self._take(ready, found)
        self._connections.clear()
        return [found[number] for number in sorted(found)]

    def _take(self, ready: Ready, found: dict[int, Any]) -> None:
        self.logged += [said.event for said in ready.log_lines]
        for asked in ready.jobs:
            assert isinstance(asked.job, Compute)
            self.out.done(asked.ticket, beside.run(MemoryDisk(), asked.job))
        for answered in ready.answers:
            _, request, version = self._connections[answered.connection]
            frame = b"".join(bytes(buffer) for buffer in answered.buffers)
            found[answered.connection] = response_in(frame[4:], request, version)

    def ask(self, who: KafkaPrincipal, request: Request[Any], version: int) -> Any:
        self.send(who, request, version)
        (answer,) = self.answers()
        return answer


def cluster(partitions: int = 1) -> Any:
    image = three_brokers()
    for name in ("a-1", "a-2", "b-1"):
        add_topic(image, name, *[(1, 2)] * partitions)
    return image


@pytest.mark.spec("S-05")
@pytest.mark.parametrize("partitions", [1, 3000], ids=["small", "packed"])
def test_a_list_of_topics_has_those_that_its_reader_may_see(partitions: int) -> None:
    rules = [may(ALICE, AclOperation.READ, "a-"), may(BOB, AclOperation.DESCRIBE, "b-")]
    desk = Guarded(rules, image=cluster(partitions), topic_creation=None)
    every = MetadataRequest(topics=None, include_topic_authorized_operations=True)
    for who in (ALICE, BOB, ROOT):
        desk.send(who, every, 9)
    seen = [{topic.name: topic for topic in answer.topics} for answer in desk.answers()]
    assert [set(each) for each in seen] == [{"a-1", "a-2"}, {"b-1"}, {"a-1", "a-2", "b-1"}]
    allowed = 1 << AclOperation.READ | 1 << AclOperation.DESCRIBE
    assert seen[0]["a-1"].topic_authorized_operations == allowed
    assert len(seen[2]["b-1"].partitions) == partitions


@pytest.mark.spec("S-05")
@pytest.mark.parametrize("partitions", [1, 3000], ids=["small", "packed"])
def test_named_topics_are_answered_where_they_were_asked_for(partitions: int) -> None:
    desk = Guarded([may(ALICE, AclOperation.READ, "a-")], image=cluster(partitions))
    names = ("a-1", "b-1", "a-2", "none")
    asked = [MetadataRequestTopic(name=name) for name in names]
    request = MetadataRequest(topics=asked, allow_auto_topic_creation=False)
    desk.send(ALICE, request, 9)
    desk.send(ALICE, MetadataRequest(topics=asked[:1], allow_auto_topic_creation=False), 9)
    both, one = desk.answers()
    told = {topic.name: topic.error_code for topic in both.topics}
    refused = Error.TOPIC_AUTHORIZATION_FAILED
    assert told == {"a-1": 0, "b-1": refused, "a-2": 0, "none": refused}
    assert [topic.name for topic in one.topics] == ["a-1"]


def list_offsets(
    _: object, request: ListOffsetsRequest, context: RequestContext[ListOffsetsResponse]
) -> ListOffsetsResponse:
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[
                    ListOffsetsPartitionResponse(partition_index=p.partition_index, offset=7)
                    for p in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


@pytest.mark.spec("S-05")
def test_a_request_that_is_served_in_parts_is_checked_in_each() -> None:
    desk = Guarded([may(ALICE, AclOperation.READ, "a-")])
    desk.handlers[Key.LIST_OFFSETS] = Handler(ListOffsetsRequest, list_offsets)
    sizes = {"a-1": 700, "b-1": 900, "b-2": 10, "a-2": 1200, "b-3": 1500, "a-3": 3}
    request = ListOffsetsRequest(
        replica_id=-1,
        topics=[
            ListOffsetsTopic(
                name=name,
                partitions=[ListOffsetsPartition(partition_index=n) for n in range(size)],
            )
            for name, size in sizes.items()
        ],
    )
    answer = desk.ask(ALICE, request, 7)
    assert {topic.name: len(topic.partitions) for topic in answer.topics} == sizes
    for topic in answer.topics:
        error = Error.NONE if topic.name < "b" else Error.TOPIC_AUTHORIZATION_FAILED
        assert {p.error_code for p in topic.partitions} == {error}
        assert [p.partition_index for p in topic.partitions] == [*range(sizes[topic.name])]


@pytest.mark.spec("S-05")
def test_until_the_acls_are_read_only_super_users_may_do_anything() -> None:
    desk = Guarded([may(ALICE, AclOperation.READ, "a-")], image=cluster())
    desk.is_ready = False
    asked = MetadataRequest(topics=[MetadataRequestTopic(name="a-1")])
    refused, told = (desk.ask(who, asked, 9).topics[0].error_code for who in (ALICE, ROOT))
    assert (refused, told) == (Error.UNKNOWN_SERVER_ERROR, Error.NONE)


@pytest.mark.spec("S-05")
def test_refusals_are_logged_as_kafkas_authorizer_does_and_not_without_end() -> None:
    desk = Guarded([], image=cluster())
    names = ["a-1", "odd\nname", *map(str, range(100))]
    asked = [MetadataRequestTopic(name=name) for name in names]
    desk.ask(ALICE, MetadataRequest(topics=asked, allow_auto_topic_creation=False), 9)
    denied = [line for line in desk.logged if "is Denied" in line]
    assert denied[0] == (
        "Principal = User:alice is Denied operation = DESCRIBE from host = 10.0.0.1 on resource ="
        " Topic:LITERAL:a-1 for request = Metadata with resourceRefCount = 1 based on rule"
        " DefaultDeny"
    )
    assert "\n" not in denied[1]
    assert len(denied) == LOGGED_MAX


def test_answers_that_are_bytes_already_get_the_refusals_behind_them() -> None:
    packed = Packed()
    sifted = Sifted(["yes", "no"], lambda text: text == "yes")
    told = sifted.woven(packed, lambda text: ListOffsetsTopicResponse(name=text), 7)
    assert len(told) == 1
    assert sifted.kept == ("yes",)


def test_what_no_check_takes_out_is_served_as_it_came() -> None:
    sifted = Sifted([1, 2], lambda number: True)
    assert sifted.is_whole
    assert not sifted.is_empty
    assert not Sifted(list[int](), lambda number: False).is_empty


class Reached(Exception):
    """A handler was called."""


def reached(*_: object) -> Any:
    raise Reached


@pytest.mark.spec("K858-07", "K589-01", "S-05")
@pytest.mark.parametrize(
    ("asked", "version"),
    [
        (AssignReplicasToDirsRequest(broker_id=1, broker_epoch=1), 0),
        (AlterReplicaStateRequest(broker_id=1, broker_epoch=1), 0),
        (BrokerHeartbeatRequest(broker_id=1, broker_epoch=1), 1),
    ],
    ids=["AssignReplicasToDirs", "AlterReplicaState", "BrokerHeartbeat"],
)
def test_what_brokers_say_to_the_controller_needs_cluster_action(asked: Any, version: int) -> None:
    desk = Guarded([], controller=True)
    refuse: Any = desk.handlers[asked.KEY].refused
    desk.handlers[asked.KEY] = Handler(type(asked), reached, refuse)
    answer = desk.ask(ALICE, asked, version)
    assert answer.error_code == Error.CLUSTER_AUTHORIZATION_FAILED
    with pytest.raises(Reached):
        desk.send(ROOT, asked, version)
