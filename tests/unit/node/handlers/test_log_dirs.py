"""AlterReplicaLogDirs and DescribeLogDirs as clients see them."""

from __future__ import annotations

import pytest
from tests.support.desk import part
from tests.support.logdirs_world import World, pid, topic_id
from tests.support.moving import fill, moved, started

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.node.logdirs.placement_registry import Stage


@pytest.mark.spec("K113-01")
@pytest.mark.parametrize("version", [1, 2])
def test_alter_answers_per_partition(version: int) -> None:
    world = started(2, partitions=2)
    errors = world.alter("/d2", "t", 0, 1, 7, version=version)
    assert errors == [Error.NONE, Error.NONE, Error.UNKNOWN_TOPIC_OR_PARTITION]


@pytest.mark.spec("K113-11")
@pytest.mark.parametrize("path", ["/nowhere", "d2", "/d2/", "any", "", "/meta"])
def test_alter_to_what_is_no_log_directory(path: str) -> None:
    world = started()
    assert world.alter(path, "t") == [Error.LOG_DIR_NOT_FOUND]
    assert not list(world.logs.moves.under_way.all())


@pytest.mark.spec("K113-11")
def test_alter_to_an_offline_directory() -> None:
    world = started(3)
    world.fail_now("/d2")
    assert world.alter("/d2", "t") == [Error.KAFKA_STORAGE_ERROR]


@pytest.mark.spec("K113-11")
def test_alter_of_an_offline_replica() -> None:
    world = started(3)
    world.fail_now("/d1")
    assert world.alter("/d2", "t") == [Error.KAFKA_STORAGE_ERROR]


def test_alter_of_a_name_that_is_too_long_for_a_future_log() -> None:
    world = started()
    assert world.alter("/d2", "x" * 214) == [Error.INVALID_TOPIC_EXCEPTION]
    assert world.alter("/d2", "x" * 213) == [Error.UNKNOWN_TOPIC_OR_PARTITION]


@pytest.mark.spec("K113-11")
def test_alter_of_one_partition_to_two_directories_changes_nothing() -> None:
    world = started(3)
    dirs = tuple(
        part(
            34,
            2,
            "AlterReplicaLogDir",
            path=path,
            topics=(part(34, 2, "AlterReplicaLogDirTopic", name="t", partitions=(0,)),),
        )
        for path in ("/d2", "/d3")
    )
    assert world.alter_dirs(dirs) == [Error.INVALID_REQUEST]
    assert not list(world.logs.moves.under_way.all())


@pytest.mark.spec("B-19")
def test_cordoned_takes_no_move_but_lets_go_and_take_back() -> None:
    world = started(2, replica_alter_log_dirs_io_max_bytes_per_second="50")
    fill(world, 20)
    world.broker.settings.set_dynamic({"cordoned.log.dirs": "/d1"})
    world.logs.on_settings()
    assert world.lifecycle.cordoned == (world.directory_id(0),)
    assert world.alter("/d2", "t") == [Error.NONE]
    world.wait(1)
    assert world.alter("/d1", "t") == [Error.NONE]
    assert not list(world.logs.moves.under_way.all())
    # A move into what is cordoned afterwards goes on, and may be asked for again.
    assert world.alter("/d2", "t") == [Error.NONE]
    world.broker.settings.set_dynamic({"cordoned.log.dirs": "*"})
    assert world.alter("/d2", "t") == [Error.NONE]
    world.until(moved(world), limit=100)
    assert world.alter("/d1", "t") == [Error.INVALID_REPLICA_ASSIGNMENT]


@pytest.mark.spec("B-19")
def test_cordons_are_described_where_the_cluster_knows_them() -> None:
    world = World(2)
    world.open()
    world.broker.settings.set_dynamic({"cordoned.log.dirs": "/d1"})
    world.image.apply(r.FeatureLevel(name="metadata.version", level=29))
    assert not world.describe()["/d1"].is_cordoned
    world.image.apply(r.FeatureLevel(name="metadata.version", level=30))
    assert world.describe()["/d1"].is_cordoned
    assert not world.describe()["/d2"].is_cordoned


