"""Log directories: the requests behind the AdminClient's methods (KIP-113's own part).

Called by `admin` alone. Each broker is asked for itself, so that one which is down or has a dead
disk takes nothing from what the others say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.failures import Refused, error_of
from spindle.client.per_item import PerItem
from spindle.client.results import LogDescription, LogDirDescription, Replica, ReplicaLogDirs
from spindle.client.topics import by_topic
from spindle.model.errors import Error
from spindle.model.ids import LogDir, NodeId, TopicPartition
from spindle.wire.messages.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from spindle.wire.messages.describe_log_dirs_request import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
)
from spindle.wire.messages.describe_log_dirs_response import DescribeLogDirsResult

LogDirs = tuple[LogDirDescription, ...]


async def describe(
    cluster: Cluster,
    broker: NodeId,
    partitions: Sequence[TopicPartition] | None,
    deadline: Deadline,
) -> LogDirs:
    """One broker's directories, in the order of its configuration.

    Before version 3 (Apache Kafka 3.2) a broker that refuses answers with an empty list.
    """
    topics = None
    if partitions is not None:
        topics = tuple(
            DescribableLogDirTopic(topic=topic, partitions=tuple(numbers))
            for topic, numbers in by_topic(partitions).items()
        )
    request = DescribeLogDirsRequest(topics=topics, with_directory_ids=True)
    answer = await cluster.ask_node(broker, request, deadline)
    if not answer.results:
        where = str(cluster.nodes.get(broker, f"broker {broker}"))
        raise Refused(Error.CLUSTER_AUTHORIZATION_FAILED, "DescribeLogDirs", where)
    return tuple(_directory(result) for result in answer.results)


async def describe_broker(
    cluster: Cluster,
    items: PerItem[NodeId, LogDirs],
    broker: NodeId,
    partitions: Sequence[TopicPartition] | None,
    deadline: Deadline,
) -> None:
    """Settle one broker's directories."""
    items.answer(broker, await describe(cluster, broker, partitions, deadline))


async def describe_replicas(
    cluster: Cluster,
    items: PerItem[Replica, ReplicaLogDirs],
    broker: NodeId,
    replicas: Sequence[Replica],
    deadline: Deadline,
) -> None:
    """Settle where one broker's replicas live and move to.

    A directory's error says nothing about replicas in other directories: it never fails more than
    what it is about (Apache Kafka's client fails the whole broker there).
    """
    found = await describe(cluster, broker, [r.name for r in replicas], deadline)
    for replica in replicas:
        items.answer(replica, replica_in(found, replica.name))


def replica_in(directories: LogDirs, name: TopicPartition) -> ReplicaLogDirs:
    """Where a broker's directories have a partition."""
    current = future = None
    for directory in directories:
        if name in directory.current:
            current = (directory.path, directory.current[name])
        if name in directory.future:
            future = (directory.path, directory.future[name])
    return ReplicaLogDirs(
        current=current[0] if current else None,
        current_lag=current[1].lag if current else -1,
        current_size=current[1].size if current else 0,
        future=future[0] if future else None,
        future_lag=future[1].lag if future else -1,
        future_size=future[1].size if future else 0,
        offline_dirs=tuple(d.path for d in directories if not d.online),
    )


async def alter_replicas(
    cluster: Cluster,
    items: PerItem[Replica, None],
    broker: NodeId,
    directories: Mapping[Replica, LogDir],
    deadline: Deadline,
) -> None:
    """Settle one broker's part of a request for moves."""

    wanted: dict[LogDir, list[TopicPartition]] = {}
    for replica, directory in directories.items():
        wanted.setdefault(directory, []).append(replica.name)
    request = AlterReplicaLogDirsRequest(
        dirs=tuple(
            AlterReplicaLogDir(
                path=directory,
                topics=tuple(
                    AlterReplicaLogDirTopic(name=topic, partitions=tuple(numbers))
                    for topic, numbers in by_topic(names).items()
                ),
            )
            for directory, names in wanted.items()
        ),
    )
    answer = await cluster.ask_node(broker, request, deadline)
    where = str(cluster.nodes.get(broker, f"broker {broker}"))
    for topic in answer.results:
        for partition in topic.partitions:
            replica = Replica(topic.topic_name, partition.partition_index, broker)
            if replica not in directories:
                continue
            if partition.error_code:
                items.fail(replica, _refused(partition.error_code, replica, directories, where))
            else:
                items.answer(replica, None)
    for replica in directories:
        words = "the answer does not mention it"
        items.fail(
            replica, _refused(Error.UNKNOWN_SERVER_ERROR, replica, directories, where, words)
        )


def _refused(
    code: int, replica: Replica, directories: Mapping[Replica, LogDir], where: str, words: str = ""
) -> Refused:
    api = f"AlterReplicaLogDirs of {replica} to {directories[replica]}"
    return Refused(code, api, where, words)


def _directory(result: DescribeLogDirsResult) -> LogDirDescription:
    current: dict[TopicPartition, LogDescription] = {}
    future: dict[TopicPartition, LogDescription] = {}
    for topic in result.topics:
        for p in topic.partitions:
            log = LogDescription(p.partition_size, p.offset_lag, p.is_future_key)
            side = future if log.is_future else current
            side[TopicPartition(topic.name, p.partition_index)] = log
    return LogDirDescription(
        path=result.log_dir,
        error=error_of(result.error_code),
        total=_known(result.total_bytes),
        usable=_known(result.usable_bytes),
        cordoned=result.is_cordoned,
        current=current,
        future=future,
        directory_id=result.directory_id,
    )


def _known(size: int) -> int | None:
    return None if size < 0 else size
