"""Looks at a cluster for `spindle doctor`: every question is asked once and changes nothing.

What one broker cannot answer is kept as its failure, so that the others are still examined. Called
by the command.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from typing import Final, TypeVar

from spindle.cli import roll
from spindle.cli.doctor.findings import Examination
from spindle.cli.reassign.throttles import FOLLOWER_RATE, LEADER_RATE, MOVE_RATE
from spindle.client.admin import AdminClient, features_of
from spindle.client.failures import Refused
from spindle.client.results import Config, ConfigSource, QuorumDescription, Resource, ResourceType
from spindle.model.errors import Error, Failure, PeerFailed, Refusal
from spindle.model.ids import NodeId
from spindle.pipeline.known_faults import Release, release_range

T = TypeVar("T")
_RATES: Final = (LEADER_RATE, FOLLOWER_RATE, MOVE_RATE)
_DYNAMIC: Final = (ConfigSource.DYNAMIC_BROKER, ConfigSource.DYNAMIC_DEFAULT_BROKER)


async def examine(admin: AdminClient) -> Examination:
    """Ask the cluster; only that no broker answers at all is raised."""
    called = await roll.call(admin, ())
    async with asyncio.TaskGroup() as group:
        directories = group.create_task(admin.describe_log_dirs(called.live).settled())
        topics = group.create_task(_kept(admin.list_topics(internal=True)))
        active = group.create_task(_kept(admin.list_partition_reassignments()))
        throttles = group.create_task(_throttles(admin, called.live))
        described = group.create_task(_kept(admin.describe_cluster(authorized=True)))
        quorum = group.create_task(_quorum(admin))
        releases = group.create_task(_releases(admin, called.live))
    cluster = described.result()
    return Examination(
        brokers=called.live,
        down=called.down,
        directories=directories.result(),
        topics=topics.result(),
        reassignments=active.result(),
        throttles=throttles.result(),
        rights=cluster if isinstance(cluster, Exception) else cluster.authorized,
        quorum=quorum.result(),
        now_ms=int(time.time() * 1000),
        releases=releases.result(),
    )


async def _kept(question: Awaitable[T]) -> T | Exception:
    """The answer, or the failure as a value."""
    try:
        return await question
    except (Failure, PeerFailed, Refusal) as failure:
        return failure


async def _quorum(admin: AdminClient) -> QuorumDescription | Exception | None:
    found = await _kept(admin.describe_metadata_quorum())
    if isinstance(found, Refused) and found.error == Error.UNSUPPORTED_VERSION:
        return None  # A cluster on ZooKeeper has none.
    return found


async def _releases(
    admin: AdminClient, brokers: Sequence[NodeId]
) -> dict[NodeId, tuple[Release, Release]]:
    """The release of each broker that answers; another check reports those that do not."""
    asked = await asyncio.gather(*(_kept(features_of(admin, broker)) for broker in brokers))
    return {
        broker: release_range(found.metadata_version, found.versions)
        for broker, found in zip(brokers, asked, strict=True)
        if not isinstance(found, Exception)
    }


async def _throttles(
    admin: AdminClient, brokers: Sequence[NodeId]
) -> dict[NodeId, Sequence[str] | Exception]:
    resources = {Resource(ResourceType.BROKER, str(broker)): broker for broker in brokers}
    settled = await admin.describe_configs(list(resources), names=_RATES).settled()
    return {
        resources[resource]: found if isinstance(found, Exception) else _set(found)
        for resource, found in settled.items()
    }


def _set(configs: dict[str, Config]) -> list[str]:
    return [
        f"{name}={configs[name].value}"
        for name in _RATES
        if name in configs and configs[name].source in _DYNAMIC
    ]
