"""AdminClient: every question and order for a cluster, from topics to log directories.

    async with AdminClient("localhost:9092") as admin:
        cluster = await admin.describe_cluster()
        for broker, directories in (await admin.describe_log_dirs(cluster.brokers).all()).items():
            for d in directories:
                print(broker, d.path, d.error.name, d.usable, len(d.current), len(d.future))

        replica = Replica("orders", 3, broker=1)
        await admin.alter_replica_log_dirs({replica: "/disk2/kafka"}).all()
        where = await admin.describe_replica_log_dirs([replica])[replica]
        print(f"in {where.current}, going to {where.future}, {where.future_lag} records behind")

Questions about one thing are coroutines. Questions about many things return at once a `PerItem`:
one awaitable for each, `all()` for all of them, `settled()` for all with failures as values.
Every call takes `timeout`, in seconds, over all its attempts. Failures: `Refused` (a broker said
no: has `.error`), `Unreachable`, `OutOfTime`. The tools, the pipeline and the tests hold
one. It works with Apache Kafka from 2.4 on: each call in the newest version that both sides speak.
"""

# ruff: noqa: ASYNC109 - a time limit is an option of every call (K113-26)
from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final

from spindle.client import (
    access,
    bad_replicas,
    configs,
    disks,
    log_dirs,
    offsets,
    reassignments,
    topics,
)
from spindle.client.addresses import parse_bootstrap
from spindle.client.cluster import TIMEOUT_S, Cluster
from spindle.client.feature_levels import FeatureLevelCalls, features
from spindle.client.outlasting import Outlasting
from spindle.client.per_item import PerItem, Tasks
from spindle.client.quotas import QuotaCalls
from spindle.client.raft_voters import RaftVoterCalls
from spindle.client.results import (
    BrokerFeatures,
    ClusterDescription,
    Config,
    ConfigChange,
    DiskDescription,
    DiskOrder,
    LogDirDescription,
    NewPartitions,
    NewTopic,
    OffsetRange,
    Reassignment,
    Replica,
    ReplicaHealth,
    ReplicaLogDirs,
    Resource,
    TopicDescription,
)
from spindle.client.share_group_calls import ShareGroupCalls
from spindle.model.errors import Unusable
from spindle.model.ids import DirectoryId, LogDir, NodeId, TopicPartition
from spindle.security.client_properties import (
    UNSECURED,
    ClientSecurity,
    read_client_settings,
)

CLIENT_ID: Final = "spindle-admin"


