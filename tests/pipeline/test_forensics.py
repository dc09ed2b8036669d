"""Whole log directories: what they hold, what is damaged, and what of it can be saved."""

from __future__ import annotations

import json
import os
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from tests.pipeline.made_logs import NOON, some_batches, write

from spindle.cli.app import main
from spindle.model.batches import CONTROL, TRANSACTIONAL, Record
from spindle.pipeline import auditing
from spindle.pipeline.forensics import examine
from spindle.pipeline.session import Session
from spindle.wire.batch import NEXT, build

UNIQUE = "0123456789abcdef0123456789abcdef"


def a_disk(home: Path) -> Path:
    """A log of each kind; t-0 is damaged in its middle, u-0 at its end, x-0 altogether."""
    disk = home / "disk"
    batches = some_batches(1, 40)
    for name in ("t-0", f"t-0.{UNIQUE}-future", "t-0.2026-bad"):
        write(disk, name, batches)
    segment = disk / "t-0" / "00000000000000000000.log"
    raw = bytearray(segment.read_bytes())
    at = sum(b.size for b in batches[:20])
    raw[at + 30] ^= 1
    segment.write_bytes(raw)
    copy = disk / "t-0.2026-bad" / segment.name
    copy.write_bytes(copy.read_bytes()[: at - 10])
    torn = write(disk, "u-0", some_batches(2, 10))
    torn.write_bytes(torn.read_bytes()[:-5])
    nothing = write(disk, "x-0", some_batches(3, 2))
    nothing.write_bytes(os.urandom(3000))
    for path in disk.glob("*/*.log"):
        os.utime(path, (1, 1))
    write(disk, f"u-1.{UNIQUE}-delete", some_batches(4, 3))
    write(disk, f"v-2.{UNIQUE}-stray", some_batches(5, 3))
    (disk / "lost+found").mkdir()
    (disk / "meta.properties").write_text("version=1\n")
    return disk


@pytest.mark.spec("P-09")
def test_every_log_is_listed_and_what_of_it_can_be_saved(spark: Session, tmp_path: Path) -> None:
    disk = a_disk(tmp_path)
    batches = some_batches(1, 40)
    found = examine(spark, [str(disk)])
    logs = {log.log: log for log in found.logs}
    assert {name: log.kind for name, log in logs.items()} == {
        "t-0": "current", f"t-0.{UNIQUE}-future": "future", "t-0.2026-bad": "other",
        "u-0": "current", "x-0": "current", f"u-1.{UNIQUE}-delete": "delete",
        f"v-2.{UNIQUE}-stray": "stray",
    }  # fmt: skip
    hurt, whole = logs["t-0"], logs[f"t-0.{UNIQUE}-future"]
    lost = batches[20].record_count
    assert whole.verdict == "whole"
    assert (hurt.well.batches, whole.well.batches) == (39, 40)
    assert hurt.well.records == whole.well.records - lost
    assert (hurt.damage.damages, hurt.damage.lost_at_most, hurt.well.missing) == (1, lost, lost)
    assert (hurt.well.first_offset, hurt.well.end_offset) == (0, batches[-1].next_offset)
    assert hurt.well.codecs == ("gzip", "lz4", "none", "snappy", "zstd")
    assert hurt.verdict.endswith(f"1 damaged range of at most {lost:,} offsets")
    assert logs["u-0"].damage.torn
    assert logs["u-0"].verdict.startswith(f"whole up to offset {logs['u-0'].well.end_offset};")
    assert logs["x-0"].verdict == "nothing can be read"
    (damage,) = [d for d in found.damages if d.log == "t-0"]
    assert (damage.first_offset, damage.last_offset) == (
        batches[20].base_offset, batches[20].last_offset,
    )  # fmt: skip
    assert "CRC" in damage.error
    assert damage.copy == f"{disk}/t-0.{UNIQUE}-future"
    assert damage.copied == lost
    assert (found.logs_in_all, found.sound) == (7, False)
    assert found.damages_in_all == len(found.damages)
    only = examine(spark, [str(disk)], ["v"])
    assert [log.log for log in only.logs] == [f"v-2.{UNIQUE}-stray"]
    assert only.sound


