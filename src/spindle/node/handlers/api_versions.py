"""ApiVersions (18), versions 0-4, both listeners.

Behaviour:
- tells the APIs that this listener serves, and the cluster's features: those we support and those
  finalized, with the offset of the metadata that says so as their epoch;
- an unknown version is answered in version 0 with UNSUPPORTED_VERSION and our own range (KIP-511);
- our private APIs (`wire.private`) are told to our own nodes and tools alone;
- features that are finalized above what this node serves (next-generation groups) are not told,
  so that clients use what is there.

Version notes: 3 adds client software names (checked) and features (KIP-584); before 4 a feature
whose range begins at 0 must be left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from spindle.model.errors import Error, Refusal
from spindle.model.features import SERVED
from spindle.model.image import ClusterImage
from spindle.node.calls import Call
from spindle.wire.apis import SOFTWARE, Key
from spindle.wire.entities import make
from spindle.wire.private import is_private

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

SOFTWARE_NAME: Final = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def on_broker(broker: Broker, call: Call) -> None:
    """Answer a client of the broker."""
    _answer(broker.image, call)


def on_controller(controller: Controller, call: Call) -> None:
    """Answer a client of the controller."""
    _answer(controller.image, call)


def refuse(call: Call, error: Error, message: str) -> Any:
    """The error, and the range of ApiVersions itself to try again with."""
    r = call.reply
    low, high = call.served[Key.API_VERSIONS]
    own = r.ApiVersion(api_key=int(Key.API_VERSIONS), min_version=low, max_version=high)
    return make(r.ApiVersionsResponse, error_code=error, api_keys=(own,))


def _answer(image: ClusterImage, call: Call) -> None:
    ours = False
    if call.version >= 3:
        names = (call.body.client_software_name, call.body.client_software_version)
        if not all(SOFTWARE_NAME.fullmatch(name) for name in names):
            raise Refusal(Error.INVALID_REQUEST, "client software name or version is malformed")
        ours = names[0] == SOFTWARE
    r = call.reply
    fields: dict[str, Any] = {
        "api_keys": tuple(
            r.ApiVersion(api_key=key, min_version=low, max_version=high)
            for key, (low, high) in call.served.items()
            if ours or not is_private(key)
        )
    }
    if call.version >= 3:
        fields |= _features(image, call)
    call.answer(make(r.ApiVersionsResponse, **fields))


def _features(image: ClusterImage, call: Call) -> dict[str, Any]:
    r = call.reply
    return {
        "supported_features": tuple(
            r.SupportedFeatureKey(name=name, min_version=levels.min, max_version=levels.max)
            for name, levels in SERVED.items()
            if call.version >= 4 or levels.min > 0
        ),
        "finalized_features_epoch": image.offset,
        "finalized_features": tuple(
            r.FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level)
            for name, level in image.features.items()
            if name in SERVED and level <= SERVED[name].max
        ),
    }