# --- remembered ---------------------------------------------------------------------------------


@pytest.mark.spec("K113-10", "B-08", "B-09")
def test_a_replica_that_is_not_here_yet_is_created_where_it_was_wished() -> None:
    world = World(3)
    world.open()
    assert world.alter("/d3", "later") == [Error.UNKNOWN_TOPIC_OR_PARTITION]
    world.create_topic("later", 2)
    world.wait(1)
    assert world.place("later").directory == "/d3"
    assert world.assigned("later") == world.directory_id(2)
    assert len(world.logs.places.remembered) == 0


@pytest.mark.spec("K113-10", "B-08", "K113-25")
def test_a_replica_of_a_known_topic_that_belongs_elsewhere_yet() -> None:
    world = World(3)
    world.open()
    world.create_topic("t", leader=2)
    world.wait(1)
    world.change("t", replicas=(2,), isr=(2,), directories=(topic_id("x"),))
    world.wait(1)
    assert world.alter("/d3", "t") == [Error.REPLICA_NOT_AVAILABLE]
    world.change("t", replicas=(1, 2), directories=(world.directory_id(0), topic_id("x")))
    world.wait(1)
    assert world.place("t").directory == "/d3"
    assert world.assigned("t") == world.directory_id(2)


@pytest.mark.spec("B-09")
def test_a_remembered_directory_that_is_gone_falls_back() -> None:
    world = World(3)
    world.open()
    world.alter("/d3", "t")
    world.fail_now("/d3")
    world.create_topic("t")
    world.wait(1)
    assert world.place("t").stage is Stage.READY
    assert world.place("t").directory in ("/d1", "/d2")


# --- describe -------------------------------------------------------------------------------


@pytest.mark.spec("K113-20", "B-25")
@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_describe_tells_of_every_directory_in_order(version: int) -> None:
    world = started(3, partitions=3)
    fill(world, 10)
    world.fail_now("/d3")
    told = world.describe(version=version)
    assert list(told) == ["/d1", "/d2", "/d3"]
    assert [d.error_code for d in told.values()] == [0, 0, Error.KAFKA_STORAGE_ERROR]
    assert told["/d3"].topics == ()
    (topic,) = told["/d1"].topics
    (entry,) = topic.partitions
    assert (topic.name, entry.partition_index) == ("t", 0)
    assert entry.partition_size == world.replicas.partitions.hosted[pid("t")].size > 0
    assert entry.offset_lag == 0
    assert not entry.is_future_key
    if version >= 2:
        assert {d.directory_id for d in told.values()} == {None}
        known = world.logs.directories.all
        asked = world.describe(version=version, with_directory_ids=True)
        assert [d.directory_id for d in asked.values()] == [known[path].id for path in told]
        assert asked["/d1"].directory_id is not None
    if version >= 4:
        assert told["/d1"].total_bytes == 1 << 40
        assert 0 < told["/d1"].usable_bytes < 1 << 40
        assert told["/d3"].total_bytes == -1


@pytest.mark.spec("K113-20")
def test_describe_tells_how_far_behind_a_future_log_is() -> None:
    world = started(2, replica_alter_log_dirs_io_max_bytes_per_second="200")
    fill(world, 40)
    world.alter("/d2", "t")
    world.wait(2)
    (entry,) = world.describe()["/d2"].topics[0].partitions
    move = world.logs.moves.under_way.of(pid("t"))
    assert move is not None
    assert entry.is_future_key
    assert entry.offset_lag == 40 - move.end > 0
    assert entry.partition_size == move.size > 0


@pytest.mark.spec("K113-20")
def test_describe_of_some_partitions_or_of_none() -> None:
    world = started(1, partitions=3)
    topic = part(35, 5, "DescribableLogDirTopic", topic="t", partitions=(1, 9))
    told = world.describe(topics=(topic,))
    assert [p.partition_index for t in told["/d1"].topics for p in t.partitions] == [1]
    assert world.describe(topics=())["/d1"].topics == ()
