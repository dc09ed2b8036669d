"""DescribeConfigs (32), versions 1-4, both listeners.

Behaviour:
- topics, brokers, client metrics and groups; a broker tells its own settings or, by the empty
  name, what is set for the whole cluster; other brokers' settings are refused;
- a controller tells the settings of topics and of itself;
- asking for particular names leaves the others out; unknown names are not mentioned.

Version notes: 1 has synonyms (on demand) and the source of each value; 3 has types and, on demand,
documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from spindle.model.errors import Error, Refusal
from spindle.model.image import ClusterImage
from spindle.model.settings.typed_settings import Settings
from spindle.node.request_context import Later, RequestContext
from spindle.node.settings_view import DescribedConfig, SettingsView
from spindle.node.slices import REST, Pause, Slices
from spindle.wire.messages.describe_configs_request import DescribeConfigsRequest
from spindle.wire.messages.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


def on_broker(
    broker: Broker,
    request: DescribeConfigsRequest,
    context: RequestContext[DescribeConfigsResponse],
) -> Later:
    """Tell settings as this broker obeys them."""
    results = _results(broker.image, broker.settings, broker.node_id, request)
    return _answer(broker.slices, request, context, results)


def on_controller(
    controller: Controller,
    request: DescribeConfigsRequest,
    context: RequestContext[DescribeConfigsResponse],
) -> Later:
    """Tell settings as this controller knows them."""
    config = controller.config
    results = _results(controller.image, config.settings, config.node_id, request)
    return _answer(controller.slices, request, context, results)


def _answer(
    slices: Slices,
    request: DescribeConfigsRequest,
    context: RequestContext[DescribeConfigsResponse],
    results: Iterator[DescribeConfigsResult | Pause],
) -> Later:
    return slices.answer(
        request, context, results, lambda found: DescribeConfigsResponse(results=found)
    )


def _results(
    image: ClusterImage, settings: Settings, node_id: int, request: DescribeConfigsRequest
) -> Iterator[DescribeConfigsResult | Pause]:
    for resource in request.resources:
        view = SettingsView(image, settings, node_id)
        error, message = Error.NONE, None
        told: list[DescribedConfig] = []
        try:
            told = list(view.of(resource.resource_type, resource.resource_name))
        except Refusal as refusal:
            error, message = refusal.error, refusal.message
        yield DescribeConfigsResult(
            error_code=error,
            error_message=message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
            configs=tuple(
                _encode(request, t)
                for t in told
                # Asking for no names in particular is asking for all.
                if not resource.configuration_keys or t.setting.name in resource.configuration_keys
            ),
        )
        yield REST


def _encode(
    request: DescribeConfigsRequest, told: DescribedConfig
) -> DescribeConfigsResourceResult:
    return DescribeConfigsResourceResult(
        name=told.setting.name,
        value=told.value,
        read_only=told.read_only,
        config_source=told.source,
        is_sensitive=told.setting.sensitive,
        synonyms=tuple(
            DescribeConfigsSynonym(name=s.name, value=s.value, source=s.source)
            for s in told.synonyms
        )
        if request.include_synonyms
        else (),
        config_type=told.setting.kind,
        documentation=told.setting.documentation if request.include_documentation else None,
    )
