"""A real process on a real disk is killed (SIGKILL) while it appends, rolls, syncs and moves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from tests.support.processes import tied
from tests.support.storage import (
    FUTURE,
    KEY,
    append,
    batch,
    check_log,
    copy_all,
    create,
    fill,
    format_at,
    read_values,
    reopen,
)

from spindle.model.copying_jobs import MarkCopy
from spindle.model.jobs import (
    Close,
    Discard,
    Flush,
    Promote,
)
from spindle.runtime.os_disk import OsDisk

ROOT = Path(__file__).parents[2]
SMALL = {"segment_bytes": 20_000, "index_interval_bytes": 1000}


def appender(path: str) -> None:
    """Append for ever; say each end once it is acknowledged."""
    directory, opened = reopen(OsDisk(), path)
    create(directory, **SMALL)
    end = opened.logs[0].end if opened.logs else 0
    number = 0
    while True:
        values = [f"{end + n} ".encode() * 30 for n in range(1 + number % 7)]
        made = batch(end, values, epoch=end // 1000, at=end)
        end = append(directory, made, sync=number % 10 == 0)
        number += 1
        print(end, flush=True)


def mover(path: str) -> None:
    """Move the log to and fro between two directories for ever; say each completed move."""
    disk = OsDisk()
    places = [reopen(disk, f"{path}/{name}", seed=os.getpid()) for name in ("d1", "d2")]
    has = [any(log.key == KEY for log in opened.logs) for _, opened in places]
    assert sum(has) == 1, "one current log"
    here = has.index(True)
    moves = 0
    while True:
        source, target = places[here][0], places[1 - here][0]
        create(target, FUTURE, **SMALL)
        fill(source, 6)
        copy_all(source, target, 30_000)
        target.run(Flush(target.path, FUTURE))
        source.run(Discard(source.path, KEY, "delete", f"{os.getpid():016x}{moves:016x}"))
        target.run(Promote(target.path, FUTURE))
        here, moves = 1 - here, moves + 1
        print(moves, flush=True)


def killed_after(role: str, path: str, lines: int) -> list[int]:
    """Run a role in a process of its own, kill it after so many lines; the lines."""
    command = [sys.executable, "-m", "tests.crash.test_killed_process", role, path]
    with subprocess.Popen(tied(command), cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [int(process.stdout.readline()) for _ in range(lines)]
        process.send_signal(signal.SIGKILL)
        said += [
            int(line)
            for line in process.stdout.read().splitlines(keepends=True)
            if line[-1] == "\n"
        ]
        return said


def test_what_a_killed_process_acknowledged_is_there(tmp_path: Path) -> None:
    """The kernel lives on: not even what was not synced may be missing."""
    path = f"{tmp_path}/d1"
    disk = OsDisk()
    disk.make_dirs(path)
    format_at(disk, path)
    rng = Random(7)
    for _ in range(6):
        acknowledged = killed_after("append", path, rng.randrange(1, 400))[-1]
        directory, opened = reopen(disk, path)
        (loaded,) = opened.logs
        assert loaded.end >= acknowledged
        check_log(directory, loaded)
        values = read_values(directory)
        assert values == {o: f"{o} ".encode() * 30 for o in range(loaded.end)}
        create(directory, **SMALL)
        if rng.random() < 0.5:
            directory.run(Close(path, 1))
        else:
            directory._let_go()


@pytest.mark.spec("K113-15", "K113-19")
def test_a_move_that_is_killed_anywhere_leaves_all_records_once(tmp_path: Path) -> None:
    disk = OsDisk()
    for number, name in enumerate(("d1", "d2")):
        disk.make_dirs(f"{tmp_path}/{name}")
        format_at(disk, f"{tmp_path}/{name}", seed=number)
    source, _ = reopen(disk, f"{tmp_path}/d1")
    create(source, **SMALL)
    end = fill(source, 400)
    source._let_go()
    rng = Random(11)
    for _ in range(6):
        killed_after("move", str(tmp_path), rng.randrange(1, 6))
        places = [reopen(disk, f"{tmp_path}/{name}") for name in ("d1", "d2")]
        current = [(d, log) for d, o in places for log in o.logs if log.key == KEY]
        future = [(d, log) for d, o in places for log in o.logs if log.key == FUTURE]
        if not current:
            # Between the two renames: the future log is whole, and is promoted (K113-16).
            ((directory, _),) = future
            current = [(directory, directory.run(Promote(directory.path, FUTURE)))]
            future = []
        ((directory, loaded),) = current
        assert loaded.end >= end
        end = loaded.end
        check_log(directory, loaded)
        assert set(read_values(directory)) == set(range(end))
        for target, log in future:
            mark = target.run(MarkCopy(target.path, FUTURE))
            assert mark.end == log.end
            copy_all(directory, target, 30_000)
            assert set(read_values(target, FUTURE)) == set(range(end))
        for place, _ in places:
            place._let_go()


if __name__ == "__main__":
    {"append": appender, "move": mover}[sys.argv[1]](sys.argv[2])
