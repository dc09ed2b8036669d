"""DescribeConfigs (32), versions 1-4, both listeners.

Behaviour:
- topics, brokers, client metrics and groups; a broker tells its own settings or, by the empty
  name, what is set for the whole cluster; other brokers' settings are refused;
- a controller tells the settings of topics and of itself;
- each node tells the levels of its own loggers (`_loggers`, KIP-412);
- asking for particular names leaves the others out; unknown names are not mentioned.

Version notes: 1 has synonyms (on demand) and the source of each value; 3 has types and, on demand,
documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from spindle.model.errors import Error, Refusal
from spindle.node.handlers._loggers import LOGGER_RESOURCE, described
from spindle.node.request_context import Later, RequestContext
from spindle.node.settings_view import DescribedConfig, SettingsView
from spindle.node.slices import REST, Pause, Slices
from spindle.wire.messages.describe_configs_request import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from spindle.wire.messages.describe_configs_response import (
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller


Loggers = Callable[[str, Collection[str]], Iterable[DescribeConfigsResourceResult]]
"""The levels of the loggers of a node by its id, all or some."""


def on_broker(
    broker: Broker,
    request: DescribeConfigsRequest,
    context: RequestContext[DescribeConfigsResponse],
) -> Later:
    """Tell settings as this broker obeys them."""
    view = partial(SettingsView, broker.image, broker.settings, broker.node_id)
    loggers = partial(described, broker.out, broker.node_id)
    return _answer(broker.slices, request, context, view, loggers)


def on_controller(
    controller: Controller,
    request: DescribeConfigsRequest,
    context: RequestContext[DescribeConfigsResponse],
) -> Later:
    """Tell settings as this controller knows them."""
    config = controller.config
    view = partial(SettingsView, controller.image, config.settings, config.node_id)
    loggers = partial(described, controller.out, config.node_id)
    return _answer(controller.slices, request, context, view, loggers)


def _answer(
    slices: Slices,
    request: DescribeConfigsRequest,
    context: RequestContext[DescribeConfigsResponse],
    view: Callable[[], SettingsView],
    loggers: Loggers,
) -> Later:
    def results() -> Iterator[DescribeConfigsResult | Pause]:
        for resource in request.resources:
            yield _result(request, resource, view(), loggers)
            yield REST

    return slices.answer(
        request, context, results(), lambda found: DescribeConfigsResponse(results=found)
    )


def _result(
    request: DescribeConfigsRequest,
    resource: DescribeConfigsResource,
    view: SettingsView,
    loggers: Loggers,
) -> DescribeConfigsResult:
    kind, name = resource.resource_type, resource.resource_name
    keys = resource.configuration_keys or ()
    error, message = Error.NONE, ""
    found: Iterable[DescribeConfigsResourceResult] = ()
    try:
        if kind == LOGGER_RESOURCE:
            found = loggers(name, keys)
        else:
            found = [_encode(request, each) for each in view.of(kind, name, keys)]
    except Refusal as refusal:
        error, message = refusal.error, refusal.message
    return DescribeConfigsResult(
        error_code=error,
        error_message=message,
        resource_type=kind,
        resource_name=name,
        configs=tuple(found),
    )


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
