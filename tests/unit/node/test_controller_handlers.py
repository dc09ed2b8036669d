"""The controller's APIs, in every version, from bytes to bytes."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.support.controller_desk import CLUSTER_ID, ControllerDesk, places
from tests.support.desk import part, request

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.feature_rules import FINALIZED
from spindle.model.ids import LOST, TopicPartition
from spindle.wire.apis import TABLE, Key


def versions(key: Key) -> range:
    """The versions that we serve."""
    return range(TABLE[key].min, TABLE[key].max + 1)


def image(desk: ControllerDesk) -> Any:
    return desk.quorum.metadata.image


def state(desk: ControllerDesk, name: str, number: int = 0) -> r.PartitionRegistration:
    id = image(desk).resolve(TopicPartition(name, number))
    found = image(desk).partition(id)
    assert isinstance(found, r.PartitionRegistration)
    return found


# --- brokers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", versions(Key.BROKER_REGISTRATION))
def test_registration(version: int) -> None:
    desk = ControllerDesk()
    offset = desk.quorum.next_offset
    answer = desk.register(1, places(1), version)
    if version < 2:
        # Such a broker cannot tell directories, which this metadata.version wants.
        assert (answer.error_code, answer.broker_epoch) == (Error.INVALID_REGISTRATION, -1)
        return
    assert (answer.error_code, answer.broker_epoch) == (Error.NONE, offset)
    assert image(desk).brokers[1].log_dirs == places(1)
    assert image(desk).endpoint(1, "PLAINTEXT").host == "host1"


@pytest.mark.parametrize("version", versions(Key.BROKER_HEARTBEAT))
def test_heartbeat(version: int) -> None:
    desk = ControllerDesk()
    desk.register(1, places(1))
    offline, online = places(1)
    answer = desk.beat(1, version, offline_log_dirs=(offline,), cordoned_log_dirs=(online,))
    assert (answer.is_caught_up, answer.is_fenced, answer.should_shut_down) == (True, False, False)
    assert image(desk).brokers[1].log_dirs == ((online,) if version >= 1 else places(1))
    assert image(desk).brokers[1].cordoned_log_dirs == ((online,) if version >= 2 else None)
    assert desk.beat(1, version, broker_epoch=500).error_code == Error.STALE_BROKER_EPOCH


def test_odd_offline_directories_are_reported_to_the_operator() -> None:
    desk = ControllerDesk()
    desk.start(1)
    desk.send(
        request(
            Key.BROKER_HEARTBEAT,
            2,
            broker_id=1,
            broker_epoch=image(desk).brokers[1].broker_epoch,
            current_metadata_offset=99,
            offline_log_dirs=(uuid.UUID(int=0xBAD0000),),
        )
    )
    ready = desk.out.take()
    assert ready is not None
    assert [s.fields["directories"] for s in ready.log_lines] == [[str(uuid.UUID(int=0xBAD0000))]]


def test_unregister_broker() -> None:
    desk = ControllerDesk()
    desk.start(1)
    assert desk.call(Key.UNREGISTER_BROKER, 0, broker_id=1).error_code == Error.NONE
    assert not image(desk).brokers
    answer = desk.call(Key.UNREGISTER_BROKER, 0, broker_id=1)
    assert answer.error_code == Error.BROKER_ID_NOT_REGISTERED
    assert "1" in answer.error_message


@pytest.mark.parametrize("version", versions(Key.ALTER_PARTITION))
def test_alter_partition(version: int) -> None:
    desk = ControllerDesk()
    desk.start(1, 2)
    desk.create("t", (1, 2), (1, 2))
    key = Key.ALTER_PARTITION
    good = {"partition_index": 0, "leader_epoch": 0, "partition_epoch": 0}
    stale = {"partition_index": 1, "leader_epoch": 0, "partition_epoch": -1}
    member = part(key, 3, "BrokerState", broker_id=1, broker_epoch=-1)
    isr: dict[str, Any] = {"new_isr_with_epochs": (member,)} if version >= 3 else {"new_isr": (1,)}
    answer = desk.call(
        key,
        version,
        broker_id=1,
        broker_epoch=image(desk).brokers[1].broker_epoch,
        topics=(
            part(
                key,
                version,
                "TopicData",
                topic_id=state(desk, "t").topic_id,
                partitions=tuple(
                    part(key, version, "PartitionData", **fields, **isr) for fields in (good, stale)
                ),
            ),
        ),
    )
    assert answer.error_code == Error.NONE
    first, second = answer.topics[0].partitions
    assert (first.error_code, first.leader_id, first.isr) == (Error.NONE, 1, (1,))
    assert (first.leader_epoch, first.partition_epoch) == (0, 1)
    assert second.error_code == Error.INVALID_UPDATE_VERSION
    assert state(desk, "t").isr == (1,)
    refused = desk.call(key, version, broker_id=1, broker_epoch=77, topics=())
    assert refused.error_code == Error.STALE_BROKER_EPOCH


def test_assign_replicas_to_dirs() -> None:
    desk = ControllerDesk()
    desk.start(1, 2)
    desk.create("t", (1, 2), (1, 2))
    key = Key.ASSIGN_REPLICAS_TO_DIRS

    def ask(epoch: int, *groups: tuple[uuid.UUID, tuple[int, ...]]) -> Any:
        topic_id = state(desk, "t").topic_id
        return desk.call(
            key,
            0,
            broker_id=1,
            broker_epoch=epoch,
            directories=tuple(
                part(
                    key,
                    0,
                    "DirectoryData",
                    id_=place,
                    topics=(
                        part(
                            key,
                            0,
                            "TopicData",
                            topic_id=topic_id,
                            partitions=tuple(
                                part(key, 0, "PartitionData", partition_index=n) for n in numbers
                            ),
                        ),
                    ),
                )
                for place, numbers in groups
            ),
        )

    epoch = image(desk).brokers[1].broker_epoch
    place = places(1)[0]
    answer = ask(epoch, (place, (0, 7)), (LOST, (1,)))
    assert [d.id_ for d in answer.directories] == [place, LOST]
    codes = [[p.error_code for p in d.topics[0].partitions] for d in answer.directories]
    assert codes == [[Error.NONE, Error.UNKNOWN_TOPIC_OR_PARTITION], [Error.NONE]]
    assert state(desk, "t", 0).directories[0] == place
    assert state(desk, "t", 1).leader == 2
    assert ask(epoch + 1, (place, (0,))).error_code == Error.STALE_BROKER_EPOCH


# --- topics ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", versions(Key.CREATE_TOPICS))
def test_create_topics(version: int) -> None:
    desk = ControllerDesk()
    desk.start(1, 2)
    key = Key.CREATE_TOPICS

    def topic(name: str, **fields: Any) -> Any:
        given = {"num_partitions": 2, "replication_factor": 2, "assignments": (), "configs": ()}
        return part(key, version, "CreatableTopic", name=name, **{**given, **fields})

    config = part(key, version, "CreatableTopicConfig", name="retention.ms", value="5")
    answer = desk.call(
        key,
        version,
        topics=(topic("good", configs=(config,)), topic("bad", replication_factor=3)),
        validate_only=False,
    )
    good, bad = answer.topics
    assert (good.error_code, bad.error_code) == (Error.NONE, Error.INVALID_REPLICATION_FACTOR)
    assert bad.error_message
    if version >= 5:
        assert (good.num_partitions, good.replication_factor) == (2, 2)
        told = {c.name: (c.value, c.config_source) for c in good.configs}
        assert told["retention.ms"] == ("5", 1)
        assert bad.configs == ()
    if version >= 7:
        assert good.topic_id == state(desk, "good").topic_id
    again = desk.call(key, version, topics=(topic("good"),), validate_only=True)
    assert again.topics[0].error_code == Error.TOPIC_ALREADY_EXISTS


@pytest.mark.parametrize("version", versions(Key.DELETE_TOPICS))
def test_delete_topics(version: int) -> None:
    desk = ControllerDesk()
    desk.start(1)
    desk.create("t", (1,))
    desk.create("u", (1,))
    key = Key.DELETE_TOPICS
    by_id = state(desk, "u").topic_id
    if version >= 6:
        asked = {
            "topics": (
                part(key, version, "DeleteTopicState", name="t", topic_id=None),
                part(key, version, "DeleteTopicState", name=None, topic_id=by_id),
                part(key, version, "DeleteTopicState", name="nothing", topic_id=None),
            )
        }
    else:
        asked = {"topic_names": ("t", "u", "nothing")}
    answer = desk.call(key, version, **asked)
    assert [x.error_code for x in answer.responses] == [0, 0, Error.UNKNOWN_TOPIC_OR_PARTITION]
    assert [x.name for x in answer.responses] == ["t", "u", "nothing"]
    assert not image(desk).topics


def test_a_topic_named_by_both_or_neither_is_refused() -> None:
    desk = ControllerDesk()
    key = Key.DELETE_TOPICS
    for fields in ({"name": "t", "topic_id": uuid.UUID(int=5)}, {"name": None, "topic_id": None}):
        topic = part(key, 6, "DeleteTopicState", **fields)
        answer = desk.call(key, 6, topics=(topic,))
        assert answer.responses[0].error_code == Error.INVALID_REQUEST


def test_a_topic_that_is_named_unclearly_keeps_no_other_from_being_deleted() -> None:
    desk = ControllerDesk()
    desk.start(1)
    desk.create("t", (1,))
    both = part(Key.DELETE_TOPICS, 6, "DeleteTopicState", name="u", topic_id=uuid.UUID(int=5))
    name = part(Key.DELETE_TOPICS, 6, "DeleteTopicState", name="t", topic_id=None)
    answer = desk.call(Key.DELETE_TOPICS, 6, topics=(both, name))
    codes = [(x.name, x.error_code) for x in answer.responses]
    assert codes == [("u", Error.INVALID_REQUEST), ("t", Error.NONE)]
    assert not image(desk).topics


@pytest.mark.parametrize(
    ("version", "error"), [(1, Error.INVALID_REQUEST), (3, Error.TOPIC_DELETION_DISABLED)]
)
def test_forbidden_deletion_has_an_older_name(version: int, error: Error) -> None:
    desk = ControllerDesk(delete_topic_enable="false")
    answer = desk.call(Key.DELETE_TOPICS, version, topic_names=("t",))
    assert answer.responses[0].error_code == error


@pytest.mark.parametrize("version", versions(Key.CREATE_PARTITIONS))
def test_create_partitions(version: int) -> None:
    desk = ControllerDesk()
    desk.start(1, 2)
    desk.create("t", (1, 2))
    key = Key.CREATE_PARTITIONS
    assignment = part(key, version, "CreatePartitionsAssignment", broker_ids=(2, 1))
    topics = (
        part(key, version, "CreatePartitionsTopic", name="t", count=2, assignments=(assignment,)),
        part(key, version, "CreatePartitionsTopic", name="u", count=2, assignments=None),
    )
    answer = desk.call(key, version, topics=topics, validate_only=False)
    assert [x.error_code for x in answer.results] == [0, Error.UNKNOWN_TOPIC_OR_PARTITION]
    assert state(desk, "t", 1).replicas == (2, 1)


# --- settings, elections, reassignment ------------------------------------------------------------


@pytest.mark.parametrize("version", versions(Key.INCREMENTAL_ALTER_CONFIGS))
def test_incremental_alter_configs(version: int) -> None:
    desk = ControllerDesk()
    desk.start(1)
    desk.create("t", (1,))
    key = Key.INCREMENTAL_ALTER_CONFIGS
    setting = part(
        key, version, "AlterableConfig", name="retention.ms", config_operation=0, value="9"
    )
    resources = tuple(
        part(
            key,
            version,
            "AlterConfigsResource",
            resource_type=2,
            resource_name=name,
            configs=(setting,),
        )
        for name in ("t", "u")
    )
    answer = desk.call(key, version, resources=resources, validate_only=False)
    assert [(x.resource_name, x.error_code) for x in answer.responses] == [
        ("t", Error.NONE),
        ("u", Error.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    assert image(desk).config(2, "t") == {"retention.ms": "9"}


@pytest.mark.parametrize("version", versions(Key.ALTER_CONFIGS))
def test_alter_configs(version: int) -> None:
    desk = ControllerDesk()
    desk.start(1)
    key = Key.ALTER_CONFIGS
    floor = part(key, version, "AlterableConfig", name="min.insync.replicas", value="1")
    setting = part(key, version, "AlterableConfig", name="log.retention.ms", value="9")
    resource = part(
        key,
        version,
        "AlterConfigsResource",
        resource_type=4,
        resource_name="",
        configs=(setting, floor),
    )
    answer = desk.call(key, version, resources=(resource,), validate_only=False)
    assert answer.responses[0].error_code == Error.NONE
    assert image(desk).config(4, "") == {"log.retention.ms": "9", "min.insync.replicas": "1"}


@pytest.mark.parametrize("version", versions(Key.ELECT_LEADERS))
def test_elect_leaders(version: int) -> None:
    desk = ControllerDesk()
    desk.start(1, 2)
    desk.create("t", (1, 2), (1, 2))
    desk.beat(1, want_fence=True)
    desk.beat(1)
    key = Key.ELECT_LEADERS
    topic = part(key, version, "TopicPartitions", topic="t", partitions=(0, 5))
    answer = desk.call(key, version, election_type=0, topic_partitions=(topic,))
    (result,) = answer.replica_election_results
    assert [(p.partition_id, p.error_code) for p in result.partition_result] == [
        (0, Error.PREFERRED_LEADER_NOT_AVAILABLE),
        (5, Error.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    everything = desk.call(key, version, election_type=0, topic_partitions=None)
    assert len(everything.replica_election_results[0].partition_result) == 2
    if version >= 1:
        wrong = desk.call(key, version, election_type=7, topic_partitions=(topic,))
        assert wrong.error_code == Error.INVALID_REQUEST


@pytest.mark.parametrize("version", versions(Key.ALTER_PARTITION_REASSIGNMENTS))
def test_reassignments(version: int) -> None:
    desk = ControllerDesk()
    desk.start(1, 2, 3)
    desk.create("t", (1, 2))
    key = Key.ALTER_PARTITION_REASSIGNMENTS

    def alter(replicas: tuple[int, ...] | None, **fields: Any) -> Any:
        partition = part(
            key, version, "ReassignablePartition", partition_index=0, replicas=replicas
        )
        topic = part(key, version, "ReassignableTopic", name="t", partitions=(partition,))
        answer = desk.call(key, version, topics=(topic,), **fields)
        assert answer.error_code == Error.NONE
        return answer.responses[0].partitions[0].error_code

    def listed(topics: Any = None) -> list[Any]:
        answer = desk.call(Key.LIST_PARTITION_REASSIGNMENTS, 0, topics=topics)
        return [(t.name, p) for t in answer.topics for p in t.partitions]

    assert alter(None) == Error.NO_REASSIGNMENT_IN_PROGRESS
    if version >= 1:
        refused = alter((3,), allow_replication_factor_change=False)
        assert refused == Error.INVALID_REPLICATION_FACTOR
    assert alter((3, 2), allow_replication_factor_change=True) == Error.NONE
    ((name, partition),) = listed()
    assert (name, partition.partition_index) == ("t", 0)
    assert (partition.replicas, partition.adding_replicas) == ((3, 2, 1), (3,))
    assert partition.removing_replicas == (1,)
    lister = "ListPartitionReassignmentsTopics"
    key46 = Key.LIST_PARTITION_REASSIGNMENTS
    assert listed((part(key46, 0, lister, name="t", partition_indexes=(0,)),))
    assert not listed((part(key46, 0, lister, name="t", partition_indexes=(1,)),))
    assert alter(None, allow_replication_factor_change=True) == Error.NONE
    assert not listed()


@pytest.mark.parametrize("version", versions(Key.UPDATE_FEATURES))
def test_update_features(version: int) -> None:
    desk = ControllerDesk()
    key = Key.UPDATE_FEATURES

    def update(level: int) -> Any:
        change = part(
            key,
            version,
            "FeatureUpdateKey",
            feature="transaction.version",
            max_version_level=level,
            allow_downgrade=True,
            upgrade_type=2,
        )
        return desk.call(key, version, feature_updates=(change,), validate_only=False)

    refused = update(9)
    assert refused.error_code == Error.INVALID_UPDATE_VERSION
    whole = "The update failed for all features since the following feature had an error: "
    assert refused.error_message.startswith(f"{whole}Invalid update version 9 for feature")
    assert not getattr(refused, "results", ())
    assert update(1).error_code == Error.NONE
    assert image(desk).features == {**FINALIZED, "transaction.version": 1}


@pytest.mark.spec("C-05")
def test_kraft_version_is_raised_by_the_quorum_and_not_by_a_record() -> None:
    desk = ControllerDesk()
    key = Key.UPDATE_FEATURES

    def update(*changes: tuple[str, int, int], validate: bool = False) -> Any:
        parts = tuple(
            part(key, 2, "FeatureUpdateKey", feature=f, max_version_level=level, upgrade_type=type)
            for f, level, type in changes
        )
        answer = desk.call(key, 2, feature_updates=parts, validate_only=validate)
        return answer.error_code

    up = ("kraft.version", 1, 1)
    assert update(up, up) == Error.INVALID_REQUEST
    assert update(("kraft.version", 2, 1)) == Error.INVALID_UPDATE_VERSION
    assert update(up, ("transaction.version", 9, 1)) == Error.INVALID_UPDATE_VERSION
    assert update(up, validate=True) == Error.NONE
    assert desk.quorum.metadata.kraft_version == 0
    before = len(desk.quorum.records)
    assert update(up) == Error.NONE
    assert desk.quorum.metadata.kraft_version == 1
    assert len(desk.quorum.records) == before
    assert update(("kraft.version", 0, 2)) == Error.INVALID_UPDATE_VERSION
    assert "kraft.version" not in image(desk).features


# --- controllers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", versions(Key.DESCRIBE_CLUSTER))
def test_describe_cluster(version: int) -> None:
    desk = ControllerDesk()
    answer = desk.call(Key.DESCRIBE_CLUSTER, version, endpoint_type=2)
    assert (answer.cluster_id, answer.controller_id) == (CLUSTER_ID, 9)
    assert [(b.broker_id, b.host, b.port) for b in answer.brokers] == [(9, "localhost", 9093)]
    if version >= 1:
        wrong = desk.call(Key.DESCRIBE_CLUSTER, version, endpoint_type=1)
        assert wrong.error_code == Error.MISMATCHED_ENDPOINT_TYPE
        unknown = desk.call(Key.DESCRIBE_CLUSTER, version, endpoint_type=3)
        assert unknown.error_code == Error.UNSUPPORTED_ENDPOINT_TYPE