class AdminClient(FeatureLevelCalls, QuotaCalls, RaftVoterCalls, ShareGroupCalls):
    """A client of one cluster, for administration. Use it with `async with`."""

    def __init__(
        self,
        bootstrap: str,
        *,
        timeout: float = TIMEOUT_S,
        client_id: str = CLIENT_ID,
        controllers: bool = False,
        security: ClientSecurity = UNSECURED,
        outlasting: Outlasting | None = None,
    ) -> None:
        """`bootstrap`: "host:port,host:port", brokers or, with `controllers`, controllers.

        `timeout`: seconds for each call that names none itself. `security`: from
        `read_client_settings`; without it the listeners must be PLAINTEXT. `outlasting`: how long a
        cluster without a controller is asked again; None: only within a call's time.
        """
        self._cluster = Cluster(
            parse_bootstrap(bootstrap),
            client_id=client_id,
            controllers=controllers,
            timeout=timeout,
            security=security,
            outlasting=outlasting,
        )
        self._tasks = Tasks()

    async def __aenter__(self) -> AdminClient:
        """Find the cluster; Unreachable within a few seconds where no broker answers."""
        await self._cluster.refresh(self._cluster.deadline(None))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Hang up; what still runs fails."""
        await self._tasks.close()
        self._cluster.close()

    # -- the cluster ---------------------------------------------------------------------------

    async def describe_cluster(
        self, *, authorized: bool = False, timeout: float | None = None
    ) -> ClusterDescription:
        """The nodes of the cluster now: live brokers only.

        `authorized`: ask also what the client's user may do with the cluster (KIP-430).
        """
        deadline = self._cluster.deadline(timeout)
        await self._cluster.refresh(deadline)
        return ClusterDescription(
            cluster_id=self._cluster.cluster_id or "",
            controller_id=-1 if self._cluster.leader_id is None else self._cluster.leader_id,
            brokers=dict(self._cluster.nodes),
            authorized=await access.cluster_operations(self._cluster, deadline)
            if authorized
            else None,
        )

    async def registered_brokers(self, *, timeout: float | None = None) -> list[NodeId] | None:
        """Every broker that is registered, live or not, by id (KIP-1073).

        None where the cluster cannot say: Apache Kafka before 4.0.
        """
        return await self._cluster.registered(self._cluster.deadline(timeout))

    # -- topics --------------------------------------------------------------------------------

    async def list_topics(
        self, *, internal: bool = False, timeout: float | None = None
    ) -> dict[str, TopicDescription]:
        """All topics by name, with their partitions; internal ones only if asked for."""
        found = await topics.list_all(self._cluster, self._cluster.deadline(timeout))
        return {name: topic for name, topic in found.items() if internal or not topic.internal}

    def describe_topics(
        self, names: Iterable[str], *, timeout: float | None = None
    ) -> PerItem[str, TopicDescription]:
        """Each topic's partitions: leaders, replicas, in-sync replicas, offline replicas."""
        items: PerItem[str, TopicDescription] = PerItem(names)
        work = partial(topics.describe, self._cluster, items, self._cluster.deadline(timeout))
        self._tasks.answer(items, items, work)
        return items

    def create_topics(
        self,
        new: Sequence[NewTopic],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> PerItem[str, None]:
        """Make topics; `validate_only` only says whether they could be made."""
        items: PerItem[str, None] = PerItem(topic.name for topic in new)
        deadline = self._cluster.deadline(timeout)
        self._tasks.answer(
            items, items, partial(topics.create, self._cluster, items, new, validate_only, deadline)
        )
        return items

    def delete_topics(
        self, names: Iterable[str], *, timeout: float | None = None
    ) -> PerItem[str, None]:
        """Delete topics and all that is in them."""
        items: PerItem[str, None] = PerItem(names)
        work = partial(topics.delete, self._cluster, items, self._cluster.deadline(timeout))
        self._tasks.answer(items, items, work)
        return items

    def create_partitions(
        self,
        totals: Mapping[str, NewPartitions],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> PerItem[str, None]:
        """Add partitions to topics until each has its `total`; no topic can shrink."""
        items: PerItem[str, None] = PerItem(totals)
        deadline = self._cluster.deadline(timeout)
        work = partial(
            topics.create_partitions, self._cluster, items, totals, validate_only, deadline
        )
        self._tasks.answer(items, items, work)
        return items

    def elect_leaders(
        self,
        partitions: Iterable[TopicPartition],
        *,
        preferred: bool = True,
        timeout: float | None = None,
    ) -> PerItem[TopicPartition, None]:
        """Make the first live in-sync replica lead (`preferred`), or any replica at all.

        Refused with ELECTION_NOT_NEEDED where there is nothing to do. Not preferred = unclean:
        records that only a dead replica holds are given up.
        """
        items: PerItem[TopicPartition, None] = PerItem(partitions)
        deadline = self._cluster.deadline(timeout)
        self._tasks.answer(
            items, items, partial(topics.elect_leaders, self._cluster, items, preferred, deadline)
        )
        return items

    # -- settings ------------------------------------------------------------------------------

    def describe_configs(
        self,
        resources: Sequence[Resource],
        *,
        names: Sequence[str] | None = None,
        timeout: float | None = None,
    ) -> PerItem[Resource, dict[str, Config]]:
        """The settings of topics and brokers, all or those named, by name."""
        items: PerItem[Resource, dict[str, Config]] = PerItem(resources)
        deadline = self._cluster.deadline(timeout)
        for group in configs.grouped(resources):
            work = partial(configs.describe, self._cluster, items, group, names, deadline)
            self._tasks.answer(items, group[1], work)
        return items

    def incremental_alter_configs(
        self,
        changes: Mapping[Resource, Sequence[ConfigChange]],
        *,
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> PerItem[Resource, None]:
        """Change single settings of topics and brokers; the others stay as they are."""
        items: PerItem[Resource, None] = PerItem(changes)
        deadline = self._cluster.deadline(timeout)
        for group in configs.grouped(list(changes)):
            work = partial(
                configs.alter, self._cluster, items, group, changes, validate_only, deadline
            )
            self._tasks.answer(items, group[1], work)
        return items

    def list_offsets(
        self, leaders: Mapping[TopicPartition, NodeId], *, timeout: float | None = None
    ) -> PerItem[TopicPartition, OffsetRange]:
        """The offsets that each leader gives to consumers; `leaders` from `describe_topics`."""
        items: PerItem[TopicPartition, OffsetRange] = PerItem(leaders)
        deadline = self._cluster.deadline(timeout)
        theirs: dict[NodeId, list[TopicPartition]] = {}
        for name, leader in leaders.items():
            theirs.setdefault(leader, []).append(name)
        for leader, names in theirs.items():
            work = partial(offsets.describe, self._cluster, items, leader, names, deadline)
            self._tasks.answer(items, names, work)
        return items

    def list_offsets_since(
        self,
        leaders: Mapping[TopicPartition, NodeId],
        timestamp_ms: int,
        *,
        timeout: float | None = None,
    ) -> PerItem[TopicPartition, int | None]:
        """The first offset of each partition from a time (ms) on; None: no record is as young."""
        items: PerItem[TopicPartition, int | None] = PerItem(leaders)
        deadline = self._cluster.deadline(timeout)
        theirs: dict[NodeId, list[TopicPartition]] = {}
        for name, leader in leaders.items():
            theirs.setdefault(leader, []).append(name)
        for leader, names in theirs.items():
            work = partial(
                offsets.since, self._cluster, items, leader, names, timestamp_ms, deadline
            )
            self._tasks.answer(items, names, work)
        return items

    # -- log directories (KIP-113; K113-26) ----------------------------------------------------

    def describe_log_dirs(
        self,
        brokers: Iterable[NodeId],
        *,
        partitions: Sequence[TopicPartition] | None = None,
        timeout: float | None = None,
    ) -> PerItem[NodeId, tuple[LogDirDescription, ...]]:
        """Each broker's log directories: state, space, logs, moves.

        With `partitions` only their logs are listed; directories are listed all the same. A broker
        that is down fails alone, a dead directory is an `error` in its own entry.
        """
        items: PerItem[NodeId, tuple[LogDirDescription, ...]] = PerItem(brokers)
        deadline = self._cluster.deadline(timeout)
        for broker in items:
            work = partial(
                log_dirs.describe_broker, self._cluster, items, broker, partitions, deadline
            )
            self._tasks.answer(items, (broker,), work)
        return items

    def describe_replica_log_dirs(
        self, replicas: Iterable[Replica], *, timeout: float | None = None
    ) -> PerItem[Replica, ReplicaLogDirs]:
        """Where each replica lives, where it is moving to, and how far the copy is behind."""
        items: PerItem[Replica, ReplicaLogDirs] = PerItem(replicas)
        deadline = self._cluster.deadline(timeout)
        for broker, theirs in _by_broker(items).items():
            work = partial(
                log_dirs.describe_replicas, self._cluster, items, broker, theirs, deadline
            )
            self._tasks.answer(items, theirs, work)
        return items

    def alter_replica_log_dirs(
        self, directories: Mapping[Replica, LogDir], *, timeout: float | None = None
    ) -> PerItem[Replica, None]:
        """Tell brokers to move replicas to other log directories of their own, by absolute path.

        Success means that the move has been started (or is not needed), not that it is done: watch
        `describe_replica_log_dirs`. REPLICA_NOT_AVAILABLE means that the broker does not have the
        replica but has noted the directory for it (K113-10).
        """
        items: PerItem[Replica, None] = PerItem(directories)
        deadline = self._cluster.deadline(timeout)
        for broker, theirs in _by_broker(items).items():
            part = {replica: directories[replica] for replica in theirs}
            work = partial(log_dirs.alter_replicas, self._cluster, items, broker, part, deadline)
            self._tasks.answer(items, theirs, work)
        return items

    def describe_disks(
        self, brokers: Iterable[NodeId], *, timeout: float | None = None
    ) -> PerItem[NodeId, tuple[DiskDescription, ...]]:
        """Each broker's log directories with their health and history, offline ones too.

        An API of Spindle's brokers: Apache Kafka's are Refused with UNSUPPORTED_VERSION.
        """
        items: PerItem[NodeId, tuple[DiskDescription, ...]] = PerItem(brokers)
        deadline = self._cluster.deadline(timeout)
        for broker in items:
            work = partial(disks.describe, self._cluster, items, broker, deadline)
            self._tasks.answer(items, (broker,), work)
        return items

    async def alter_disk(
        self,
        broker: NodeId,
        path: LogDir,
        order: DiskOrder,
        *,
        force: bool = False,
        timeout: float | None = None,
    ) -> str:
        """Have a Spindle broker probe a log directory, close it, open it again or adopt a disk.

        What came of it, in words; Refused where it may not be done or the disk does not do it.
        OFFLINE is refused where partitions would lose their last live replica, which the refusal
        names, unless `force` is given.
        """
        deadline = self._cluster.deadline(timeout)
        return await disks.alter(self._cluster, broker, path, order, deadline, force=force)

    def describe_bad_replicas(
        self, brokers: Iterable[NodeId], *, timeout: float | None = None
    ) -> PerItem[NodeId, tuple[ReplicaHealth, ...]]:
        """Each broker's scrubbers, replicas that are bad on good disks, and bad copies (KIP-589).

        An API of Spindle's brokers: Apache Kafka's are Refused with UNSUPPORTED_VERSION.
        """
        items: PerItem[NodeId, tuple[ReplicaHealth, ...]] = PerItem(brokers)
        deadline = self._cluster.deadline(timeout)
        for broker in items:
            work = partial(bad_replicas.describe, self._cluster, items, broker, deadline)
            self._tasks.answer(items, (broker,), work)
        return items

    async def repair_replica(
        self,
        broker: NodeId,
        name: TopicPartition,
        *,
        accept_loss: bool = False,
        timeout: float | None = None,
    ) -> str:
        """Have a Spindle broker try a damaged replica again, or go on with what is good of it.

        What came of it, in words; Refused where it may not be done.
        """
        action = 2 if accept_loss else 1
        deadline = self._cluster.deadline(timeout)
        return await bad_replicas.repair(self._cluster, broker, name, action, deadline)

    # -- reassignments -------------------------------------------------------------------------

    def alter_partition_reassignments(
        self,
        targets: Mapping[TopicPartition, Sequence[NodeId] | None],
        *,
        directories: Mapping[Replica, DirectoryId] | None = None,
        allow_replication_factor_change: bool = True,
        timeout: float | None = None,
    ) -> PerItem[TopicPartition, tuple[NodeId, ...]]:
        """Start to move partitions to other brokers; None as target cancels.

        `directories`: where to create new replicas, by the ids that `describe_log_dirs`
        tells (B-25). Each answer names the brokers whose directory the controller has taken into
        account. Apache Kafka's takes none: there, tell the broker (`alter_replica_log_dirs`).
        """
        items: PerItem[TopicPartition, tuple[NodeId, ...]] = PerItem(targets)
        places = directories or {}
        allow = allow_replication_factor_change
        work = partial(
            reassignments.alter,
            self._cluster,
            items,
            targets,
            places,
            allow,
            self._cluster.deadline(timeout),
        )
        self._tasks.answer(items, items, work)
        return items

    async def list_partition_reassignments(
        self,
        partitions: Sequence[TopicPartition] | None = None,
        *,
        timeout: float | None = None,
    ) -> dict[TopicPartition, Reassignment]:
        """Reassignments in progress, of all partitions or of those given."""
        return await reassignments.list_active(
            self._cluster, partitions, self._cluster.deadline(timeout)
        )


def _by_broker(replicas: Iterable[Replica]) -> dict[NodeId, list[Replica]]:
    found: dict[NodeId, list[Replica]] = {}
    for replica in replicas:
        found.setdefault(replica.broker, []).append(replica)
    return found


async def features_of(
    admin: AdminClient, broker: NodeId, *, timeout: float | None = None
) -> BrokerFeatures:
    """What a broker serves: its release shows in that."""
    cluster = admin._cluster
    return await features(cluster, broker, cluster.deadline(timeout))


def admin_from_properties(path: Path | str, bootstrap: str | None = None) -> AdminClient:
    """A client as a file of Kafka's client properties says: addresses, security, time limit.

    `bootstrap` goes before the file's `bootstrap.servers`. Unusable where the file is wrong;
    settings that have no effect become one Python warning.
    """
    settings = read_client_settings(Path(path))
    if settings.warnings:
        warnings.warn(f"{path}: {' '.join(settings.warnings)}", stacklevel=2)
    servers = bootstrap or settings.bootstrap
    found = servers or settings.controllers
    if found is None:
        raise Unusable(f"{path}: bootstrap.servers is missing: write host:port")
    return AdminClient(
        found,
        timeout=settings.timeout or TIMEOUT_S,
        client_id=settings.client_id or CLIENT_ID,
        controllers=servers is None,
        security=settings.security,
    )
