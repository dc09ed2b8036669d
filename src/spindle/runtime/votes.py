"""Votes of a local cluster's controllers (KIP-853): the first, and those given and taken later.

Asks by an AdminClient, again where a refusal passes by itself: a controller that was just started
has not caught up, another change is under way. Called by `local` alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from spindle.client.admin import AdminClient, features_of
from spindle.client.failures import Refused
from spindle.model.errors import Error, Unusable
from spindle.model.feature_rules import KRAFT_VERSION
from spindle.model.ids import DirectoryId, Endpoint, NodeId, id_to_text
from spindle.model.quorum_voters import DYNAMIC
from spindle.runtime.cluster_plan import ClusterPlan
from spindle.storage import meta

CHANGE_SECONDS: Final = 30.0
"""How long a change may take."""
_PAUSE_SECONDS: Final = 0.05
_PASSING: Final = frozenset(
    {
        Error.REQUEST_TIMED_OUT,
        Error.DUPLICATE_VOTER,
        Error.VOTER_NOT_FOUND,
        Error.INVALID_UPDATE_VERSION,
    }
)
"""Errors after which the same change may succeed, or may turn out to be made."""


def initial_controllers(plan: ClusterPlan) -> str:
    """The first voters as `--initial-controllers` names them, with new directory ids."""
    return ",".join(
        f"{id}@127.0.0.1:{port}:{id_to_text(meta.random_directory_id())}"
        for id, port in plan.controllers.items()
    )


async def is_dynamic(admin: AdminClient, broker: NodeId) -> bool:
    """Whether the log says which controllers vote, as a broker has heard."""
    levels = (await features_of(admin, broker)).finalized
    return levels.get(KRAFT_VERSION, 0) >= DYNAMIC


async def make_dynamic(admin: AdminClient) -> None:
    """Have the log say it from now on: all voters must run. Refused."""
    await _repeat(lambda: admin.upgrade_features({KRAFT_VERSION: DYNAMIC}))


async def give_vote(
    admin: AdminClient,
    id: NodeId,
    directory: DirectoryId,
    endpoint: Endpoint,
    check: Callable[[], None],
) -> None:
    """Have a controller that runs vote with this directory, and with no other one. Refused.

    `check` raises what it likes where it does not run any more.
    """

    async def change() -> None:
        check()
        quorum = await admin.describe_metadata_quorum()
        had = next((v.directory_id for v in quorum.voters if v.node_id == id), None)
        if had == directory:
            return
        if had is not None:
            await admin.remove_raft_voter(id, had)
        await admin.add_raft_voter(id, directory, [endpoint])

    await _repeat(change)


async def take_vote(admin: AdminClient, id: NodeId) -> None:
    """Have a controller vote no more. Refused; Unusable where it alone votes."""

    async def change() -> None:
        quorum = await admin.describe_metadata_quorum()
        had = next((v.directory_id for v in quorum.voters if v.node_id == id), None)
        if had is None:
            return
        if len(quorum.voters) == 1:
            raise Unusable(f"controller {id} is the only one with a vote: add another one first")
        await admin.remove_raft_voter(id, had)

    await _repeat(change)


async def _repeat(change: Callable[[], Awaitable[None]]) -> None:
    """Make a change until it succeeds, is refused for good, or time is up."""
    deadline = time.monotonic() + CHANGE_SECONDS
    while True:
        try:
            return await change()
        except Refused as refused:
            if refused.error not in _PASSING or time.monotonic() > deadline:
                raise
        await asyncio.sleep(_PAUSE_SECONDS)
