"""UpdateFeatures (57), versions 0-2, both listeners.

Behaviour: finalizes levels of features, all or none (KIP-584); every registered broker and
controller must support them. On the broker listener the request is forwarded.

Version notes: 0 says "downgrade allowed" where 1 names the kind of change and may only validate; 2
has no result for each feature, the error for the whole says it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spindle.core.controller import features
from spindle.core.controller.features import UpgradeType
from spindle.model.errors import Error
from spindle.node.request_context import Later, RequestContext
from spindle.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from spindle.wire.messages.update_features_response import (
    UpdatableFeatureResult,
    UpdateFeaturesResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker, request: UpdateFeaturesRequest, context: RequestContext[UpdateFeaturesResponse]
) -> Later:
    """Hand on to the controller."""
    return broker.forwarding.forward(context, partial(refuse, request, context), request.timeout_ms)


def on_controller(
    controller: Controller,
    request: UpdateFeaturesRequest,
    context: RequestContext[UpdateFeaturesResponse],
) -> Later:
    """Change levels."""
    updates = [
        features.FeatureUpdate(
            update.feature, update.max_version_level, _kind(context.version, update)
        )
        for update in request.feature_updates
    ]
    return controller.serve(
        context,
        lambda state: features.update_features(state, updates, request.validate_only),
        lambda _: refuse(request, context, Error.NONE, ""),
        partial(refuse, request, context),
    )


def _kind(version: int, update: FeatureUpdateKey) -> int:
    if version >= 1:
        return update.upgrade_type
    return UpgradeType.SAFE_DOWNGRADE if update.allow_downgrade else UpgradeType.UPGRADE


def refuse(
    request: UpdateFeaturesRequest,
    context: RequestContext[UpdateFeaturesResponse],
    error: Error,
    message: str,
) -> UpdateFeaturesResponse:
    """The error for the whole and, where the version has them, for each feature."""
    return UpdateFeaturesResponse(
        error_code=error,
        error_message=message or None,
        results=tuple(
            UpdatableFeatureResult(
                feature=update.feature, error_code=error, error_message=message or None
            )
            for update in request.feature_updates
        ),
    )
