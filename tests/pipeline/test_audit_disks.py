"""The audit of manifests against disks, and of disks by the numbers that producers left there."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from tests.pipeline.conftest import Desk
from tests.pipeline.made_logs import NOON, write
from tests.support.clients import flushed
from tests.support.page_words import words
from tests.support.waiting import eventually

from spindle.cli.app import main
from spindle.cli.demo.demo_load import DemoLoad, Drain
from spindle.client.results import NewTopic
from spindle.model.batches import Record, RecordBatch
from spindle.pipeline import auditing
from spindle.pipeline.session import Session
from spindle.wire.batch import NEXT, build

COLUMNS = ("topic", "partition", "offset", "producer", "sequence", "checksum")


def numbers(
    base: int, sequence: int, count: int = 5, producer: int = 9, epoch: int = 0
) -> RecordBatch:
    """A batch of an idempotent producer."""
    return build(
        [Record(NEXT, NOON, None, b"%d" % (sequence + n)) for n in range(count)],
        base_offset=base, producer_id=producer, producer_epoch=epoch, base_sequence=sequence,
    )  # fmt: skip


def manifest(path: Path, rows: Sequence[tuple[Any, ...]], columns: Sequence[str] = COLUMNS) -> str:
    """A manifest as a file of the kind that its name says."""
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([columns, *rows])
    else:
        lines = (json.dumps(dict(zip(columns, row, strict=True))) for row in rows)
        path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


@pytest.mark.spec("P-08")
def test_numbers_that_are_lost_doubled_late_or_removed(spark: Session, tmp_path: Path) -> None:
    most = (1 << 31) - 5
    logs = {
        "well-0": [numbers(0, most), numbers(5, 0), numbers(10, 7, producer=3), numbers(15, 5),
                   numbers(20, 0, epoch=1)],
        "lost-0": [numbers(0, 0), numbers(5, 7), numbers(10, 12)],
        "doubled-0": [numbers(0, 0), numbers(5, 5), numbers(10, 0), numbers(15, 10)],
        "late-0": [numbers(0, 0), numbers(5, 10), numbers(10, 5), numbers(15, 15)],
        "removed-0": [numbers(0, 0), numbers(9, 9), numbers(20, 14, producer=3)],
        "both-0": [numbers(0, 0), numbers(9, 12)],
    }  # fmt: skip
    for name, batches in logs.items():
        write(tmp_path, name, batches)
    found = auditing.count(spark, [], disks=[str(tmp_path)])
    rows = {Path(name).name: counts for name, counts in found.rows}
    nothing = dict.fromkeys(("lost", "doubled", "reordered", "removed", "damaged"), 0)
    expected = {
        "well-0": (25, {}), "lost-0": (15, {"lost": 2}), "doubled-0": (20, {"doubled": 5}),
        "late-0": (20, {"reordered": 5}), "removed-0": (15, {"removed": 4}),
        "both-0": (10, {"removed": 4, "lost": 3}),
    }  # fmt: skip
    assert rows == {
        name: {"records": records, **nothing, **faults}
        for name, (records, faults) in expected.items()
    }
    assert (found.sound, found.faulty) == (False, 4)
    assert found.counts == {
        "records": 105, "lost": 5, "doubled": 5, "reordered": 5, "removed": 8, "damaged": 0,
    }  # fmt: skip


@pytest.mark.spec("P-08")
def test_a_manifest_against_the_copies_on_several_disks(spark: Session, tmp_path: Path) -> None:
    batches = [numbers(0, 0), numbers(5, 5), numbers(10, 10)]
    for disk in ("a", "b"):
        write(tmp_path / disk, "t-0", batches)
    rows = [("t", 0, n, 1, n, zlib.crc32(b"%d" % n)) for n in range(14)]
    disks = [str(tmp_path / "a"), str(tmp_path / "b")]
    whole = auditing.count(spark, [manifest(tmp_path / "made.json", rows)], disks=disks)
    assert whole.sound
    assert whole.counts["acknowledged"] == 14
    assert (whole.counts["consumed"], whole.counts["unacknowledged"]) == (15, 1)
    torn = [*rows[:5], ("t", 0, 5, 1, 5, 77), *rows[6:], ("t", 0, 99, 1, 99, 1),
            ("t", 7, 0, 1, 100, 1)]  # fmt: skip
    found = auditing.count(spark, [manifest(tmp_path / "made.csv", torn)], disks=disks)
    assert (found.counts["lost"], found.counts["changed"]) == (2, 1)
    assert [(name, c["lost"], c["changed"]) for name, c in found.rows] == [
        ("t-0", 1, 1), ("t-7", 1, 0),
    ]  # fmt: skip


@pytest.mark.spec("P-08")
def test_the_command_on_manifests(
    spark: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("t", n % 2, n // 2, 1, n, n) for n in range(20)]
    made = manifest(tmp_path / "made.json", rows)
    got = manifest(tmp_path / "got.csv", [r[:3] for r in rows[1:]] + [rows[3][:3]], COLUMNS[:3])
    picture = tmp_path / "page.html"
    with pytest.raises(SystemExit) as left:
        main(["audit", "--produced", made, "--consumed", got, "--report", str(picture), "--json"])
    assert left.value.code == 1
    document = json.loads(capsys.readouterr().out)
    counts = {"acknowledged": 20, "consumed": 20, "lost": 1, "doubled": 1, "changed": 0,
              "reordered": 0, "unacknowledged": 0}  # fmt: skip
    assert document["counts"] == counts
    assert "topic and partition and offset" in document["basis"]
    assert "1 lost, 1 doubled" in words(picture.read_text())
    others = manifest(tmp_path / "all.json", [*rows, ("another", 0, 0, 1, 20, 1)])
    with pytest.raises(SystemExit) as left:
        main(["audit", "--produced", made, "--consumed", others, "--topic-list", "t"])
    assert left.value.code in (0, None)
    said = capsys.readouterr().out
    assert "20 records: each is there, once" in said
    assert "another" not in said
    for wrong in (["--produced", made], ["--consumed", got], []):
        with pytest.raises(SystemExit) as left:
            main(["audit", *wrong])
        assert left.value.code == 2
    broken = tmp_path / "half.csv"
    broken.write_text("topic,offset\nt,1\n")
    with pytest.raises(SystemExit):
        main(["audit", "--produced", str(broken), "--consumed", got])
    assert "no column partition" in capsys.readouterr().err


@pytest.mark.spec("P-08", "N-06")
def test_what_was_not_judged_is_said_and_nothing_to_compare_is_no_success(
    spark: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    batches = [build([Record(NEXT, NOON, None, b"x")], base_offset=0)]
    write(tmp_path / "plain", "t-0", batches)
    write(tmp_path / "plain", "__cluster_metadata-0", batches)
    with pytest.raises(SystemExit) as left:
        main(["audit", "--log-dir", str(tmp_path / "plain")])
    assert left.value.code == 6
    out = capsys.readouterr().out
    assert "nothing to compare: no idempotent producer wrote these logs" in out
    assert "Not judged: values are not compared, and a log that ends too early" in out
    assert "__cluster_metadata" not in out, "no client's records"
    bare = manifest(tmp_path / "made.csv", [("t", 0, 0)], COLUMNS[:3])
    with pytest.raises(SystemExit) as left:
        main(["audit", "--produced", bare, "--consumed", bare])
    assert left.value.code in (0, None)
    lines = capsys.readouterr().out.splitlines()
    assert "Not judged: values were not compared: a manifest has no checksums" in lines
    assert [line for line in lines if line.startswith("Not judged: the order was not compared")]


@pytest.mark.spec("P-08")
def test_brokers_that_served_a_load_are_sound_in_all_three_ways(
    spark: Session, desk: Desk, tmp_path: Path
) -> None:
    desk.ask("create_topics", [NewTopic("audited", 2, 2)])
    load = DemoLoad(desk.bootstrap, "audited", [2.0, 1.0], 2000.0, 300)
    drain = Drain(desk.bootstrap, "audited", "auditors")
    load.start()
    drain.start()
    try:
        idle = Producer({"bootstrap.servers": desk.bootstrap, "enable.idempotence": True})
        for n in range(50):
            idle.produce("audited", b"%020d" % n, partition=n % 2)
        flushed(idle, 60)
        eventually(lambda: len(load.acknowledged) > 1000, "the load is written", 60)
    finally:
        load.finish()
    assert load.failed == []
    wanted = len(load.acknowledged) + 50
    eventually(lambda: len(drain.consumed) >= wanted, "all of it is consumed", 60)
    drain.finish()
    rows = [*zip(*(load.acknowledged.columns()[name] for name in COLUMNS), strict=True)]
    made = manifest(tmp_path / "made.json", rows)
    mine = [*zip(*(drain.consumed.columns()[name] for name in COLUMNS), strict=True)]
    got = manifest(tmp_path / "got.json", [row for row in mine if row[3] == 1])
    disks = [str(path) for broker in desk.cluster.brokers for path in broker.log_dirs]
    consumed = auditing.count(spark, [made], [got])
    assert consumed.sound
    assert consumed.counts["acknowledged"] == consumed.counts["consumed"] == len(rows) > 1000
    on_disk = auditing.count(spark, [made], disks=disks, topics=["audited"])
    assert on_disk.sound
    assert on_disk.counts["consumed"] == len(rows) + 50
    numbered = auditing.count(spark, [], disks=disks, topics=["audited"])
    assert numbered.sound
    assert numbered.counts["records"] == 2 * (len(rows) + 50)
    desk.drop("audited")
