"""Log compaction over the disk in memory: what stays, what goes, and what a power cut leaves."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.compacting import EAGER, NOW, RULES, Entry, found, plan_and_clean, put
from tests.support.storage import FAR, KEY, create, fresh, read_batches, reopen

from spindle.model.batches import DELETE_HORIZON, TRANSACTIONAL, EndTransactionMarker
from spindle.model.cleaning_jobs import AdoptCleaned, CleanBytes, CleanWork, PlanClean
from spindle.model.errors import LogFailed
from spindle.model.jobs import (
    Append,
    Flush,
    Read,
    Truncate,
)
from spindle.sim.memory_disk import MemoryDisk, PowerCut
from spindle.storage.directory import LogDirectory
from spindle.wire.batch import records, split
from spindle.wire.compression import Compression
from spindle.wire.control import end_transaction


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from("abcdefg"), st.one_of(st.none(), st.text("xyz", max_size=9))),
            min_size=1,
            max_size=4,
        ),
        min_size=4,
        max_size=40,
    ),
    st.sampled_from(list(Compression)),
    st.integers(1, 3),
)
def test_the_last_record_of_each_key_stays_where_it_is(
    batches: list[list[Entry]], codec: Compression, rounds: int
) -> None:
    _, directory = fresh()
    create(directory, segment_bytes=400, index_interval_bytes=100)
    end = 0
    for entries in batches:
        end = put(directory, end, *entries, compression=codec)
    before = found(directory)
    for _ in range(rounds):
        plan_and_clean(directory, rules=EAGER)
    after = found(directory)
    assert set(after) <= set(before), "nothing is changed"
    last = {key: (offset, key, value) for offset, key, value in before}
    assert set(last.values()) <= set(after), "no key loses its last record"
    active = directory.logs[KEY].active.base
    cleaned = [entry for entry in after if entry[0] < active]
    for offset, key, _ in cleaned:
        later = [o for o, k, _ in before if k == key and offset < o < active]
        assert not later, "no key has two records below what cannot be cleaned"
    assert directory.run(Read(directory.path, KEY, FAR, FAR, 1)).end == end


def test_a_limited_map_cleans_in_several_rounds() -> None:
    _, directory = fresh()
    create(directory, segment_bytes=400)
    end = 0
    for n in range(60):
        end = put(directory, end, (f"key-{n % 20}", f"value-{n}"))
    rules = replace(RULES, map_bytes=1000, dirty_ratio=0.0)
    rounds = 0
    while plan_and_clean(directory, rules=rules):
        rounds += 1
        assert rounds < 60
    assert rounds > 3
    values = [value for _, _, value in found(directory)]
    assert [f"value-{n}" for n in range(40, 60)] == values[-20:]


def test_tombstones_are_read_for_a_while_and_then_go() -> None:
    _, directory = fresh()
    create(directory, segment_bytes=200)
    end = put(directory, 0, ("a", "1"), ("b", "1"), base_timestamp=500)
    end = put(directory, end, ("a", None), ("c", "2"))
    for n in range(6):
        end = put(directory, end, (f"filler{n}", "x" * 40))
    assert plan_and_clean(directory)
    kept = [entry[:3] for entry in found(directory) if entry[1] in "abc"]
    assert kept == [(1, "b", "1"), (2, "a", None), (3, "c", "2")]
    [marked] = [b for b in read_batches(directory) if b.attributes & DELETE_HORIZON]
    assert marked.base_timestamp == NOW + RULES.tombstones_ms
    assert [r.timestamp for r in records(marked)] == [1002, 1003]
    # Not yet over: it stays. Then the next cleaning drops it.
    for n in range(6):
        end = put(directory, end, (f"filler{n}", "y" * 40))
    assert plan_and_clean(directory, NOW + 999, EAGER)
    assert (2, "a", None) in found(directory)
    for n in range(6):
        end = put(directory, end, (f"filler{n}", "z" * 40))
    assert plan_and_clean(directory, NOW + 1000, EAGER)
    assert [e for e in found(directory) if e[1] in "abc"] == [(1, "b", "1"), (3, "c", "2")]


def test_nothing_of_an_aborted_transaction_counts() -> None:
    _, directory = fresh()
    create(directory, segment_bytes=300)
    end = put(directory, 0, ("a", "good"))
    header = {"producer_id": 7, "producer_epoch": 0, "attributes": TRANSACTIONAL}
    end = put(directory, end, ("a", "bad"), ("b", "bad"), base_sequence=0, **header)
    end = _end(directory, end, 7, committed=False)
    end = put(directory, end, ("b", "fine"), base_sequence=2, **header)
    end = _end(directory, end, 7, committed=True)
    end = put(directory, end, ("b", "finer"), base_sequence=3, **header)
    end = _end(directory, end, 7, committed=True)
    for n in range(9):
        end = put(directory, end, (f"filler{n}", "x" * 40))
    assert plan_and_clean(directory)
    assert [e for e in found(directory) if e[1] in "ab"] == [(0, "a", "good"), (6, "b", "finer")]
    markers = [b.base_offset for b in read_batches(directory) if b.is_control]
    assert markers == [3, 5, 7], "markers stay as long as a reader may look for them"
    for later in (0, RULES.tombstones_ms, 2 * RULES.tombstones_ms):
        for n in range(9):
            end = put(directory, end, (f"filler{n}", "y" * 40))
        assert plan_and_clean(directory, NOW + later, EAGER)
    markers = [b.base_offset for b in read_batches(directory) if b.is_control]
    assert 7 in markers, "it still ends something"
    assert 5 not in markers
    assert [e for e in found(directory) if e[1] in "ab"] == [(0, "a", "good"), (6, "b", "finer")]


def test_what_is_undecided_replaces_nothing_until_it_is_committed() -> None:
    """An abort may still come: then the record before it is the last of its key again."""
    for committed in (False, True):
        _, directory = fresh()
        create(directory, segment_bytes=300)
        end = put(directory, 0, ("a", "good"), ("c", "old"))
        end = put(directory, end, ("c", "new"))
        for n in range(6):
            end = put(directory, end, (f"filler{n}", "x" * 40))
        header = {"producer_id": 7, "producer_epoch": 0, "attributes": TRANSACTIONAL}
        undecided = end
        end = put(directory, end, ("a", "undecided"), base_sequence=0, **header)
        for n in range(9):
            end = put(directory, end, (f"filler{n}", "y" * 40))
        before = found(directory)
        assert plan_and_clean(directory, rules=EAGER)
        assert (0, "a", "good") in found(directory)
        assert (1, "c", "old") not in found(directory), "what lies before it is cleaned"
        assert [e for e in found(directory) if e[0] >= undecided] == before[undecided:]
        end = _end(directory, end, 7, committed=committed)
        for n in range(9):
            end = put(directory, end, (f"filler{n}", "z" * 40))
        assert plan_and_clean(directory, rules=EAGER)
        left = (undecided, "a", "undecided") if committed else (0, "a", "good")
        assert [e for e in found(directory) if e[1] == "a"] == [left]


def _end(directory: LogDirectory, offset: int, producer: int, *, committed: bool) -> int:
    one = end_transaction(producer, 0, EndTransactionMarker(committed, 0), 1000)
    one = replace(one, base_offset=offset, leader_epoch=0)
    return directory.run(Append(directory.path, KEY, [one], NOW)).end


def test_lags_and_the_dirty_share_decide_when() -> None:
    _, directory = fresh()
    create(directory, segment_bytes=300)
    end = 0
    for n in range(20):
        end = put(directory, end, (f"k{n % 2}", "v" * 30))
    young = replace(RULES, min_lag_ms=NOW)
    assert not plan_and_clean(directory, rules=young)
    assert plan_and_clean(directory)
    for n in range(2):
        end = put(directory, end, (f"k{n % 2}", "v" * 300))
    assert not plan_and_clean(directory, rules=replace(RULES, dirty_ratio=0.99))
    overdue = replace(RULES, dirty_ratio=0.99, max_lag_ms=10)
    assert plan_and_clean(directory, rules=overdue)


def test_a_cut_in_between_ends_the_cleaning() -> None:
    _, directory = fresh()
    create(directory, segment_bytes=300)
    end = 0
    for n in range(20):
        end = put(directory, end, (f"k{n % 2}", "v" * 30))
    before = found(directory)
    plan = directory.run(PlanClean(directory.path, KEY, RULES, FAR, NOW))
    assert plan is not None
    work = CleanWork(plan.dirty)
    while work.ready is None:
        work = directory.run(CleanBytes(directory.path, KEY, plan, work, 300))
    directory.run(Truncate(directory.path, KEY, 18))
    assert directory.run(AdoptCleaned(directory.path, KEY, plan, work.ready, 18)) is None
    assert found(directory) == before[:18]
    assert plan_and_clean(directory), "nothing was cleaned yet"


def test_a_damaged_batch_fails_the_log_and_is_not_dropped() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=300)
    end = 0
    for n in range(20):
        end = put(directory, end, (f"k{n % 2}", "v" * 30))
    log = directory.logs[KEY]
    disk.open(log.segments[0].path()).write(70, [b"?"])
    with pytest.raises(LogFailed, match="CRC"):
        plan_and_clean(directory)
    assert len(log.segments) > 3


def _prepared() -> MemoryDisk:
    disk, directory = fresh()
    create(directory, segment_bytes=300)
    end = 0
    for n in range(30):
        end = put(directory, end, (f"k{n % 4}", f"{n}-" + "v" * 20))
    directory.run(Flush(directory.path, KEY))
    disk.kill()
    return disk


@pytest.mark.spec("B-20")
def test_a_power_cut_at_any_call_leaves_the_last_records() -> None:
    disk = _prepared()
    directory = reopen(disk, "/data/d1")[0]
    whole = found(directory)
    last = {key: (offset, key, value) for offset, key, value in whole}
    points = 0
    while True:
        points += 1
        disk = _prepared()
        directory = reopen(disk, "/data/d1")[0]
        create(directory, segment_bytes=300)
        disk.calls.cut_after(points)
        try:
            plan_and_clean(directory)
        except PowerCut:
            disk.crash(Random(points))
        else:
            break
        directory = reopen(disk, "/data/d1")[0]
        left = found(directory)
        assert set(left) <= set(whole)
        assert set(last.values()) <= set(left)
        assert directory.run(Read(directory.path, KEY, FAR, FAR, 1)).end == 30
        names = disk.list(f"/data/d1/{KEY.topic}-{KEY.partition}")
        assert not [name for name in names if name.endswith((".cleaned", ".swap"))]
    assert points > 20


def test_bytes_that_split_as_they_were_written() -> None:
    """What stays in whole batches stays as it came, byte for byte."""
    _, directory = fresh()
    create(directory, segment_bytes=300)
    end = 0
    for n in range(20):
        end = put(directory, end, (f"k{n}", "v" * 30))
    before = b"".join(bytes(b.data) for b in read_batches(directory))
    assert plan_and_clean(directory)
    after = b"".join(bytes(b.data) for b in read_batches(directory))
    assert after == before
    assert len(split(after)) == 20
