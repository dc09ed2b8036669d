"""The room in directories on its way through a heartbeat."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.support.logdirs_world import World

from spindle.core.logdirs.placement import Room, Rooms
from spindle.model.errors import Refusal
from spindle.node.rooms import from_body, to_fields
from spindle.wire.apis import Key
from spindle.wire.entities import decode, encode, make, request_types

A, B = uuid.UUID(int=1000), uuid.UUID(int=1001)
TOLD = Rooms({A: Room(1 << 40, 17, 3), B: Room(-5, 0, 0)}, 1 << 20, 1 << 30)


def heartbeat(**fields: Any) -> Any:
    """A heartbeat as the controller reads it."""
    cls = request_types(Key.BROKER_HEARTBEAT, 2).BrokerHeartbeatRequest
    entity = make(
        cls,
        broker_id=1,
        broker_epoch=2,
        current_metadata_offset=3,
        want_fence=False,
        want_shut_down=False,
        offline_log_dirs=(),
        cordoned_log_dirs=None,
        **fields,
    )
    return decode(cls, encode(entity))[0]


@pytest.mark.spec("B-24")
def test_what_a_broker_tells_the_controller_reads() -> None:
    read = from_body(heartbeat(**to_fields(TOLD)))
    assert read is not None
    assert (dict(read.of), read.share, read.grown) == (dict(TOLD.of), 1 << 20, 1 << 30)


@pytest.mark.spec("B-24")
def test_a_heartbeat_without_it_is_apache_kafkas() -> None:
    assert from_body(heartbeat()) is None
    from kio.schema.broker_heartbeat.v2.request import BrokerHeartbeatRequest

    plain = decode(BrokerHeartbeatRequest, encode(heartbeat(**to_fields(TOLD))))[0]
    assert plain == decode(BrokerHeartbeatRequest, encode(heartbeat()))[0]


def test_figures_that_do_not_match_are_refused() -> None:
    with pytest.raises(Refusal):
        from_body(heartbeat(**{**to_fields(TOLD), "room_logs": (1,)}))


@pytest.mark.spec("K113-27", "B-07", "B-24")
def test_rates_are_of_what_is_written_and_follow_it() -> None:
    """Not of how a file system fills: a log that deletes what it writes fills none."""
    world = World(2)
    world.open()
    a, b = (world.id_of(path) for path in world.paths)
    for busy, quiet in ((a, b), (b, a)):
        world.writes = {world.paths[0 if busy == a else 1]: 50_000_000}
        world.wait(60)
        of = world.logs.places.rooms().of
        assert of[busy].rate == pytest.approx(50_000_000, rel=0.01)
        assert of[quiet].rate < 1_000_000
        name = f"beside-{busy.int}"
        world.create_topic(name)
        world.wait(1)
        assert world.id_of(world.place(name).directory or "") == quiet
        world.create_topic(f"even-{busy.int}", directory=busy)
