"""The group APIs through their handlers, in every version."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.cluster_image import topic_id
from tests.support.desk import part, request
from tests.support.group_broker import GroupBroker
from tools.messages.entities import ms

from spindle.model.errors import Error
from spindle.wire.apis import TABLE, Key


def versions(key: Key, least: int = 0) -> range:
    return range(max(TABLE[key].min, least), TABLE[key].max + 1)


@pytest.fixture
def broker() -> GroupBroker:
    return GroupBroker()


def join(broker: GroupBroker, version: int, member_id: str = "", **fields: Any) -> Any:
    protocol = part(
        Key.JOIN_GROUP, version, "JoinGroupRequestProtocol", name="range", metadata=b"m"
    )
    return broker.ask(
        Key.JOIN_GROUP,
        version,
        **(
            {
                "group_id": "g",
                "session_timeout": ms(10_000),
                "rebalance_timeout": ms(20_000),
                "member_id": member_id,
                "protocol_type": "consumer",
                "protocols": (protocol,),
            }
            | fields
        ),
    )


def joined(broker: GroupBroker, version: int = 9, **fields: Any) -> Any:
    """A member that has joined, by way of an id if the version wants it."""
    answer = join(broker, version, **fields)
    if answer.error_code == Error.MEMBER_ID_REQUIRED:
        answer = join(broker, version, answer.member_id, **fields)
    assert answer.error_code == Error.NONE
    return answer


def sync(broker: GroupBroker, version: int, member: Any, assignment: bytes = b"A") -> Any:
    given = part(
        Key.SYNC_GROUP,
        version,
        "SyncGroupRequestAssignment",
        member_id=member.member_id,
        assignment=assignment,
    )
    return broker.ask(
        Key.SYNC_GROUP,
        version,
        group_id="g",
        generation_id=member.generation_id,
        member_id=member.member_id,
        protocol_type="consumer",
        protocol_name="range",
        assignments=(given,),
    )


def commit(
    broker: GroupBroker, version: int, offsets: dict[tuple[str, int], int], **fields: Any
) -> list[tuple[str, int, int]]:
    """Commit; (topic, partition, error) of each."""
    names = list(dict.fromkeys(name for name, _ in offsets))
    key = Key.OFFSET_COMMIT
    answer = broker.ask(
        key,
        version,
        **(
            {
                "group_id": "g",
                "generation_id_or_member_epoch": -1,
                "member_id": "",
                "retention_time": ms(-1),
                "topics": tuple(
                    part(
                        key,
                        version,
                        "OffsetCommitRequestTopic",
                        name=name,
                        topic_id=topic_id(name),
                        partitions=tuple(
                            part(
                                key,
                                version,
                                "OffsetCommitRequestPartition",
                                partition_index=p,
                                committed_offset=offset,
                                committed_leader_epoch=2,
                                committed_metadata="meta",
                            )
                            for (n, p), offset in offsets.items()
                            if n == name
                        ),
                    )
                    for name in names
                ),
            }
            | fields
        ),
    )
    by_id = {topic_id(n): n for n in (*names, "t", "u")}
    return [
        (t.name if version < 10 else by_id[t.topic_id], p.partition_index, p.error_code)
        for t in answer.topics
        for p in t.partitions
    ]


def named(name: str, version: int) -> dict[str, Any]:
    """How a topic is named in requests for offsets."""
    return {"topic_id": topic_id(name)} if version >= 10 else {"name": name}


def fetch(broker: GroupBroker, version: int, topics: dict[str, list[int]] | None) -> Any:
    """Fetch offsets: ({(topic, partition): (offset, metadata, error)}, error of all)."""
    key = Key.OFFSET_FETCH
    cls = "OffsetFetchRequestTopics" if version >= 8 else "OffsetFetchRequestTopic"
    asked = (
        None
        if topics is None
        else tuple(
            part(key, version, cls, partition_indexes=tuple(ps), **named(n, version))
            for n, ps in topics.items()
        )
    )
    if version >= 8:
        group = part(key, version, "OffsetFetchRequestGroup", group_id="g", topics=asked)
        (found,) = broker.ask(key, version, groups=(group,)).groups
    else:
        found = broker.ask(key, version, group_id="g", topics=asked)
    by_id = {topic_id(n): n for n in ("t", "u", "nowhere")}
    told = {
        (by_id[t.topic_id] if version >= 10 else t.name, p.partition_index): (
            p.committed_offset,
            p.metadata,
            p.error_code,
        )
        for t in found.topics
        for p in t.partitions
    }
    return told, getattr(found, "error_code", Error.NONE)


# --- membership ---------------------------------------------------------------------------------


@pytest.mark.parametrize("version", versions(Key.JOIN_GROUP))
def test_joining_alone(broker: GroupBroker, version: int) -> None:
    answer = join(broker, version)
    if version >= 4:
        assert (answer.error_code, answer.generation_id) == (Error.MEMBER_ID_REQUIRED, -1)
        if version < 7:
            assert answer.protocol_name == ""
        answer = join(broker, version, answer.member_id)
    assert (answer.error_code, answer.generation_id) == (Error.NONE, 1)
    assert answer.leader == answer.member_id
    assert answer.member_id.startswith("tester-")
    assert (answer.protocol_name, [m.metadata for m in answer.members]) == ("range", [b"m"])
    if version >= 7:
        assert answer.protocol_type == "consumer"
    if version >= 9:
        assert answer.skip_assignment is False


@pytest.mark.parametrize("version", versions(Key.SYNC_GROUP))
def test_syncing(broker: GroupBroker, version: int) -> None:
    member = joined(broker)
    answer = sync(broker, version, member)
    assert (answer.error_code, answer.assignment) == (Error.NONE, b"A")
    if version >= 5:
        assert (answer.protocol_type, answer.protocol_name) == ("consumer", "range")


@pytest.mark.parametrize("version", versions(Key.HEARTBEAT))
def test_heartbeats(broker: GroupBroker, version: int) -> None:
    member = joined(broker)
    who = {"group_id": "g", "generation_id": 1, "member_id": member.member_id}
    assert broker.ask(Key.HEARTBEAT, version, **who).error_code == Error.NONE
    who["generation_id"] = 2
    assert broker.ask(Key.HEARTBEAT, version, **who).error_code == Error.ILLEGAL_GENERATION
    who["group_id"] = "other"
    assert broker.ask(Key.HEARTBEAT, version, **who).error_code == Error.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("version", versions(Key.LEAVE_GROUP))
def test_leaving(broker: GroupBroker, version: int) -> None:
    member = joined(broker)
    names = [member.member_id, "stranger"]
    if version < 3:
        answers = [
            broker.ask(Key.LEAVE_GROUP, version, group_id="g", member_id=name).error_code
            for name in names
        ]
    else:
        members = tuple(
            part(Key.LEAVE_GROUP, version, "MemberIdentity", member_id=n, group_instance_id=None)
            for n in names
        )
        answer = broker.ask(Key.LEAVE_GROUP, version, group_id="g", members=members)
        assert answer.error_code == Error.NONE
        assert [m.member_id for m in answer.members] == names
        answers = [m.error_code for m in answer.members]
    assert answers == [Error.NONE, Error.UNKNOWN_MEMBER_ID]


def test_before_version_1_the_session_timeout_is_the_rebalance_timeout(
    broker: GroupBroker,
) -> None:
    member = joined(broker, 0)
    coordinator = broker.groups.coordinator("g")
    stored = coordinator.groups.all["g"].metadata.members.get(member.member_id)
    assert stored is not None
    assert stored.rebalance_timeout == 10_000
    assert (stored.client_id, stored.client_host) == ("tester", "/127.0.0.1")


def test_answers_wait_for_the_log(broker: GroupBroker) -> None:
    member = joined(broker)
    broker.replicas.held = []
    given = part(
        Key.SYNC_GROUP,
        5,
        "SyncGroupRequestAssignment",
        member_id=member.member_id,
        assignment=b"A",
    )
    broker.desk.send(
        request(
            Key.SYNC_GROUP,
            5,
            group_id="g",
            generation_id=1,
            member_id=member.member_id,
            protocol_type="consumer",
            protocol_name="range",
            assignments=(given,),
        )
    )
    assert broker.desk.answers() == []
    broker.replicas.held.pop()()
    (answer,) = broker.desk.answers()
    assert answer.assignment == b"A"


# --- offsets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", versions(Key.OFFSET_COMMIT))
@pytest.mark.parametrize("reading", versions(Key.OFFSET_FETCH))
def test_offsets_are_returned_as_they_were_committed(
    broker: GroupBroker, version: int, reading: int
) -> None:
    assert commit(broker, version, {("t", 0): 5, ("t", 1): 6, ("u", 0): 7}) == [
        ("t", 0, Error.NONE),
        ("t", 1, Error.NONE),
        ("u", 0, Error.NONE),
    ]
    assert fetch(broker, reading, {"t": [1, 0], "u": [9]}) == (
        {
            ("t", 1): (6, "meta", Error.NONE),
            ("t", 0): (5, "meta", Error.NONE),
            ("u", 9): (-1, "", Error.NONE),
        },
        Error.NONE,
    )
    if reading >= 2:
        told, _ = fetch(broker, reading, None)
        assert {where: value[0] for where, value in told.items()} == {
            ("t", 0): 5,
            ("t", 1): 6,
            ("u", 0): 7,
        }


@pytest.mark.parametrize("version", versions(Key.OFFSET_COMMIT))
def test_partitions_that_do_not_exist_cannot_be_committed(
    broker: GroupBroker, version: int
) -> None:
    unknown = Error.UNKNOWN_TOPIC_ID if version >= 10 else Error.UNKNOWN_TOPIC_OR_PARTITION
    assert commit(broker, version, {("t", 0): 1, ("t", 9): 1, ("nowhere", 0): 1}) == [
        ("t", 0, Error.NONE),
        ("t", 9, Error.UNKNOWN_TOPIC_OR_PARTITION),
        ("nowhere", 0, unknown),
    ]


@pytest.mark.parametrize("version", [2, 4, 8, 9, 10])
def test_a_member_of_a_group_that_is_not_there_cannot_commit(
    broker: GroupBroker, version: int
) -> None:
    error = Error.GROUP_ID_NOT_FOUND if version >= 9 else Error.ILLEGAL_GENERATION
    answers = commit(broker, version, {("t", 0): 1}, generation_id_or_member_epoch=3, member_id="m")
    assert answers == [("t", 0, error)]


def test_old_clients_may_say_how_long_to_keep_an_offset(broker: GroupBroker) -> None:
    commit(broker, 4, {("t", 0): 1}, retention_time=ms(60_000))
    commit(broker, 4, {("t", 1): 1})
    broker.wait(601)
    told, _ = fetch(broker, 9, None)
    assert list(told) == [("t", 1)]


@pytest.mark.parametrize("version", versions(Key.OFFSET_FETCH))
def test_before_the_topic_of_offsets_is_there_this_broker_coordinates_nothing(version: int) -> None:
    """Clients look for the coordinator again, which has the topic made."""
    broker = GroupBroker(with_topic=False)
    told, error = fetch(broker, version, {"t": [0]})
    errors = [error] if version >= 2 else [e for _, _, e in told.values()]
    assert errors == [Error.NOT_COORDINATOR]


@pytest.mark.parametrize("version", [10])
def test_offsets_of_unknown_ids(broker: GroupBroker, version: int) -> None:
    told, error = fetch(broker, version, {"nowhere": [0], "t": [0]})
    assert told["nowhere", 0] == (-1, "", Error.UNKNOWN_TOPIC_ID)
    assert list(told) == [("t", 0), ("nowhere", 0)], "as Apache Kafka's: errors come last"
    assert error == Error.NONE


def test_an_append_that_takes_too_long_is_answered_and_still_counts(broker: GroupBroker) -> None:
    broker.replicas.held = []
    topic = part(
        Key.OFFSET_COMMIT,
        8,
        "OffsetCommitRequestTopic",
        name="t",
        partitions=(
            part(
                Key.OFFSET_COMMIT,
                8,
                "OffsetCommitRequestPartition",
                partition_index=0,
                committed_offset=4,
            ),
        ),
    )
    broker.desk.send(
        request(
            Key.OFFSET_COMMIT,
            8,
            group_id="g",
            generation_id_or_member_epoch=-1,
            topics=(topic,),
        )
    )
    broker.wait(4.9)
    assert broker.desk.answers() == []
    broker.wait(0.2)
    (answer,) = broker.desk.answers()
    assert answer.topics[0].partitions[0].error_code == Error.COORDINATOR_NOT_AVAILABLE
    broker.replicas.held.pop()()
    assert fetch(broker, 9, {"t": [0]})[0]["t", 0][0] == 4


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (Error.NOT_LEADER_OR_FOLLOWER, Error.NOT_COORDINATOR),
        (Error.KAFKA_STORAGE_ERROR, Error.NOT_COORDINATOR),
        (Error.NOT_ENOUGH_REPLICAS, Error.COORDINATOR_NOT_AVAILABLE),
        (Error.MESSAGE_TOO_LARGE, Error.INVALID_COMMIT_OFFSET_SIZE),
    ],
)
def test_a_failed_append_is_answered_in_a_coordinators_words(
    broker: GroupBroker, failure: Error, told: Error
) -> None:
    broker.replicas.error = failure
    assert commit(broker, 8, {("t", 0): 1}) == [("t", 0, told)]


# --- administration -----------------------------------------------------------------------------


@pytest.mark.parametrize("version", versions(Key.DESCRIBE_GROUPS))
def test_describing(broker: GroupBroker, version: int) -> None:
    member = joined(broker)
    sync(broker, 5, member)
    answer = broker.ask(Key.DESCRIBE_GROUPS, version, groups=("g", "absent"))
    group, missing = answer.groups
    assert (group.error_code, group.group_state) == (Error.NONE, "Stable")
    assert (group.protocol_type, group.protocol_data) == ("consumer", "range")
    (described,) = group.members
    assert (described.member_id, described.client_id) == (member.member_id, "tester")
    assert (described.member_metadata, described.member_assignment) == (b"m", b"A")
    assert missing.group_state == "Dead"
    assert missing.error_code == (Error.GROUP_ID_NOT_FOUND if version >= 6 else Error.NONE)
    if version >= 6:
        assert missing.error_message == "Group absent not found."  # Apache Kafka's own words.


@pytest.mark.parametrize("version", versions(Key.LIST_GROUPS))
def test_listing(broker: GroupBroker, version: int) -> None:
    joined(broker)
    commit(broker, 8, {("t", 0): 1}, group_id="simple")
    answer = broker.ask(Key.LIST_GROUPS, version)
    assert {(g.group_id, g.protocol_type) for g in answer.groups} == {
        ("g", "consumer"),
        ("simple", ""),
    }
    if version >= 4:
        some = broker.ask(Key.LIST_GROUPS, version, states_filter=("empty",))
        assert [(g.group_id, g.group_state) for g in some.groups] == [("simple", "Empty")]
    if version >= 5:
        assert {g.group_type for g in answer.groups} == {"classic"}
        assert broker.ask(Key.LIST_GROUPS, version, types_filter=("share",)).groups == ()
        assert len(broker.ask(Key.LIST_GROUPS, version, types_filter=("Classic",)).groups) == 2


@pytest.mark.parametrize("version", versions(Key.DELETE_GROUPS))
def test_deleting(broker: GroupBroker, version: int) -> None:
    joined(broker)
    commit(broker, 8, {("t", 0): 1}, group_id="simple")
    answer = broker.ask(Key.DELETE_GROUPS, version, groups_names=("simple", "g", "absent"))
    assert [(r.group_id, r.error_code) for r in answer.results] == [
        ("simple", Error.NONE),
        ("g", Error.NON_EMPTY_GROUP),
        ("absent", Error.GROUP_ID_NOT_FOUND),
    ]
    assert broker.ask(Key.DELETE_GROUPS, version, groups_names=()).results == ()
    assert [g.group_id for g in broker.ask(Key.LIST_GROUPS, 5).groups] == ["g"]


def test_deleting_offsets(broker: GroupBroker) -> None:
    commit(broker, 8, {("t", 0): 1, ("t", 1): 2})
    key = Key.OFFSET_DELETE
    topics = tuple(
        part(
            key,
            0,
            "OffsetDeleteRequestTopic",
            name=name,
            partitions=(part(key, 0, "OffsetDeleteRequestPartition", partition_index=0),),
        )
        for name in ("t", "nowhere")
    )
    answer = broker.ask(key, 0, group_id="g", topics=topics)
    assert [t.partitions[0].error_code for t in answer.topics] == [
        Error.NONE,
        Error.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    assert list(fetch(broker, 9, None)[0]) == [("t", 1)]
    missing = broker.ask(key, 0, group_id="absent", topics=topics)
    assert (missing.error_code, missing.topics) == (Error.GROUP_ID_NOT_FOUND, ())


# --- the coordinator ----------------------------------------------------------------------------


def test_everything_is_refused_where_another_broker_leads(broker: GroupBroker) -> None:
    member = joined(broker)
    sync(broker, 5, member)
    broker.lead(False)
    who = {"group_id": "g", "generation_id": 1, "member_id": member.member_id}
    not_here = Error.NOT_COORDINATOR
    assert broker.ask(Key.HEARTBEAT, 4, **who).error_code == not_here
    assert join(broker, 0).error_code == join(broker, 9).error_code == not_here
    assert sync(broker, 5, member).error_code == not_here
    assert commit(broker, 8, {("t", 0): 1}) == [("t", 0, not_here)]
    assert broker.ask(Key.LEAVE_GROUP, 0, group_id="g", member_id="x").error_code == not_here
    assert fetch(broker, 1, {"t": [0]}) == ({("t", 0): (-1, "", not_here)}, Error.NONE)
    for version in (2, 7, 8, 10):
        assert fetch(broker, version, {"t": [0]}) == ({}, not_here)
    (group,) = broker.ask(Key.DESCRIBE_GROUPS, 5, groups=("g",)).groups
    assert group.error_code == not_here
    (result,) = broker.ask(Key.DELETE_GROUPS, 2, groups_names=("g",)).results
    assert result.error_code == not_here
    assert broker.ask(Key.OFFSET_DELETE, 0, group_id="g", topics=()).error_code == not_here
    assert broker.ask(Key.LIST_GROUPS, 5).groups == ()
