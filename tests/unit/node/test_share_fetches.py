"""What a ShareFetch asks for: bytes, records, batches, time; and what a quota admits (KIP-932)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.replica_world import values_of
from tests.support.share_world import BIG, ShareWorld, acquired, size_of

from spindle.model.errors import Error
from spindle.model.metric_tables import led_groups as of
from spindle.wire.messages import share_fetch_request as m

pytestmark = [pytest.mark.spec("C-04")]


def test_it_waits_for_min_bytes_and_acquires_nothing_before() -> None:
    world = ShareWorld()
    world.produce(b"a" * 100)
    answer = world.ask(min_bytes=400, max_wait_ms=5000)
    assert not answer.there
    assert world.free == 0
    world.produce(b"b" * 100)
    assert not answer.there
    world.produce(b"c" * 100)
    assert acquired(answer) == {0: [(0, 2, 1)]}


def test_what_there_is_goes_out_when_the_time_is_up() -> None:
    world = ShareWorld()
    world.produce(b"a")
    answer = world.ask(min_bytes=BIG, max_wait_ms=500)
    world.world.wait(0.4)
    assert not answer.there
    world.world.wait(0.2)
    assert acquired(answer) == {0: [(0, 0, 1)]}
    assert acquired(world.ask(min_bytes=BIG, max_wait_ms=0)) == {}


def test_bytes_of_all_partitions_count_together() -> None:
    world = ShareWorld(partitions=2)
    world.produce(b"a" * 100)
    answer = world.ask(min_bytes=300, max_wait_ms=5000)
    assert not answer.there
    world.produce(b"b" * 100, partition=1)
    assert acquired(answer) == {0: [(0, 0, 1)], 1: [(0, 0, 1)]}


def test_without_min_bytes_it_is_answered_at_once() -> None:
    world = ShareWorld()
    assert acquired(world.ask(min_bytes=0, max_wait_ms=5000)) == {}
    world.produce(b"a")
    assert acquired(world.ask(min_bytes=0, max_wait_ms=5000)) == {0: [(0, 0, 1)]}


def test_an_acknowledgement_is_answered_with_the_records_that_are_waited_for() -> None:
    world = ShareWorld()
    world.produce(b"a")
    world.ask()
    accepted = m.AcknowledgementBatch(first_offset=0, last_offset=0, acknowledge_types=(1,))
    answer = world.ask(accepted, max_wait_ms=500)
    assert not answer.there
    world.produce(b"b")
    assert acquired(answer) == {0: [(1, 1, 1)]}
    late = world.ask(max_wait_ms=500)
    world.world.wait(0.6)
    assert acquired(late) == {}


def test_max_bytes_are_shared_among_partitions_but_the_first_batch_comes_whole() -> None:
    world = ShareWorld(partitions=2)
    for partition in (0, 1):
        for _ in range(4):
            world.produce(b"a" * 100, partition=partition)
    answer = world.ask(max_bytes=800)
    assert acquired(answer) == {0: [(0, 1, 1)], 1: [(0, 1, 1)]}
    assert size_of(answer) <= 800
    assert acquired(world.ask(max_bytes=10)) in ({0: [(2, 2, 1)]}, {1: [(2, 2, 1)]})
    assert acquired(world.ask(max_bytes=0, max_wait_ms=5000)) == {}


def test_the_brokers_own_limit_of_bytes_counts_too() -> None:
    world = ShareWorld(settings={"fetch.max.bytes": "1024"})
    for _ in range(4):
        world.produce(b"a" * 400)
    assert acquired(world.ask()) == {0: [(0, 1, 1)]}


@pytest.mark.parametrize(("mode", "last"), [(0, 5), (1, 3)])
def test_records_are_counted_by_batches_or_strictly(mode: int, last: int) -> None:
    world = ShareWorld()
    for _ in range(3):
        world.produce(b"a", b"b", b"c")
    answer = world.ask(max_records=4, share_acquire_mode=mode)
    assert acquired(answer) == {0: [(0, last, 1)]}
    (told,) = answer.entity.responses[0].partitions
    assert len(values_of(told)) == 6  # Whole batches of the log, as Apache Kafka.


def test_a_batch_size_cuts_ranges_where_batches_of_the_log_begin() -> None:
    world = ShareWorld()
    for _ in range(4):
        world.produce(b"a", b"b", b"c")
    assert acquired(world.ask(batch_size=4)) == {0: [(0, 5, 1), (6, 11, 1)]}


def test_a_strict_fetch_has_one_range_whatever_the_size_of_a_batch() -> None:
    world = ShareWorld()
    for _ in range(3):
        world.produce(b"a", b"b", b"c")
    answer = world.ask(batch_size=1, max_records=7, share_acquire_mode=1)
    assert acquired(answer) == {0: [(0, 6, 1)]}


def test_enough_records_of_one_partition_leave_the_others_alone() -> None:
    world = ShareWorld(partitions=2)
    for partition in (0, 1):
        world.produce(b"a", b"b", partition=partition)
    assert sum(len(found) for found in acquired(world.ask(max_records=2)).values()) == 1


@pytest.mark.spec("S-07")
def test_a_client_over_its_quota_acquires_nothing_and_is_held_back() -> None:
    world = ShareWorld(quota=100.0)
    world.produce(b"a" * 500)
    assert acquired(world.ask()) == {0: [(0, 0, 1)]}
    for _ in range(3):
        world.produce(b"b" * 500)
    answer = world.ask()
    assert answer.entity.throttle_time
    assert not answer.entity.responses
    assert world.free == 1
    world.world.wait(20.0)
    later = world.ask()
    assert not later.entity.throttle_time
    assert acquired(later) == {0: [(1, 1, 1)]}  # As if it had not been delivered before.


@pytest.mark.spec("S-07")
def test_acknowledgements_count_though_the_client_is_held_back() -> None:
    world = ShareWorld(quota=100.0)
    world.produce(b"a" * 600)
    world.produce(b"b" * 600)
    world.ask(max_bytes=10)
    accepted = m.AcknowledgementBatch(first_offset=0, last_offset=0, acknowledge_types=(1,))
    answer = world.ask(accepted)
    assert answer.entity.throttle_time
    ((told,),) = (topic.partitions for topic in answer.entity.responses)
    assert (told.acknowledge_error_code, told.acquired_records) == (0, ())


def test_nothing_is_acquired_for_a_client_that_has_left() -> None:
    world = ShareWorld()
    world.ask(max_wait_ms=5000)
    world.gone = True
    world.produce(b"a")
    assert world.free == 0


def test_sessions_records_in_flight_and_acknowledgements_are_counted() -> None:
    world = ShareWorld(partitions=2, settings={"metrics.partitions.enable": "true"})
    world.produce(b"a", b"b", b"c")
    world.ask()

    def figures() -> dict[Any, float]:
        return {(s.name, *s.labels.values()): s.value for s in world.shares.statistics()}

    now = figures()
    assert now[of.SHARE_SESSIONS.name,] == 1
    assert now[of.SHARE_SESSION_PARTITIONS.name,] == 2
    assert now[of.SHARE_IN_FLIGHT.name, "g", "t", "0"] == 3
    said = m.AcknowledgementBatch(first_offset=0, last_offset=2, acknowledge_types=(1, 1, 3))
    world.ask(said)
    now = figures()
    assert now[of.SHARE_ACKNOWLEDGEMENTS.name, "Accept"] == 2
    assert now[of.SHARE_ACKNOWLEDGEMENTS.name, "Reject"] == 1
    assert now[of.SHARE_ACKNOWLEDGEMENTS.name, "Release"] == 0
    assert now[of.SHARE_IN_FLIGHT.name, "g", "t", "0"] == 0
    assert now[of.SHARE_LOCK_TIMEOUTS.name, "g", "t", "0"] == 0
    world.produce(b"d", b"e")
    world.ask()
    world.world.wait(31)  # The lock ends.
    assert figures()[of.SHARE_LOCK_TIMEOUTS.name, "g", "t", "0"] == 2


def test_one_session_too_many_is_refused_when_its_time_is_up() -> None:
    world = ShareWorld(settings={"group.share.max.share.sessions": "1"})
    world.ask()
    other = world.ask(member_id="n", share_session_epoch=0, max_wait_ms=500)
    world.world.wait(0.4)
    assert not other.there
    world.world.wait(0.2)
    assert other.entity.error_code == Error.SHARE_SESSION_LIMIT_REACHED
    at_once = world.ask(member_id="n", share_session_epoch=0)
    assert at_once.entity.error_code == Error.SHARE_SESSION_LIMIT_REACHED
