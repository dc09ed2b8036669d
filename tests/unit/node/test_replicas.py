"""Replicas of three brokers over real logs: produce, fetch, follow, fail over."""

from __future__ import annotations

from spindle.model.errors import Error

from tests.support.replica_world import World, fetched, produced, values_of


def test_a_record_is_produced_replicated_and_consumed() -> None:
    world = World()
    answer = world.produce(1, b"one", b"two")
    assert answer.there
    told = produced(answer)
    assert (told.error_code, told.base_offset) == (Error.NONE, 0)
    assert [world.nodes[n].values() for n in (1, 2, 3)] == [[b"one", b"two"]] * 3
    got = fetched(world.fetch(1))
    assert values_of(got) == [b"one", b"two"]
    assert got.high_watermark == 2
