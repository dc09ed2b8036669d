"""Offsets that are missing between two segments: a loss, or what Apache Kafka's cleaner left.

Our own cleaner keeps the last batch of each segment, and a new segment begins where the one before
ends: of what this broker wrote, such a gap is a loss, in a compacted log as in any other.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.support.compacting import EAGER, plan_and_clean, put
from tests.support.power import Unlucky, at_every_change
from tests.support.storage import (
    FUTURE,
    KEY,
    accept_loss,
    copy_all,
    create,
    fill,
    format_at,
    fresh,
    read_batches,
    reopen,
    step,
    with_records,
)

from spindle.model.jobs import (
    Discard,
    Flush,
    MoveLogStart,
    Promote,
    Sweep,
    Truncate,
    WriteCheckpoints,
)
from spindle.model.log_values import LoadedLog
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import layout, unbroken
from spindle.storage.directory import LogDirectory

PATH, OTHER = "/data/d1", "/data/d2"
LOG = f"{PATH}/orders-3"


def compacted(records: int = 30) -> tuple[MemoryDisk, LogDirectory]:
    """A log of which the sealed part was compacted before any of it was synced: it has gaps."""
    disk, directory = fresh()
    create(directory, segment_bytes=300)
    end = 0
    for n in range(records):
        end = put(directory, end, (f"k{n % 4}" if n % 3 else f"own{n}", f"{n}-" + "v" * 20))
    assert plan_and_clean(directory, rules=EAGER)
    for n in range(12):
        end = put(directory, end, (f"k{n % 4}", f"{n}-" + "w" * 20))
    return disk, directory


def logs(disk: MemoryDisk) -> list[str]:
    return [name for name in disk.names(LOG) if name.endswith(".log")]


def shorten(disk: MemoryDisk, name: str, to: int) -> None:
    """Take the end of a file, as a power cut does; its name stays."""
    disk.open(f"{LOG}/{name}").truncate(to)


@pytest.mark.spec("B-28")
@pytest.mark.parametrize("indexes", [True, False])
def test_a_lost_segment_of_a_compacted_log_is_seen(indexes: bool) -> None:
    """As a power cut leaves it: its name is there, and no byte of it; its indexes may be gone."""
    disk, directory = compacted()
    gapped = [s for s in directory.logs[KEY].segments if s.size]
    disk.kill()
    lost = logs(disk)[-2]
    assert len(gapped) > 3
    shorten(disk, lost, 0)
    for kind in () if indexes else ("index", "timeindex"):
        disk.remove(f"{LOG}/{lost.replace('log', kind)}")
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert "nothing is there from" in bad.why
    assert " good record" in bad.why


@pytest.mark.spec("B-28")
def test_a_segment_that_ends_early_is_seen_in_a_compacted_log() -> None:
    """Cut where a batch ends: nothing in it tells that more was there."""
    disk, directory = compacted()
    lost = directory.logs[KEY].segments[-2]
    first = next(lost.headers())
    disk.kill()
    shorten(disk, f"{lost.base:020d}.log", first.size)
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert f"nothing is there from {first.last_offset + 1} to {lost.end}" in bad.why


def test_names_of_lost_segments_at_the_end_are_reported() -> None:
    disk, directory = compacted()
    ends = [segment.end for segment in directory.logs[KEY].segments]
    disk.kill()
    names = logs(disk)
    for name in names[-2:]:
        shorten(disk, name, 0)
    _, opened = reopen(disk, PATH)
    assert [log.end for log in opened.logs] == [ends[-3]]
    told = f"nothing is there from {ends[-3]} to {ends[-2]}"
    assert [w for w in opened.warnings if told in w and "it is empty" in w]


# --- what Apache Kafka wrote ---------------------------------------------------------------------


def kafkas(*gaps: int) -> tuple[MemoryDisk, list[int]]:
    """A log as Apache Kafka leaves one that is killed: compacted, with gaps before segments.

    The bases of its segments; before those with a number in `gaps` last batches are missing. No
    checkpoint knows its end.
    """
    disk, directory = compacted()
    segments = directory.logs[KEY].segments
    bases = [segment.base for segment in segments]
    for at in gaps:
        segment = segments[at - 1]
        sizes = [header.size for header in segment.headers()]
        disk.open(segment.path()).truncate(segment.size - sizes[-1])
        for kind in ("index", "timeindex"):
            disk.remove(f"{LOG}/{segment.base:020d}.{kind}")
    disk.kill()
    disk.remove(f"{LOG}/{mark_of(disk)}")
    for name in ("recovery-point-offset-checkpoint", "cleaner-offset-checkpoint"):
        if name in disk.names(PATH):
            disk.remove(f"{PATH}/{name}")
    return disk, bases


def mark_of(disk: MemoryDisk, path: str = LOG) -> str:
    (name,) = [name for name in disk.names(path) if name.startswith("unbroken-")]
    return name


@pytest.mark.spec("B-26", "B-28")
def test_a_gap_that_apache_kafka_may_have_left_costs_no_record_and_is_reported() -> None:
    disk, bases = kafkas(-2, -1)
    directory, opened = reopen(disk, PATH)
    assert opened.quarantined == ()
    told = [w for w in opened.warnings if "are missing before segment" in w]
    assert [f"before segment {base}:" in w for base, w in zip(bases[-2:], told, strict=True)]
    end = opened.logs[0].end
    assert {b.base_offset for b in read_batches(directory)} >= {*bases[-2:], end - 1}
    assert mark_of(disk) == layout.unbroken_file(end)
    # It is reported once: from now on all of that is on the medium.
    gaps = opened.logs[0].doubtful
    assert tuple(after for _, after in gaps) == tuple(bases[-2:])
    disk.crash(Unlucky())
    directory, again = reopen(disk, PATH)
    assert (again.quarantined, again.logs[0].end) == ((), end)
    assert not [w for w in again.warnings if "missing" in w]
    # The log goes on to tell of it, until what lies before has gone.
    assert again.logs[0].doubtful == gaps
    directory.run(MoveLogStart(PATH, KEY, bases[-2]))
    directory.run(WriteCheckpoints(PATH))
    disk.kill()
    assert reopen(disk, PATH)[1].logs[0].doubtful == gaps[1:]
    assert [n for n in disk.names(LOG) if n.startswith("missing-")] == [
        layout.missing_file(gaps[1])
    ]


@pytest.mark.spec("B-28")
def test_what_we_append_to_a_log_of_apache_kafkas_has_no_gap_of_its_own() -> None:
    disk, _ = kafkas(-1)
    directory, opened = reopen(disk, PATH)
    create(directory, segment_bytes=300)
    end = opened.logs[0].end
    for offset in range(end, end + 9):
        put(directory, offset, ("k", "x" * 20))
    disk.kill()
    shorten(disk, logs(disk)[-2], 0)
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert "nothing is there from" in bad.why


@pytest.mark.spec("B-28")
def test_indexes_that_tell_of_more_show_that_a_gap_is_a_loss() -> None:
    disk, bases = kafkas()
    shorten(disk, f"{bases[-2]:020d}.log", 0)
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert "and indexes tell of more" in bad.why


@pytest.mark.spec("B-28")
def test_a_gap_in_a_log_that_was_never_compacted_is_a_loss_whichever_broker_wrote_it() -> None:
    disk = with_records(close=False)
    disk.remove(f"{LOG}/{mark_of(disk)}")
    lost = logs(disk)[1]
    for kind in ("log", "index", "timeindex"):
        disk.remove(f"{LOG}/{lost.replace('log', kind)}")
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert "nothing is there from" in bad.why


# --- the mark ------------------------------------------------------------------------------------


def test_a_log_that_is_made_here_has_no_gap_at_all_and_says_so() -> None:
    disk, directory = compacted()
    log = directory.logs[KEY]
    for segment, later in pairwise(log.segments):
        assert segment.written_end() == later.base, "the cleaner keeps a segment's end"
    directory.run(Sweep(PATH, KEY))
    assert mark_of(disk) == layout.unbroken_file(0)
    disk.kill()
    reopen(disk, PATH)
    assert mark_of(disk) == layout.unbroken_file(0)


@pytest.mark.spec("B-28")
def test_a_segment_that_is_lost_below_the_recovery_point_is_seen() -> None:
    disk, directory = compacted()
    directory.run(Flush(PATH, KEY))
    directory.run(WriteCheckpoints(PATH))
    lost = directory.logs[KEY].segments[2].base
    disk.kill()
    shorten(disk, f"{lost:020d}.log", 0)
    for kind in ("index", "timeindex"):
        disk.remove(f"{LOG}/{lost:020d}.{kind}")
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert "nothing is there from" in bad.why


@pytest.mark.spec("B-28")
def test_a_cut_takes_the_mark_along() -> None:
    """What is appended behind it has no gap, although Apache Kafka's log had some there."""
    disk, bases = kafkas(-1)
    directory, _ = reopen(disk, PATH)
    create(directory, segment_bytes=300)
    cut = bases[3]
    directory.run(Truncate(PATH, KEY, cut))
    assert mark_of(disk) == layout.unbroken_file(cut)
    for offset in range(cut, cut + 12):
        put(directory, offset, ("k", "x" * 20))
    disk.kill()
    lost = next(name for name in logs(disk) if name > f"{cut:020d}")
    shorten(disk, lost, 0)
    (bad,) = reopen(disk, PATH)[1].quarantined
    assert "nothing is there from" in bad.why


