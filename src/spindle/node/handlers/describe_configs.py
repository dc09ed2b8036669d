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
from typing import TYPE_CHECKING, Any, Final

from spindle.model.errors import Error, Refusal
from spindle.model.image import BROKER_RESOURCE, TOPIC_RESOURCE, ClusterImage
from spindle.model.settings.values import Settings
from spindle.node.calls import Call
from spindle.node.settings_view import (
    Source,
    Told,
    View,
    other_settings,
)
from spindle.node.slices import REST, Slices
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker
    from spindle.node.controller import Controller

OTHERS: Final = {16: Source.CLIENT_METRICS, 32: Source.GROUP}
"""Resource types whose settings we keep for others, without knowing them."""


def on_broker(broker: Broker, call: Call) -> None:
    """Tell settings as this broker obeys them."""
    _answer(broker.slices, broker.image, broker.settings, broker.node_id, call)


def on_controller(controller: Controller, call: Call) -> None:
    """Tell settings as this controller knows them."""
    config = controller.config
    _answer(controller.slices, controller.image, config.settings, config.node_id, call)


def _answer(
    slices: Slices, image: ClusterImage, settings: Settings, node_id: int, call: Call
) -> None:
    results = _results(image, settings, node_id, call)
    slices.answer(
        call,
        results,
        lambda found: make(call.reply.DescribeConfigsResponse, results=found),
    )


def _results(image: ClusterImage, settings: Settings, node_id: int, call: Call) -> Iterator[Any]:
    for resource in call.body.resources:
        error, message, told = Error.NONE, None, []
        try:
            told = list(_find(image, settings, node_id, resource))
        except Refusal as refusal:
            error, message = refusal.error, refusal.message
        yield make(
            call.reply.DescribeConfigsResult,
            error_code=error,
            error_message=message,
            resource_type=resource.resource_type,
            resource_name=resource.resource_name,
            configs=tuple(
                _encode(call, t)
                for t in told
                # Asking for no names in particular is asking for all.
                if not resource.configuration_keys or t.setting.name in resource.configuration_keys
            ),
        )
        yield REST


def _find(image: ClusterImage, settings: Settings, node_id: int, resource: Any) -> Iterator[Told]:
    kind, name = resource.resource_type, resource.resource_name
    if kind == TOPIC_RESOURCE:
        if image.topic(name) is None:
            raise Refusal(Error.UNKNOWN_TOPIC_OR_PARTITION, f"topic {name} does not exist")
        return View(image, settings, node_id).topic(name)
    if kind == BROKER_RESOURCE:
        if name == "":
            return View(image, settings, node_id).cluster()
        if name != str(node_id):
            raise Refusal(
                Error.INVALID_REQUEST,
                f"Unexpected broker id, expected {node_id} or empty string, but received {name}",
            )
        return View(image, settings, node_id).broker()
    if kind in OTHERS:
        return other_settings(image, kind, name, OTHERS[kind])
    raise Refusal(Error.INVALID_REQUEST, f"resources of type {kind} have no settings here")


def _encode(call: Call, told: Told) -> Any:
    r, body = call.reply, call.body
    return make(
        r.DescribeConfigsResourceResult,
        name=told.setting.name,
        value=told.value,
        read_only=told.read_only,
        config_source=int(told.source),
        is_sensitive=told.setting.sensitive,
        synonyms=tuple(
            r.DescribeConfigsSynonym(name=s.name, value=s.value, source=int(s.source))
            for s in told.synonyms
        )
        if body.include_synonyms
        else (),
        config_type=int(told.setting.kind),
        documentation=told.setting.documentation
        if getattr(body, "include_documentation", False)
        else None,
    )
