"""Aborted transactions on disk: their index, through rolls, cuts, crashes and copies."""

from __future__ import annotations

from struct import Struct

import pytest
from tests.support.storage import FUTURE, KEY, append, batch, copy_all, create, fresh, reopen

from spindle.model.batches import TRANSACTIONAL, EndTransactionMarker
from spindle.model.errors import Corrupt
from spindle.model.jobs import (
    Close,
    MoveLogStart,
    Promote,
    Read,
    Truncate,
)
from spindle.model.log_values import AbortedTransaction, LogKey
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import aborted_transactions
from spindle.storage.directory import LogDirectory
from spindle.wire.control import end_transaction

PATH = "/data/d1"
NAME = "orders-3"
FIRST = AbortedTransaction(7, 0, 3, 1)
"""Still open when it ended: producer 8's, from offset 1 on."""
SECOND = AbortedTransaction(8, 1, 5, 6)


def data(directory: LogDirectory, at: int, producer: int, sequence: int = 0) -> None:
    append(
        directory,
        batch(
            at,
            [b"v" * 50],
            producer_id=producer,
            producer_epoch=0,
            base_sequence=sequence,
            attributes=TRANSACTIONAL,
        ),
    )


def end(directory: LogDirectory, at: int, producer: int, commits: bool = False) -> None:
    made = end_transaction(producer, 0, EndTransactionMarker(commits, 4), 1000)
    made.base_offset, made.leader_epoch = at, 0
    append(directory, made)


def some(**settings: int) -> tuple[MemoryDisk, LogDirectory]:
    """Two aborted transactions that overlap, one committed, one open."""
    disk, directory = fresh(PATH)
    create(directory, **settings)
    data(directory, 0, 7)
    data(directory, 1, 8)
    data(directory, 2, 9)
    end(directory, 3, 7)
    end(directory, 4, 9, commits=True)
    end(directory, 5, 8)
    end(directory, 6, 8)
    data(directory, 7, 9, 1)
    return disk, directory


def aborted(
    directory: LogDirectory, start: int, limit: int, key: LogKey = KEY
) -> tuple[AbortedTransaction, ...]:
    found: dict[AbortedTransaction, None] = {}
    while start < limit:
        result = directory.run(Read(directory.path, key, start, limit, 1 << 20, committed=True))
        found.update(dict.fromkeys(result.aborted))
        last = Struct(">i").unpack_from(result.data, 23)[0]
        base = Struct(">q").unpack_from(result.data)[0]
        start = max(base + last + 1, start + 1)
    return tuple(found)


def open_since(directory: LogDirectory) -> dict[int, int]:
    entries = directory.logs[KEY].producers.state.entries
    return {e.producer_id: e.first_txn_offset for e in entries if e.first_txn_offset >= 0}


def test_the_file_is_entries_of_34_bytes() -> None:
    encoded = aborted_transactions.encode([FIRST, SECOND])
    assert encoded == Struct(">hqqqqhqqqq").pack(0, *FIRST, 0, *SECOND)
    assert aborted_transactions.decode(encoded) == [FIRST, SECOND]
    for damaged in (encoded[:-1], b"\0\1" + encoded[2:]):
        with pytest.raises(Corrupt):
            aborted_transactions.decode(damaged)


def test_a_reader_receives_the_transactions_that_touch_its_records() -> None:
    _, directory = some()
    assert aborted(directory, 0, 8) == (FIRST, SECOND)
    assert aborted(directory, 4, 8) == (SECOND,)
    assert aborted(directory, 0, 1) == (FIRST,)
    assert aborted(directory, 6, 8) == ()
    assert directory.run(Read(PATH, KEY, 0, 8, 1 << 20)).aborted == ()
    assert open_since(directory) == {9: 7}


def test_segments_keep_theirs_and_take_it_with_them() -> None:
    disk, directory = some(segment_bytes=150)
    assert len(directory.logs[KEY].segments) > 3
    assert aborted(directory, 0, 8) == (FIRST, SECOND)
    names = [n for n in disk.list(f"{PATH}/{NAME}") if n.endswith(".txnindex")]
    assert len(names) == 2
    directory.run(MoveLogStart(PATH, KEY, 7))
    assert not [n for n in disk.list(f"{PATH}/{NAME}") if n.endswith(".txnindex")]


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("segment_bytes", [150, 1 << 20])
def test_a_restart_knows_the_same(clean: bool, segment_bytes: int) -> None:
    disk, directory = some(segment_bytes=segment_bytes)
    if clean:
        directory.run(Close(PATH, 1))
        if segment_bytes > 150:
            assert disk.list(f"{PATH}/{NAME}").count("00000000000000000000.txnindex") == 1
    else:
        directory._let_go()
    again, _ = reopen(disk, PATH)
    assert aborted(again, 0, 8) == (FIRST, SECOND)
    assert open_since(again) == {9: 7}
    end(again, 8, 9)
    assert aborted(again, 7, 9) == (AbortedTransaction(9, 7, 8, 9),)


@pytest.mark.parametrize("segment_bytes", [150, 1 << 20])
def test_a_cut_opens_what_it_cuts_the_end_of(segment_bytes: int) -> None:
    _, directory = some(segment_bytes=segment_bytes)
    directory.run(Truncate(PATH, KEY, 5))
    assert aborted(directory, 0, 5) == (FIRST,)
    assert open_since(directory) == {8: 1}
    end(directory, 5, 8)
    assert aborted(directory, 0, 6) == (FIRST, SECOND)


def test_an_aborted_transaction_that_was_cut_hides_no_later_records() -> None:
    """Its index was on disk, and the segment that is sealed again has none."""
    disk, directory = some()
    directory.run(Close(PATH, 1))
    directory, _ = reopen(disk, PATH)
    directory.run(Truncate(PATH, KEY, 1))
    end(directory, 1, 7, commits=True)
    for at in range(2, 8):
        data(directory, at, 8, at)
    end(directory, 8, 8, commits=True)
    directory.run(Close(PATH, 2))
    directory, _ = reopen(disk, PATH)
    assert aborted(directory, 0, 9) == ()


@pytest.mark.parametrize("most", [1, 200, 1 << 20])
def test_a_move_takes_them_along(most: int) -> None:
    disk, source = some(segment_bytes=200)
    disk, target = fresh("/data/d2", disk)
    create(target, FUTURE, segment_bytes=200)
    copy_all(source, target, most)
    target.run(Promote("/data/d2", FUTURE))
    assert aborted(target, 0, 8) == (FIRST, SECOND)
    assert open_since(target) == {9: 7}
    target._let_go()
    again, _ = reopen(disk, "/data/d2")
    assert aborted(again, 0, 8) == (FIRST, SECOND)
    assert open_since(again) == {9: 7}
