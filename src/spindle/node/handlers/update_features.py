"""UpdateFeatures (57), versions 0-2, both listeners.

Behaviour: finalizes levels of features, all or none (KIP-584); every registered broker and
controller must support them. On the broker listener the request is forwarded.

Version notes: 0 says "downgrade allowed" where 1 names the kind of change and may only validate; 2
has no result for each feature, the error for the whole says it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.core.controller import features
from spindle.core.controller.features import UpgradeType
from spindle.model.errors import Error
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(broker: Broker, call: Call) -> None:
    """Hand on to the controller."""
    broker.forwarding.forward(call, refuse)


def on_controller(controller: Controller, call: Call) -> None:
    """Change levels."""
    body = call.body
    updates = [
        features.FeatureUpdate(update.feature, update.max_version_level, _kind(call, update))
        for update in body.feature_updates
    ]
    controller.serve(
        call,
        lambda state: features.update_features(
            state, updates, getattr(body, "validate_only", False)
        ),
        lambda _: refuse(call, Error.NONE, ""),
        refuse,
    )


def _kind(call: Call, update: Any) -> int:
    if call.version >= 1:
        return int(update.upgrade_type)
    return UpgradeType.SAFE_DOWNGRADE if update.allow_downgrade else UpgradeType.UPGRADE


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error for the whole and, where the version has them, for each feature."""
    r = call.reply
    results: tuple[Any, ...] = ()
    if call.version < 2:
        results = tuple(
            make(
                r.UpdatableFeatureResult,
                feature=update.feature,
                error_code=error,
                error_message=message or None,
            )
            for update in call.body.feature_updates
        )
    return make(
        r.UpdateFeaturesResponse,
        error_code=error,
        error_message=message or None,
        results=results,
    )