@pytest.mark.spec("P-09")
def test_transactions_gaps_and_several_segments_are_counted(spark: Session, tmp_path: Path) -> None:
    def batch(base: int, flags: int = TRANSACTIONAL, count: int = 2) -> bytes:
        some = [Record(NEXT, NOON, None, b"v") for _ in range(count)]
        made = build(some, base_offset=base, attributes=flags, producer_id=1, base_sequence=base)
        return bytes(made.data)

    log = tmp_path / "t-0"
    log.mkdir()
    first = log / "00000000000000000000.log"
    first.write_bytes(batch(0) + batch(2, TRANSACTIONAL | CONTROL, 1))
    (log / "00000000000000000010.log").write_bytes(batch(10, 0))
    first.with_suffix(".txnindex").write_bytes(struct.pack(">hqqqq", 0, 1, 0, 2, 3))
    found = examine(spark, [str(tmp_path)])
    (told,) = found.logs
    assert told.segments == 2
    well = told.well
    assert (well.batches, well.records, well.missing) == (3, 5, 7)
    assert (well.control, well.transactional, well.aborted) == (1, 2, 1)
    assert told.verdict == "whole"
    assert replace(found, damages_in_all=1).sound is False


@pytest.mark.spec("P-09")
def test_the_command_tells_people_scripts_and_eyes(
    spark: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    disk = a_disk(tmp_path)
    picture = tmp_path / "page.html"
    with pytest.raises(SystemExit) as left:
        main(["forensics", str(disk), "--json", "--report", str(picture)])
    assert left.value.code == 1
    told = json.loads(capsys.readouterr().out)
    assert told["logsInAll"] == len(told["logs"]) == 7
    assert {log["log"] for log in told["logs"][:3]} <= {"t-0", "t-0.2026-bad", "u-0", "x-0"}
    page = picture.read_text()
    assert page.count('class="track"') >= 3, "a picture of each damaged log"
    assert page.count('class="fault"') >= 2
    assert page.index("What is wrong") < page.index("Damaged logs") < page.index("<details")
    assert "nothing can be read" in page
    with pytest.raises(SystemExit):
        main(["forensics", str(disk), "--topic-list", "t"])
    text = capsys.readouterr().out
    assert "t-0.2026-bad" in text
    assert "logs, " in text.splitlines()[-1]
    with pytest.raises(SystemExit) as left:
        main(["forensics", str(disk), "--topic-list", "v"])
    assert left.value.code in (0, None)
    assert "nothing is damaged" in capsys.readouterr().out


@pytest.mark.spec("P-09")
def test_a_path_that_is_not_there_is_named(
    spark: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["forensics", str(tmp_path / "nowhere")])
    assert left.value.code == 1
    told = capsys.readouterr().err
    assert f"there is no log directory {tmp_path / 'nowhere'}" in told
    lines = told.splitlines()
    assert [line.startswith("error:") for line in lines] == [False] * (len(lines) - 1) + [True]
    (tmp_path / "mount").mkdir()
    with pytest.raises(SystemExit) as left:
        main(["forensics", str(tmp_path / "mount")])
    assert left.value.code == 6
    assert "no log was found: is the disk mounted there?" in capsys.readouterr().out


@pytest.mark.spec("P-09")
def test_a_disk_that_cannot_even_be_listed_is_a_row_beside_the_others(
    spark: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "good", "t-0", some_batches(1, 2))
    dead = tmp_path / "dead"
    dead.symlink_to(dead)  # Opening it is an error, for root too.
    with pytest.raises(SystemExit) as left:
        main(["forensics", str(tmp_path / "good"), str(dead), "--json"])
    assert left.value.code == 1
    told = json.loads(capsys.readouterr().out)
    assert [(log["log"], log["verdict"]) for log in told["logs"]] == [("t-0", "whole")]
    (damage,) = told["damages"]
    assert (damage["disk"], damage["topic"], damage["log"]) == (str(dead), None, "")
    assert damage["error"].startswith("cannot be listed")
    with pytest.raises(SystemExit):
        main(["forensics", str(dead)])
    assert str(dead) in capsys.readouterr().out
    found = auditing.count(spark, [], disks=[str(tmp_path / "good"), str(dead)])
    assert (found.sound, found.counts["damaged"]) == (False, 1)