def test_a_mark_outlives_a_power_cut_where_it_was_lowered() -> None:
    disk, bases = kafkas(-1)
    directory, _ = reopen(disk, PATH)
    directory.run(Truncate(PATH, KEY, bases[3]))
    disk.crash(Unlucky())
    assert mark_of(disk) == layout.unbroken_file(bases[3])


def test_a_mark_beyond_the_end_is_one_that_a_cut_did_not_reach() -> None:
    disk, directory = compacted()
    end = directory.logs[KEY].end
    disk.kill()
    disk.rename(f"{LOG}/{mark_of(disk)}", f"{LOG}/{layout.unbroken_file(end + 5)}")
    assert reopen(disk, PATH)[1].quarantined == ()
    assert mark_of(disk) == layout.unbroken_file(end)


def cut_in_a_gap() -> tuple[MemoryDisk, LogDirectory]:
    """A follower's log, cut to an offset that its leader's compaction has taken; none is synced."""
    disk, directory = fresh()
    create(directory, segment_bytes=300)
    for offset in (*range(8), 17, 18):
        put(directory, offset, ("k", "x" * 20))
    directory.run(Truncate(PATH, KEY, 12))
    return disk, directory


def test_a_segment_that_begins_behind_a_cut_between_two_batches_is_well() -> None:
    disk, directory = cut_in_a_gap()
    for offset in range(12, 20):
        put(directory, offset, ("k", "x" * 180))
    assert 12 in [segment.base for segment in directory.logs[KEY].segments]
    disk.kill()
    _, opened = reopen(disk, PATH)
    assert (opened.quarantined, opened.logs[0].end) == ((), 20)


