"""The room in a broker's directories as fields of its heartbeat (B-24): tagged fields of Spindle's.

Apache Kafka's controllers step over them, and its brokers send none. Used by
`broker_lifecycle_manager` and by the handler of BrokerHeartbeat.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, TypedDict

from spindle.core.logdirs.placement import OWN, DirectoryCapacities, DirectoryCapacity
from spindle.model.errors import Error, Refusal
from spindle.model.ids import DirectoryId
from spindle.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest

NOT_TOLD: Final = -1


class RoomFields(TypedDict, total=False):
    """Fields of BrokerHeartbeatRequest: all of them or none."""

    room_directories: tuple[DirectoryId, ...]
    room_left: tuple[int, ...]
    room_rates: tuple[int, ...]
    room_logs: tuple[int, ...]
    room_share: int
    room_grown: int
    room_devices: tuple[int, ...]


def to_fields(rooms: DirectoryCapacities[DirectoryId]) -> RoomFields:
    """The fields of BrokerHeartbeatRequest that say it."""
    rows = rooms.of.values()
    return {
        "room_directories": tuple(rooms.of),
        "room_left": tuple(room.left for room in rows),
        "room_rates": tuple(room.rate for room in rows),
        "room_logs": tuple(room.logs for room in rows),
        "room_share": rooms.share,
        "room_grown": rooms.grown,
        "room_devices": tuple(room.device for room in rows),
    }


class CapacityReports:
    """Reports the figures once in `pause` seconds at most: they cost a look at every log."""

    def __init__(self, rooms: Callable[[], DirectoryCapacities[DirectoryId]], pause: float) -> None:
        self._rooms = rooms
        self._pause = pause
        self._told_at = -math.inf

    def take(self, now: float) -> RoomFields:
        """The fields for a heartbeat; none where they were reported lately."""
        if now < self._told_at + self._pause:
            return {}
        self._told_at = now
        return to_fields(self._rooms())


def from_request(request: BrokerHeartbeatRequest) -> DirectoryCapacities[DirectoryId] | None:
    """What a heartbeat says of it; None: nothing. Refusal INVALID_REQUEST for nonsense.

    A broker that does not tell its devices yet is taken to have one for each directory.
    """
    if request.room_share == NOT_TOLD:
        return None
    devices = request.room_devices or (OWN,) * len(request.room_directories)
    columns = (request.room_left, request.room_rates, request.room_logs, devices)
    if any(len(column) != len(request.room_directories) for column in columns):
        raise Refusal(Error.INVALID_REQUEST, "the figures of directories do not match their ids")
    rows = zip(request.room_directories, *columns, strict=True)
    of = {id: DirectoryCapacity(*figures) for id, *figures in rows if id}
    return DirectoryCapacities(of, request.room_share, request.room_grown)
