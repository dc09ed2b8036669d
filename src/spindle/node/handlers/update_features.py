"""UpdateFeatures (57), versions 0-2, both listeners.

Behaviour: finalizes levels of features, all or none (KIP-584); every registered broker and
controller must support them. kraft.version is not among the metadata's records: the quorum itself
raises it, once all else of the request is committed (KIP-853). On the broker listener the request
is forwarded.

Version notes: 0 says "downgrade allowed" where 1 names the kind of change and may only validate; 2
has no result for each feature. A refusal has none in any version: the error for the whole says it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from spindle.core.controller import features
from spindle.core.controller.controller_state import ControllerResult, ControllerState
from spindle.core.controller.features import FeatureUpdate
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import KRAFT_VERSION, UpgradeType
from spindle.node.request_context import LATER, Later, RequestContext
from spindle.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from spindle.wire.messages.update_features_response import (
    UpdatableFeatureResult,
    UpdateFeaturesResponse,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

_WHOLE_FAILED: Final = (
    "The update failed for all features since the following feature had an error:"
)


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
        FeatureUpdate(update.feature, update.max_version_level, _kind(context.version, update))
        for update in request.feature_updates
    ]
    quorum = [update for update in updates if update.name == KRAFT_VERSION]
    others = [update for update in updates if update.name != KRAFT_VERSION]

    def decide(state: ControllerState) -> ControllerResult[None]:
        _check_quorum(controller, state, quorum)
        return features.update_features(state, others, request.validate_only)

    def answer(outcome: Refusal | None) -> None:
        if outcome is None:
            context.answer(refuse(request, context, Error.NONE, ""))
            return
        if outcome.error is Error.NOT_LEADER_OR_FOLLOWER:
            outcome = Refusal(Error.NOT_CONTROLLER, outcome.message)
        if outcome.error is Error.NOT_CONTROLLER:
            controller.refuse_later(context, outcome, partial(refuse, request, context))
        else:
            controller.refuse_later(context, outcome, _refuse_whole)

    def then(outcome: Refusal | None) -> None:
        if outcome is None and quorum and not request.validate_only:
            controller.quorum.raise_kraft_version(quorum[0].level, answer)
        else:
            answer(outcome)

    controller.submit(decide, then)
    return LATER


def _check_quorum(
    controller: Controller, state: ControllerState, updates: Sequence[FeatureUpdate]
) -> None:
    """Refusal where kraft.version may not become what is asked for."""
    if len(updates) > 1:
        raise Refusal(Error.INVALID_REQUEST, f"feature {KRAFT_VERSION!r} is named twice")
    for update in updates:
        current = controller.quorum.metadata.kraft_version
        features.check_quorum_version(state, update, current)
        controller.quorum.check_kraft_version(update.level)


def _kind(version: int, update: FeatureUpdateKey) -> int:
    if version >= 1:
        return update.upgrade_type
    return UpgradeType.SAFE_DOWNGRADE if update.allow_downgrade else UpgradeType.UPGRADE


def _refuse_whole(error: Error, message: str) -> UpdateFeaturesResponse:
    """One feature's error is that of all: none of them was changed."""
    return UpdateFeaturesResponse(error_code=error, error_message=f"{_WHOLE_FAILED} {message}")


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
