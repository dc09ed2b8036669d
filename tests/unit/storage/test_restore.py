"""`Restore`: a discarded log gets its name back."""

from __future__ import annotations

import pytest
from tests.support.storage import KEY, append, batch, create, fill, fresh, read_values, reopen

from spindle.model.errors import LogFailed
from spindle.model.jobs import (
    Discard,
    Restore,
)


def test_a_discarded_log_is_as_before() -> None:
    disk, directory = fresh()
    create(directory, segment_bytes=500)
    fill(directory, 40)
    before = read_values(directory)
    name = directory.run(Discard(directory.path, KEY, "delete", "0" * 32))
    log = directory.run(Restore(directory.path, KEY, name))
    assert (log.start, log.end) == (0, 40)
    assert read_values(directory) == before
    append(directory, batch(40, [b"more"]))
    disk.kill()
    directory, opened = reopen(disk, directory.path)
    assert [found.end for found in opened.logs] == [41]
    assert opened.deleted == ()


def test_not_over_another_log() -> None:
    _, directory = fresh()
    create(directory)
    name = directory.run(Discard(directory.path, KEY, "delete", "0" * 32))
    create(directory)
    with pytest.raises(LogFailed, match="already"):
        directory.run(Restore(directory.path, KEY, name))


@pytest.mark.spec("B-28")
def test_after_a_restart_every_byte_is_looked_at() -> None:
    """Nothing tells how much of a log that waited for its end was on the medium."""
    disk, directory = fresh()
    # Each batch has an index entry: what trusts an index looks at the last batch alone.
    create(directory, segment_bytes=1000, index_interval_bytes=1)
    fill(directory, 40)
    name = directory.run(Discard(directory.path, KEY, "delete", "0" * 32))
    disk.kill()
    disk.rot(f"{directory.path}/{name}/{0:020d}.log", 200, 4)
    directory, _ = reopen(disk, directory.path)
    with pytest.raises(LogFailed, match="segment 0 is damaged"):
        directory.run(Restore(directory.path, KEY, name))


@pytest.mark.spec("B-28")
def test_after_a_restart_what_is_good_is_there_as_before() -> None:
    """Nothing is known of its end, so nothing that is there is too little."""
    disk, directory = fresh()
    create(directory, segment_bytes=500)
    fill(directory, 40)
    before = read_values(directory)
    name = directory.run(Discard(directory.path, KEY, "delete", "0" * 32))
    disk.kill()
    directory, _ = reopen(disk, directory.path)
    log = directory.run(Restore(directory.path, KEY, name))
    assert (log.start, log.end, log.warnings) == (0, 40, ())
    assert read_values(directory) == before
