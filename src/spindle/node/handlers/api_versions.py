"""ApiVersions (18), versions 0-4, both listeners.

Behaviour:
- tells the APIs that this listener serves, and the cluster's features: those we support and those
  finalized, with the offset of the metadata that says so as their epoch;
- an unknown version is answered in version 0 with UNSUPPORTED_VERSION and our own range (KIP-511);
- our private APIs (`apis.is_private`) are offered to our own nodes and tools alone;
- features that are finalized above what this node serves (next-generation groups) are left out,
  so that clients use what is there.

Version notes: 3 adds client software names (checked) and features (KIP-584); before 4 a feature
whose range begins at 0 must be left out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from spindle.model.batches import Buffer
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import KRAFT_VERSION, SERVED
from spindle.model.image import ClusterImage
from spindle.node.request_context import LATER, Later, RequestContext, ServedApis
from spindle.wire.apis import SOFTWARE, Key, is_private
from spindle.wire.codec import in_pieces
from spindle.wire.framing import response_around
from spindle.wire.messages.api_versions_request import ApiVersionsRequest
from spindle.wire.messages.api_versions_response import (
    ApiVersion,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

FEATURES_FROM: Final = 3
"""The first version whose answer has features (KIP-584)."""
SOFTWARE_NAME: Final = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")


def on_broker(
    broker: Broker, request: ApiVersionsRequest, context: RequestContext[ApiVersionsResponse]
) -> ApiVersionsResponse | Later:
    """Answer a client of the broker."""
    level = broker.context.metadata.kraft_version
    return _answer(broker.image, level, request, context)


def on_controller(
    controller: Controller,
    request: ApiVersionsRequest,
    context: RequestContext[ApiVersionsResponse],
) -> ApiVersionsResponse | Later:
    """Answer a client of the controller."""
    level = controller.quorum.metadata.kraft_version
    return _answer(controller.image, level, request, context)


def refuse(
    request: ApiVersionsRequest,
    context: RequestContext[ApiVersionsResponse],
    error: Error,
    message: str,
) -> ApiVersionsResponse:
    """The error, and the range of ApiVersions itself to try again with."""
    low, high = context.served.ranges[Key.API_VERSIONS]
    own = ApiVersion(api_key=Key.API_VERSIONS, min_version=low, max_version=high)
    return ApiVersionsResponse(error_code=error, api_keys=(own,))


def _answer(
    image: ClusterImage,
    level: int,
    request: ApiVersionsRequest,
    context: RequestContext[ApiVersionsResponse],
) -> ApiVersionsResponse | Later:
    ours = False
    if context.version >= 3:
        names = (request.client_software_name, request.client_software_version)
        if not all(SOFTWARE_NAME.fullmatch(name) for name in names):
            raise Refusal(Error.INVALID_REQUEST, "client software name or version is malformed")
        ours = names[0] == SOFTWARE
    features = tuple(image.features.items())
    told, body = _told(context.served, context.version, ours, features, level, image.offset)
    if context.charge is not None:  # It may add to the answer what it says of quotas.
        return told
    context.answer_buffers(response_around(context.header, told, body))
    return LATER


@lru_cache(maxsize=64)
def _told(
    served: ServedApis,
    version: int,
    ours: bool,
    features: tuple[tuple[str, int], ...],
    kraft_version: int,
    epoch: int,
) -> tuple[ApiVersionsResponse, list[Buffer]]:
    """An answer and its bytes. Made once: each client asks for it first, and it hardly changes."""
    knows = version >= FEATURES_FROM
    quorum = [(KRAFT_VERSION, kraft_version)] if kraft_version else []
    told = ApiVersionsResponse(
        api_keys=[
            ApiVersion(api_key=key, min_version=low, max_version=high)
            for key, (low, high) in served.ranges.items()
            if ours or not is_private(key)
        ],
        supported_features=[
            SupportedFeatureKey(name=name, min_version=levels.min, max_version=levels.max)
            for name, levels in SERVED.items()
            if version >= 4 or (knows and levels.min > 0)
        ],
        finalized_features_epoch=epoch,
        finalized_features=[
            FinalizedFeatureKey(name=name, max_version_level=level, min_version_level=level)
            for name, level in [*features, *quorum]
            if knows and name in SERVED and level <= SERVED[name].max
        ],
    )
    return told, in_pieces(told, version)
