"""Clients that have a quota: what they use, and for how long they are held back."""

from __future__ import annotations

from typing import Final

from spindle.model.statistics import Metric, section

_OF = ("user", "client_id")
_HELD = "milliseconds for which clients over that quota are held back"

PRODUCE: Final = Metric("kafka_server_produce_byte_rate", "bytes a second that they produce", _OF)
PRODUCE_WAIT: Final = Metric("kafka_server_produce_throttle_time", _HELD, _OF)
FETCH: Final = Metric("kafka_server_fetch_byte_rate", "bytes a second that they fetch", _OF)
FETCH_WAIT: Final = Metric("kafka_server_fetch_throttle_time", _HELD, _OF)
REQUEST: Final = Metric("kafka_server_request_request_time", "percent of the event loop", _OF)
REQUEST_WAIT: Final = Metric("kafka_server_request_throttle_time", _HELD, _OF)

SECTION: Final = section("Clients with quotas", "brokers", vars())
