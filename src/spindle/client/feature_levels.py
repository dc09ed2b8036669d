"""Levels of the cluster's features (KIP-584): the part of the AdminClient that tells and sets them.

    found = await admin.describe_features()
    await admin.upgrade_features({"kraft.version": 1})
    await admin.update_features({"group.version": 0}, UpgradeType.SAFE_DOWNGRADE).all()

`features_of` of `admin` asks a broker by its id what else it serves.
"""

# ruff: noqa: ASYNC109 - a time limit is an option of every call (K113-26)
from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import spindle
from spindle.client.cluster import Cluster
from spindle.client.deadline import Deadline
from spindle.client.per_item import PerItem, Tasks
from spindle.client.raft_voters import for_a_look
from spindle.client.results import BrokerFeatures, FeatureMetadata
from spindle.client.topics import not_answered, refused, server_time
from spindle.model.feature_rules import METADATA_VERSION, UpgradeType
from spindle.model.ids import NodeId, VersionRange
from spindle.wire.apis import SOFTWARE
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.api_versions_response import ApiVersionsResponse
from spindle.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest

_API: Final = "UpdateFeatures"
_SAYS_HOW: Final = 1
"""The version from which on a request names the kind of change, and may only validate."""


class FeatureLevelCalls:
    """The features of one cluster."""

    _cluster: Cluster
    _tasks: Tasks

    async def describe_features(
        self, node: NodeId | None = None, *, timeout: float | None = None
    ) -> FeatureMetadata:
        """The features that a node supports, and the levels that the cluster has, as it knows them.

        `node`: any broker, or the active controller of a client of controllers, where None.
        """
        limit = self._cluster.deadline(timeout)
        if node is not None:
            return _metadata(await self._cluster.ask_node(node, _request(), limit))
        if self._cluster.controllers:
            return _metadata(await self._cluster.ask_controller(_request(), for_a_look(limit)))
        return _metadata(await self._cluster.ask_any(_request(), limit))

    def update_features(
        self,
        levels: Mapping[str, int],
        upgrade: UpgradeType = UpgradeType.UPGRADE,
        *,
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> PerItem[str, None]:
        """Set features to these levels, all or none; each is settled once that is committed.

        Refused: INVALID_UPDATE_VERSION where a node does not support a level, or has not said so
        yet, or where `upgrade` does not allow the change. `validate_only`: nothing is changed.
        """
        items: PerItem[str, None] = PerItem(levels)
        deadline = self._cluster.deadline(timeout)
        request = UpdateFeaturesRequest(
            timeout_ms=server_time(deadline),
            feature_updates=tuple(
                FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=upgrade)
                for name, level in levels.items()
            ),
            validate_only=validate_only,
        )
        work = partial(_update, self._cluster, items, request, deadline)
        self._tasks.answer(items, items, work)
        return items

    async def upgrade_features(
        self, levels: Mapping[str, int], *, timeout: float | None = None
    ) -> None:
        """Raise features to these levels, all or none; returns once that is committed."""
        await self.update_features(levels, timeout=timeout).all()


async def features(cluster: Cluster, broker: NodeId, deadline: Deadline) -> BrokerFeatures:
    """What one broker serves."""
    answer = await cluster.ask_node(broker, _request(), deadline)
    told = _metadata(answer)
    level = told.supported.get(METADATA_VERSION)
    versions = {int(k.api_key): (int(k.min_version), int(k.max_version)) for k in answer.api_keys}
    return BrokerFeatures(None if level is None else level.max, versions, told.finalized)


def _request() -> ApiVersionsRequest:
    return ApiVersionsRequest(
        client_software_name=SOFTWARE, client_software_version=spindle.__version__
    )


def _metadata(answer: ApiVersionsResponse) -> FeatureMetadata:
    epoch = answer.finalized_features_epoch
    return FeatureMetadata(
        supported={
            f.name: VersionRange(f.min_version, f.max_version) for f in answer.supported_features
        },
        finalized={f.name: int(f.max_version_level) for f in answer.finalized_features},
        epoch=None if epoch < 0 else epoch,
    )


async def _update(
    cluster: Cluster,
    items: PerItem[str, None],
    request: UpdateFeaturesRequest,
    deadline: Deadline,
) -> None:
    answer = await cluster.ask_controller(request, deadline, since=_SAYS_HOW)
    results = {told.feature: told for told in answer.results}
    for name in items:
        told = results.get(name)
        if told is not None and told.error_code:
            words = told.error_message or ""
            items.fail(name, refused(told.error_code, _API, name, words))
        elif told is None and results:  # From version 2 on there are none.
            items.fail(name, not_answered(_API, name))
        else:
            items.answer(name, None)
