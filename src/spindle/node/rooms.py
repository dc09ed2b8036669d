"""The room in a broker's directories as fields of its heartbeat (B-24): tagged ones of ours.

Apache Kafka's controllers step over them, and its brokers send none. Used by `lifecycle` and by the
handler of BrokerHeartbeat.
"""

from __future__ import annotations

from typing import Any, Final

from spindle.core.logdirs.placement import Room, Rooms
from spindle.model.errors import Error, Refusal
from spindle.model.ids import DirectoryId

NOT_TOLD: Final = -1


def to_fields(rooms: Rooms[DirectoryId]) -> dict[str, Any]:
    """The fields of BrokerHeartbeatRequest that say it."""
    rows = rooms.of.values()
    return {
        "room_directories": tuple(rooms.of),
        "room_left": tuple(room.left for room in rows),
        "room_rates": tuple(room.rate for room in rows),
        "room_logs": tuple(room.logs for room in rows),
        "room_share": rooms.share,
        "room_grown": rooms.grown,
    }


def from_body(body: Any) -> Rooms[DirectoryId] | None:
    """What a heartbeat says of it; None: nothing. Refusal INVALID_REQUEST for nonsense."""
    if body.room_share == NOT_TOLD:
        return None
    columns = (body.room_left, body.room_rates, body.room_logs)
    if any(len(column) != len(body.room_directories) for column in columns):
        raise Refusal(Error.INVALID_REQUEST, "the figures of directories do not match their ids")
    rows = zip(body.room_directories, *columns, strict=True)
    of = {id: Room(int(left), int(rate), int(logs)) for id, left, rate, logs in rows if id}
    return Rooms(of, int(body.room_share), int(body.room_grown))