def test_all_below_a_mark_is_on_the_medium() -> None:
    disk, _ = cut_in_a_gap()
    disk.crash(Unlucky())
    assert mark_of(disk) == layout.unbroken_file(12)
    directory, opened = reopen(disk, PATH)
    assert opened.quarantined == ()
    assert [b.base_offset for b in read_batches(directory)] == [*range(8)]


@pytest.mark.spec("B-31")
def test_an_accepted_loss_is_accepted_for_good() -> None:
    """Also where the checkpoint of recovery points is lost later."""
    disk, directory = compacted()
    base = directory.logs[KEY].segments[2].base
    disk.kill()
    shorten(disk, f"{base:020d}.log", 0)
    directory, opened = reopen(disk, PATH)
    assert opened.quarantined
    accept_loss(directory)
    end = directory.logs[KEY].end
    disk.crash(Unlucky())
    disk.remove(f"{PATH}/recovery-point-offset-checkpoint")
    _, opened = reopen(disk, PATH)
    assert (opened.quarantined, opened.logs[0].end) == ((), end)


def moving(gaps: tuple[int, ...] = (-2, -1)) -> tuple[MemoryDisk, LogDirectory, LogDirectory]:
    """Such a log, which is known to have gaps, in one directory, and an empty one for it."""
    disk, _ = kafkas(*gaps)
    source, _ = reopen(disk, PATH)
    source.run(WriteCheckpoints(PATH))
    format_at(disk, OTHER, seed=9)
    disk.settle()
    return disk, source, reopen(disk, OTHER, seed=3)[0]


def move(source: LogDirectory, target: LogDirectory) -> LoadedLog:
    """All of a move, from wherever it is."""
    create(target, FUTURE, segment_bytes=300)
    copy_all(source, target, most=2000)
    assert step(source, target, still=True).whole
    source.run(Discard(PATH, KEY, "delete", "b" * 32))
    return target.run(Promote(OTHER, FUTURE))


@pytest.mark.spec("B-21", "B-28")
def test_what_is_known_to_be_missing_moves_along() -> None:
    disk, source, target = moving()
    gaps = source.logs[KEY].doubtful
    assert len(gaps) == 2
    assert move(source, target).doubtful == gaps
    disk.crash(Unlucky())
    assert reopen(disk, OTHER)[1].logs[0].doubtful == gaps


