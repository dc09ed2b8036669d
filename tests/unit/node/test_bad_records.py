"""Records that a topic does not take are named, in Apache Kafka's words (KIP-467)."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.replica_world import NAME, World, produced

from spindle.model import metadata_records as r
from spindle.model.batches import Record, RecordBatch
from spindle.model.errors import Error
from spindle.wire.batch import build

pytestmark = pytest.mark.spec("N-08")


def bad_records(world: World, batch: RecordBatch) -> tuple[Any, list[tuple[int, str]]]:
    """The error of a batch, and the records that are named for it."""
    told = produced(world.produce(1, batch=batch))
    named = [(b.batch_index, b.batch_index_error_message) for b in told.record_errors]
    return (told.error_code, told.error_message), named


def set_topic(world: World, key: str, value: str) -> None:
    world.apply(r.DynamicConfig(resource_type=2, resource_name=NAME, key=key, value=value))


def test_the_records_for_which_a_batch_is_refused_are_named() -> None:
    world = World(nodes=1)
    set_topic(world, "cleanup.policy", "compact")
    now = int(world.now * 1000)
    keys = (b"k", None, b"k", None, None, None)
    error, named = bad_records(world, build([Record(n, now, k, b"v") for n, k in enumerate(keys)]))
    why = f"Compacted topic cannot accept message without key in topic partition {NAME}-0"
    assert named == [(n, why) for n in (1, 3, 4, 5)]
    shown = ", ".join(f"RecordError(batchIndex={n}, message='{why}')" for n in (1, 3, 4))
    assert error == (
        Error.INVALID_RECORD,
        "One or more records have been rejected due to 4 record errors in total, and only showing"
        f" the first three errors at most: [{shown}]",
    )


def test_timestamps_out_of_bounds_are_refused() -> None:
    world = World(nodes=1)
    now, hour = int(world.now * 1000), 3_600_000

    def sent(*times: int) -> tuple[Any, list[tuple[int, str]]]:
        records = [Record(n, at, None, b"v") for n, at in enumerate(times)]
        return bad_records(world, build(records))

    assert sent(now, now + hour, 0, -1) == ((Error.NONE, None), [])
    error, named = sent(now, now + hour + 1)
    assert error[0] == Error.INVALID_TIMESTAMP
    assert error[1] == "One or more records have been rejected due to invalid timestamp"
    ((index, why),) = named
    assert (index, why.partition(". ")[0]) == (
        1,
        f"Timestamp {now + hour + 1} of message with offset 1 is out of range",
    )
    set_topic(world, "message.timestamp.before.max.ms", "1000")
    assert sent(now - 1000, now, -1) == ((Error.NONE, None), [])
    error, named = sent(now - 1001, now)
    assert (error[0], [index for index, _ in named]) == (Error.INVALID_TIMESTAMP, [0])
    set_topic(world, "message.timestamp.after.max.ms", str(10 * hour))
    assert sent(now + 9 * hour)[0] == (Error.NONE, None)
    set_topic(world, "message.timestamp.type", "LogAppendTime")
    assert sent(now + 99 * hour, 0)[0] == (Error.NONE, None), "the broker's clock counts"
