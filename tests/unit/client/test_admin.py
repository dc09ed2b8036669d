"""What the AdminClient makes of answers that a broker should rarely give."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.fake_broker import HANG_UP, FakeBroker
from tools.messages.entities import make

from spindle.client.admin import AdminClient
from spindle.client.failures import Refused, Unreachable
from spindle.client.results import NewTopic, Replica, ReplicaLogDirs
from spindle.model.errors import Error
from spindle.model.ids import TopicPartition
from spindle.wire.apis import Key

pytestmark = pytest.mark.usefixtures("only_idle_time")


def directory(types: Any, path: str, error: int = 0, **logs: tuple[int, int, bool]) -> Any:
    """A DescribeLogDirs result; logs are topic=(size, lag, is_future), partition 0."""
    return make(
        types.DescribeLogDirsResult,
        log_dir=path,
        error_code=error,
        topics=tuple(
            make(
                types.DescribeLogDirsTopic,
                name=topic,
                partitions=(
                    make(
                        types.DescribeLogDirsPartition,
                        partition_index=0,
                        partition_size=size,
                        offset_lag=lag,
                        is_future_key=future,
                    ),
                ),
            )
            for topic, (size, lag, future) in logs.items()
        ),
        total_bytes=1000 if not error else -1,
        usable_bytes=400 if not error else -1,
    )


def describe(*directories: Any) -> Any:
    """A script that answers DescribeLogDirs with `directory(...)` arguments."""

    def answer(request: Any, types: Any) -> Any:
        return make(
            types.DescribeLogDirsResponse,
            results=tuple(directory(types, *args, **logs) for args, logs in directories),
        )

    return answer


def alter(*codes: tuple[str, int, int]) -> Any:
    """A script that answers AlterReplicaLogDirs with (topic, partition, error code)."""

    def answer(request: Any, types: Any) -> Any:
        return make(
            types.AlterReplicaLogDirsResponse,
            results=tuple(
                make(
                    types.AlterReplicaLogDirTopicResult,
                    topic_name=topic,
                    partitions=(
                        make(
                            types.AlterReplicaLogDirPartitionResult,
                            partition_index=partition,
                            error_code=code,
                        ),
                    ),
                )
                for topic, partition, code in codes
            ),
        )

    return answer


@pytest.mark.spec("V-01")
def test_a_list_without_a_directory_is_the_refusal_of_brokers_before_3_2() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.versions[Key.DESCRIBE_LOG_DIRS] = (0, 2)
            broker.on(Key.DESCRIBE_LOG_DIRS, describe())
            async with AdminClient(broker.bootstrap) as admin:
                (told,) = (await admin.describe_log_dirs([1]).settled()).values()
            assert isinstance(told, Refused)
            assert told.error == Error.CLUSTER_AUTHORIZATION_FAILED

    asyncio.run(scenario())


@pytest.mark.parametrize("error", [Error.KAFKA_STORAGE_ERROR, Error.UNKNOWN_SERVER_ERROR])
def test_one_bad_directory_fails_nothing_but_itself(error: Error) -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(
                Key.DESCRIBE_LOG_DIRS,
                describe(
                    (("/d1",), {"a": (10, 0, False)}),
                    (("/d2", int(error)), {}),
                    (("/d3",), {"a": (4, 6, True)}),
                ),
            )
            here, gone = Replica("a", 0, 1), Replica("b", 0, 1)
            async with AdminClient(broker.bootstrap) as admin:
                found = await admin.describe_replica_log_dirs([here, gone]).all()
                (directories,) = (await admin.describe_log_dirs([1]).all()).values()
            assert found[here] == ReplicaLogDirs("/d1", 0, 10, "/d3", 6, 4, ("/d2",))
            assert found[gone] == ReplicaLogDirs(offline_dirs=("/d2",))
            assert [d.error for d in directories] == [Error.NONE, error, Error.NONE]
            assert [d.usable for d in directories] == [400, None, 400]

    asyncio.run(scenario())


def test_a_broker_which_hangs_up_fails_alone() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as one, FakeBroker(2, one.peers) as two:
            one.on(Key.DESCRIBE_LOG_DIRS, describe((("/d1",), {})))
            two.on(Key.DESCRIBE_LOG_DIRS, lambda request, types: HANG_UP)
            async with AdminClient(one.bootstrap, timeout=1) as admin:
                settled = await admin.describe_log_dirs([1, 2, 3]).settled()
            first, second, third = settled.values()
            assert not isinstance(first, Exception)
            assert isinstance(second, Unreachable)
            assert "broker 2 (127.0.0.1:" in str(second)
            assert isinstance(third, Unreachable)
            assert "no broker 3" in str(third)

    asyncio.run(scenario())


def test_a_move_which_the_answer_forgets_fails_and_one_it_invents_is_ignored() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(
                Key.ALTER_REPLICA_LOG_DIRS, alter(("a", 0, 0), ("unrequested", 4, 0), ("c", 0, 57))
            )
            replicas = {Replica(t, 0, 1): "/d2" for t in "abc"}
            async with AdminClient(broker.bootstrap) as admin:
                settled = await admin.alter_replica_log_dirs(replicas).settled()
            started, forgotten, unknown = settled.values()
            assert started is None
            assert isinstance(forgotten, Refused)
            assert "AlterReplicaLogDirs of b-0-1 to /d2" in str(forgotten)
            assert "does not mention it" in str(forgotten)
            assert isinstance(unknown, Refused)
            assert unknown.error == Error.LOG_DIR_NOT_FOUND
            assert len(settled) == 3

    asyncio.run(scenario())


def test_an_error_code_from_the_future_is_shown_by_its_number() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(Key.ALTER_REPLICA_LOG_DIRS, alter(("a", 0, 9999)))
            async with AdminClient(broker.bootstrap) as admin:
                with pytest.raises(Refused, match="error 9999"):
                    await admin.alter_replica_log_dirs({Replica("a", 0, 1): "/d"}).all()

    asyncio.run(scenario())


def test_describe_asks_for_the_given_partitions_only() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(Key.DESCRIBE_LOG_DIRS, describe((("/d1",), {})))
            partitions = [TopicPartition("a", 1), TopicPartition("b", 0), TopicPartition("a", 2)]
            async with AdminClient(broker.bootstrap) as admin:
                await admin.describe_log_dirs([1], partitions=partitions).all()
                await admin.describe_log_dirs([1]).all()
            narrow, wide = (e for key, e in broker.asked if key == Key.DESCRIBE_LOG_DIRS)
            assert [(t.topic, t.partitions) for t in narrow.topics] == [("a", (1, 2)), ("b", (0,))]
            assert wide.topics is None

    asyncio.run(scenario())


def test_a_topic_which_the_answer_forgets_is_no_success() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            broker.on(Key.CREATE_TOPICS, lambda request, types: make(types.CreateTopicsResponse))
            async with AdminClient(broker.bootstrap) as admin:
                with pytest.raises(Refused, match="CreateTopics of t"):
                    await admin.create_topics([NewTopic("t")]).all()

    asyncio.run(scenario())


def test_closing_the_client_fails_what_is_still_asked() -> None:
    async def scenario() -> None:
        async with FakeBroker(1) as broker:
            seen = asyncio.Event()
            broker.on(Key.DESCRIBE_LOG_DIRS, lambda request, types: seen.set())
            async with AdminClient(broker.bootstrap) as admin:
                asked = admin.describe_log_dirs([1])
                await seen.wait()
            with pytest.raises(asyncio.InvalidStateError, match="closed"):
                await asked[1]

    asyncio.run(scenario())
