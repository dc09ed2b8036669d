"""Levels of the cluster's features (KIP-584): the part of the AdminClient that raises them.

await admin.upgrade_features({"kraft.version": 1})
"""

# ruff: noqa: ASYNC109 - a time limit is an option of every call (K113-26)
from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spindle.client.cluster import Cluster
from spindle.client.topics import server_time
from spindle.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest

_UPGRADE: Final = 1


class FeatureLevelCalls:
    """The features of one cluster."""

    _cluster: Cluster

    async def upgrade_features(
        self, levels: Mapping[str, int], *, timeout: float | None = None
    ) -> None:
        """Raise features to these levels, all or none; returns once that is committed.

        Refused: INVALID_UPDATE_VERSION where a node does not support a level, or has not said so
        yet, or where a feature has a higher one.
        """
        limit = self._cluster.deadline(timeout)
        request = UpdateFeaturesRequest(
            timeout_ms=server_time(limit),
            feature_updates=tuple(
                FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=_UPGRADE)
                for name, level in levels.items()
            ),
        )
        await self._cluster.ask_controller(request, limit)