@pytest.mark.spec("B-21", "B-28")
def test_what_is_known_to_be_missing_is_known_wherever_a_move_was_cut_off() -> None:
    """Of the logs that are there, the current one tells of it after each power cut."""
    directories: dict[int, tuple[LogDirectory, LogDirectory]] = {}
    _, source, _ = moving()
    gaps, end = source.logs[KEY].doubtful, source.logs[KEY].end

    def prepare() -> MemoryDisk:
        disk, source, target = moving()
        create(target, FUTURE, segment_bytes=300)
        copy_all(source, target, most=2000)
        target.run(Truncate(OTHER, FUTURE, 37))  # Some of it is copied again.
        directories[id(disk)] = (source, target)
        return disk

    def work(disk: MemoryDisk) -> None:
        move(*directories[id(disk)])

    def check(disk: MemoryDisk) -> None:
        source, old = reopen(disk, PATH)
        target, new = reopen(disk, OTHER, seed=5)
        assert (old.quarantined, new.quarantined) == ((), ())
        found = [log for log in (*old.logs, *new.logs) if not log.key.future]
        if not found:  # The source had got its last name, as the broker finds at its start.
            found = [target.run(Promote(OTHER, FUTURE))]
        elif found[0] in old.logs:
            assert found[0].doubtful == gaps
            found = [move(source, target)]
        assert [log.doubtful for log in found] == [gaps]
        disk.crash(Unlucky())
        (log,) = reopen(disk, OTHER)[1].logs
        assert (log.doubtful, log.end) == (gaps, end)
        assert mark_of(disk, f"{OTHER}/orders-3") == layout.unbroken_file(end)

    assert at_every_change(prepare, work, check, seeds=2) > 20


def test_a_copy_is_marked_before_its_swap_and_then_only_where_offsets_are_missing() -> None:
    """While appends are blocked for the swap no name has to be brought to the medium for it."""
    disk, source, target = moving()
    create(target, FUTURE, segment_bytes=300)
    copy_all(source, target, most=2000)
    assert step(source, target).copied == 0  # No cut has come between: what was copied is well.
    target.run(Flush(OTHER, FUTURE))
    future = target.logs[FUTURE]
    marked = mark_of(disk, future.path)
    assert marked == layout.unbroken_file(future.end)
    end = fill(source, 10)
    copy_all(source, target, most=2000)
    assert step(source, target, still=True).whole
    assert target.run(Promote(OTHER, FUTURE)).end == end
    assert mark_of(disk, f"{OTHER}/orders-3") == marked
    disk.crash(Unlucky())
    (log,) = reopen(disk, OTHER)[1].logs
    assert log.end == end


def test_a_copy_is_marked_again_where_offsets_are_missing_beyond_its_mark() -> None:
    disk, source, target = moving()
    create(target, FUTURE, segment_bytes=300)
    copy_all(source, target, most=2000)
    future = target.logs[FUTURE]
    unbroken.move(future, 10)
    assert step(source, target, still=True).whole
    assert mark_of(disk, future.path) == layout.unbroken_file(future.end)


def test_a_cut_of_its_source_takes_a_future_logs_mark_along() -> None:
    """The swap was called off: what is copied behind the cut may be lost in a power cut."""
    disk, source, target = moving()
    create(target, FUTURE, segment_bytes=300)
    copy_all(source, target, most=2000)
    assert step(source, target, still=True).whole
    future = target.logs[FUTURE]
    assert future.unbroken == future.end
    cut = source.logs[KEY].segments[3].base
    source.run(Truncate(PATH, KEY, cut))
    copy_all(source, target, most=2000)
    assert mark_of(disk, future.path) == layout.unbroken_file(cut)


def test_a_move_forgets_what_is_missing_no_more() -> None:
    """Retention takes it while the move is under way; what is reported of it goes with it."""
    disk, source, target = moving()
    gaps = source.logs[KEY].doubtful
    create(target, FUTURE, segment_bytes=300)
    copy_all(source, target)
    source.run(MoveLogStart(PATH, KEY, gaps[0][1]))
    assert move(source, target).doubtful == gaps[1:]
    disk.kill()
    assert reopen(disk, OTHER)[1].logs[0].doubtful == gaps[1:]


def test_a_cut_takes_what_was_missing_behind_it() -> None:
    """Other records take those offsets: nothing is missing there any more."""
    disk, source, _ = moving()
    gaps = source.logs[KEY].doubtful
    assert source.run(Truncate(PATH, KEY, gaps[0][0])).doubtful == ()
    for offset in range(gaps[0][0], gaps[1][1] + 5):
        put(source, offset, ("k", "x" * 20))
    disk.kill()
    assert reopen(disk, PATH)[1].logs[0].doubtful == ()


@pytest.mark.spec("B-26", "B-21")
def test_a_gap_of_apache_kafkas_moves_along() -> None:
    """The directory that a log moves to knows nothing of its recovery point yet."""
    disk, _ = kafkas(-2, -1)
    source, opened = reopen(disk, PATH)
    end = opened.logs[0].end
    format_at(disk, "/data/d2", seed=9)
    disk.settle()
    target, _ = reopen(disk, "/data/d2", seed=3)
    create(target, FUTURE, segment_bytes=300)
    copy_all(source, target)
    source.run(Discard(PATH, KEY, "delete", "b" * 32))
    target.run(Promote("/data/d2", FUTURE))
    disk.crash(Unlucky())
    _, opened = reopen(disk, "/data/d2")
    assert (opened.quarantined, opened.logs[0].end) == ((), end)
    assert not [w for w in opened.warnings if "missing" in w]
