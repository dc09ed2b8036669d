"""The room in directories on its way through a heartbeat."""

from __future__ import annotations

import uuid
from typing import Any

import pytest
from tests.support.logdirs_world import World
from tools.messages.entities import decode, encode, make, request_types

from spindle.core.logdirs.placement import OWN, DirectoryCapacities, DirectoryCapacity
from spindle.model.errors import Refusal
from spindle.node.directory_capacities import from_request, to_fields
from spindle.wire import codec
from spindle.wire.apis import Key
from spindle.wire.messages.broker_heartbeat_request import BrokerHeartbeatRequest

A, B = uuid.UUID(int=1000), uuid.UUID(int=1001)
TOLD = DirectoryCapacities(
    {A: DirectoryCapacity(1 << 40, 17, 3, 1), B: DirectoryCapacity(-5, 0, 0, 0)}, 1 << 20, 1 << 30
)


def sent(**fields: Any) -> bytes:
    """A heartbeat as a broker sends it."""
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
    return encode(entity)


def heartbeat(**fields: Any) -> BrokerHeartbeatRequest:
    """A heartbeat as the controller reads it."""
    return codec.decode(BrokerHeartbeatRequest, 2, sent(**fields))[0]


@pytest.mark.spec("B-24")
def test_what_a_broker_tells_the_controller_reads() -> None:
    read = from_request(heartbeat(**to_fields(TOLD)))
    assert read is not None
    assert (dict(read.of), read.share, read.grown) == (dict(TOLD.of), 1 << 20, 1 << 30)


@pytest.mark.spec("B-24")
def test_a_heartbeat_without_it_is_apache_kafkas() -> None:
    assert from_request(heartbeat()) is None
    from kio.schema.broker_heartbeat.v2.request import BrokerHeartbeatRequest as Plain

    assert decode(Plain, sent(**to_fields(TOLD)))[0] == decode(Plain, sent())[0]


@pytest.mark.spec("B-24")
def test_a_broker_that_tells_no_devices_has_one_for_each_directory() -> None:
    read = from_request(heartbeat(**{**to_fields(TOLD), "room_devices": ()}))
    assert read is not None
    assert [room.device for room in read.of.values()] == [OWN, OWN]


@pytest.mark.parametrize("column", ["room_logs", "room_devices"])
def test_figures_that_do_not_match_are_refused(column: str) -> None:
    with pytest.raises(Refusal):
        from_request(heartbeat(**{**to_fields(TOLD), column: (1,)}))


@pytest.mark.spec("K113-27", "B-24")
def test_two_directories_on_one_device_tell_what_it_has_together() -> None:
    world = World(3)
    world.disk.capacity["/d"] = 1 << 30
    world.open()
    for n in range(6):
        world.create_topic(f"t-{n}")
    of = world.logs.places.rooms().of
    assert {room.device for room in of.values()} == {0}
    assert len({room.left for room in of.values()}) == 1
    assert sorted(room.logs for room in of.values()) == [2, 2, 2]
    alone = World(2)
    alone.open()
    assert sorted(room.device for room in alone.logs.places.rooms().of.values()) == [0, 1]


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
