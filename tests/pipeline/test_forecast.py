"""Which directory fills first, and when; what if: on histories by hand, held-back days judge."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.pipeline.samples import NOON, row, samples
from tests.support.commands import call

from spindle.cli.balance import report
from spindle.model.errors import Unusable
from spindle.pipeline import directory_loads, forecast, history, past_samples, small_history
from spindle.pipeline.device_growth import Stretches, lines
from spindle.pipeline.forecast import Filling
from spindle.pipeline.growth import fit
from spindle.pipeline.history_files import file_of
from spindle.pipeline.past_samples import BUCKETS, PastSamples, course, of_last_days
from spindle.pipeline.proposal import PlanRequest
from spindle.pipeline.schemas import SAMPLE, arrow
from spindle.pipeline.session import Session
from spindle.pipeline.what_if import Answer, Changes, NewDisk, what_if, what_if_here
from spindle.planning.load import Band

GIB = 1 << 30
HOUR = timedelta(hours=1)
TOTAL = 1000 * GIB


def size_of(name: str, hour: int) -> int | None:
    """Bytes of a replica so many hours after the beginning; None: it is not there."""
    busy = [1.0 + 0.6 * (h >= 12) for h in range(24)]
    whole = hour // 24 * 24 + sum(busy[: hour % 24]) / sum(busy) * 24
    match name:
        case "growing-0":  # 1 GiB an hour at the mean, by day more than by night.
            return round((100 + whole) * GIB)
        case "retained-0":  # 2 GiB an hour, and each half day 24 GiB go: it stays as it is.
            return (100 + 2 * hour - 24 * (hour // 12)) * GIB
        case "anew-0":  # Deleted and made again in the middle; 0.25 GiB an hour.
            return round((300 if hour < 100 else -24) * GIB + 0.25 * hour * GIB)
        case "late-0":  # Made after two days, with 50 GiB at once; 0.5 GiB an hour.
            return None if hour < 48 else round((50 + 0.5 * (hour - 48)) * GIB)
        case "moved-0":  # Moved from /b to /a in the middle; 0.5 GiB an hour.
            return round((80 + 0.5 * hour) * GIB)
    raise AssertionError(name)


HOMES = {
    "growing-0": "/a", "retained-0": "/a", "anew-0": "/b", "late-0": "/b", "moved-0": "/b",
}  # fmt: skip


def home(name: str, hour: int) -> str:
    return "/a" if name == "moved-0" and hour >= 120 else HOMES[name]


def used(directory: str, hour: int) -> int:
    there = [n for n in HOMES if home(n, hour) == directory]
    return sum(size_of(n, hour) or 0 for n in there)


def story(hours: int, hour_lasts: timedelta = HOUR, step: int = 1) -> Iterator[dict[str, Any]]:
    """Samples of one broker with /a and /b, a step of hours apart; five hours are missing."""
    for hour in range(0, hours, step):
        if 60 <= hour < 65:
            continue
        for name in HOMES:
            size = size_of(name, hour)
            if size is not None:
                place = home(name, hour)
                free = TOTAL - used(place, hour)
                yield row(1, place, name, size, usable=free, total_bytes=TOTAL + len(place),
                          at=NOON + hour * hour_lasts)  # fmt: skip


@pytest.fixture(scope="module")
def fillings(spark: Session) -> dict[str, Filling]:
    found = forecast.forecast(PastSamples(samples(spark, list(story(7 * 24)))))
    return {f.path: f for f in found}


@pytest.mark.spec("P-12")
def test_the_directory_that_fills_first_is_named_with_its_day(fillings: dict[str, Filling]) -> None:
    """7 days of history; the days after them, which it has not seen, judge: within 10 %."""
    assert list(fillings) == ["/a", "/b"]
    now = NOON + (7 * 24 - 1) * HOUR
    for path, filling in fillings.items():
        hour = next(h for h in range(7 * 24, 10_000) if used(path, h) >= TOTAL)
        truth = (NOON + hour * HOUR - now).total_seconds() / 86400
        assert filling.at == now
        earliest, expected, latest = filling.full_at()
        assert expected is not None
        assert (expected - now) / timedelta(days=1) == pytest.approx(truth, rel=0.10), path
        assert earliest is not None
        assert earliest <= expected <= (latest or expected)
        assert filling.used == used(path, 7 * 24 - 1)
        assert filling.capacity == TOTAL


@pytest.mark.spec("P-12")
def test_growth_lines_end_with_what_is_there(fillings: dict[str, Filling]) -> None:
    for filling in fillings.values():
        assert filling.line[-1][1] == filling.used
        moments = [at for at, _ in filling.line]
        assert moments == sorted(moments)
        assert len(moments) <= BUCKETS + 1


@pytest.mark.spec("P-12")
def test_directories_on_one_device_fill_together_and_no_later_than_it_does(spark: Session) -> None:
    """/a grows by 3 GiB an hour, /b by 1 GiB; 400 GiB are free for both and not for each."""
    rows = []
    for hour in range(49):
        a, b = (100 + 3 * hour) * GIB, (50 + hour) * GIB
        free = 400 * GIB + 4 * (48 - hour) * GIB
        at = NOON + hour * HOUR
        rows += [
            row(1, "/a", "t-0", a, usable=free, total_bytes=TOTAL, at=at),
            row(1, "/b", "t-1", b, usable=free, total_bytes=TOTAL, at=at),
            row(1, "/own", "t-2", a, usable=free, total_bytes=TOTAL + GIB, at=at),
        ]
    shared, alone = forecast.forecast(PastSamples(samples(spark, rows)))
    assert (shared.paths, shared.path, alone.paths) == (("/a", "/b"), "/a, /b", ("/own",))
    assert (shared.used, shared.capacity) == (342 * GIB, 742 * GIB)
    assert shared.course is not None
    assert shared.course.slope * 3600 == pytest.approx(4 * GIB, rel=0.01)
    assert hours_left(shared) == pytest.approx(100, rel=0.01)
    assert hours_left(alone) == pytest.approx(400 / 3, rel=0.01)
    assert shared.line[-1][1] == shared.used
    assert (shared.hours, shared.samples) == (48.0, 49)


def hours_left(filling: Filling) -> float:
    expected = filling.full_at()[1]
    assert expected is not None
    return (expected - filling.at) / HOUR


def test_without_growth_nothing_fills(spark: Session) -> None:
    rows = [row(1, "/a", "t-0", 5, at=NOON + n * HOUR) for n in range(49)]
    (found,) = forecast.forecast(PastSamples(samples(spark, rows)))
    assert found.course is not None
    assert (found.full_at(), found.course.slope) == ((None, None, None), 0.0)
    assert forecast.forecast(PastSamples(samples(spark, []))) == []


@pytest.mark.spec("P-12")
def test_with_too_little_history_nothing_is_forecast(spark: Session) -> None:
    """Though it grows: in a few hours that may be a load that is soon over."""
    hours = {1: range(48), 2: range(0, 48, 12), 3: range(1)}
    rows = [
        row(broker, "/a", "t-0", GIB * (5 + n), at=NOON + n * HOUR)
        for broker, own in hours.items()
        for n in own
    ]
    found = {f.broker: f for f in forecast.forecast(PastSamples(samples(spark, rows)))}
    short, sparse, alone = (found[broker] for broker in hours)
    assert (short.course, short.full_at()) == (None, (None, None, None))
    assert short.lacking == "too little history: 48 samples in 1 d 23 h; it takes 8 in 48 h"
    assert sparse.lacking.startswith("too little history: 4 samples in 1 d 12 h")
    assert alone.lacking == "no history of what lies there"


def test_only_the_last_days_count(spark: Session) -> None:
    rows = [row(1, "/a", "t-0", n, at=NOON + n * HOUR) for n in range(72)]
    kept = of_last_days(samples(spark, rows), days=1.0)
    assert kept.count() == 25


DAYS = 3.5
"""Of a history of samples that are close together: those that count."""


@pytest.mark.spec("V-07")
def test_of_a_dense_history_few_files_tell_the_same(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each hour for four days, of which three and a half count: half of the files are opened.

    Growth is looked at each two hours: a quarter as often as else, for a quarter of the files.
    """
    for module in (forecast, past_samples):
        monkeypatch.setattr(module, "BUCKETS", BUCKETS // 4)
    by_moment: dict[datetime, list[dict[str, Any]]] = {}
    for told in story(15 * 24, HOUR / 4, 4):
        by_moment.setdefault(told["sampled_at"], []).append(told)
    for rows in by_moment.values():
        keep(tmp_path, rows)
    every = of_last_days(history.read(spark, tmp_path), DAYS)
    past = course(spark, tmp_path, DAYS)
    assert (len(by_moment), len(past.files)) == (88, 44)
    few = forecast.forecast(past)
    assert few == forecast.forecast(PastSamples(every))
    history.compact(spark, tmp_path)
    assert few == forecast.forecast(course(spark, tmp_path, DAYS)), "moments that no name tells"


def test_what_a_history_holds_is_shown(spark: Session) -> None:
    rows = [row(1, "/a", "t-0", 100 + n, at=NOON + n * HOUR) for n in range(3)]
    rows += [row(1, "/a", "t-1", 7, at=NOON + 2 * HOUR, is_future=True)]
    (found,) = forecast.summary(samples(spark, rows))
    assert (found["samples"], found["was"], found["is"]) == (3, 100, 102)
    assert found["first"] == "2026-03-01 12:00:00"


@pytest.mark.spec("P-12")
def test_a_plan_is_made_for_what_will_be(spark: Session, tmp_path: Path) -> None:
    """Even now, uneven in ten days: the plan moves what grows, and says the sizes of now."""
    rows = []
    for hour in range(48):
        for directory, topic in (("/a", "hot"), ("/b", "cold")):
            for n in range(4):
                size = 100 * GIB + (n + 1) * hour * GIB // 20 * (topic == "hot")
                rows.append(
                    row(1, directory, f"{topic}-{n}", size, usable=400 * GIB,
                        total_bytes=TOTAL + len(topic), at=NOON + hour * HOUR)
                )  # fmt: skip
    history.append(samples(spark, rows), tmp_path)
    wanted = PlanRequest(Band(0.05, 0.95))
    now = what_if(spark, tmp_path, wanted, Changes())
    assert now.proposal.moves == ()
    later = what_if(spark, tmp_path, wanted, Changes(ahead=10.0))
    assert later.proposal.moves
    assert {m.source for m in later.proposal.moves if m.topic == "hot"} == {"/a"}
    sizes = {r["topic"] + "-" + str(r["partition"]): r["size"] for r in rows[-8:]}
    assert all(m.size == sizes[m.name] for m in later.proposal.moves), "bytes as they are now"


def keep(home: Path, rows: list[dict[str, Any]]) -> None:
    """Add a sample to a history, as what needs no Spark does it."""
    file = home / file_of(max(told["sampled_at"] for told in rows))
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=arrow(SAMPLE)), file)


def three_disks(folder: Path, *sizes: int) -> None:
    rows = []
    for broker in (1, 2):
        for number, directory in enumerate(("/a", "/b", "/c")):
            rows += [
                row(broker, directory, f"{directory[1]}-{n}", size, usable=1000 - sum(sizes),
                    total_bytes=1000 + number, at=NOON)
                for n, size in enumerate(sizes)
            ]  # fmt: skip
    keep(folder, rows)


def here(home: Path, wanted: PlanRequest, changes: Changes) -> Answer:
    """What would be, as commands find it of small histories: without Spark.

    `test_single_sample` holds that Spark's answers are the same.
    """
    kept = small_history.read(home)
    assert kept is not None
    return what_if_here(small_history.newest(kept), wanted, changes)


WANTED = PlanRequest(Band(0.05, 0.9))


@pytest.mark.spec("P-05")
def test_a_new_disk_is_filled_and_one_to_be_drained_is_emptied(
    spark: Session, tmp_path: Path
) -> None:
    three_disks(tmp_path, *[50] * 8)
    added = what_if(spark, tmp_path, WANTED, Changes(add=(NewDisk(1, "/new", 1000),)))
    assert added.possible
    after = {d.name: d.after for d in added.proposal.directories}
    assert after["1:/new"] == 300
    assert {m.broker for m in added.proposal.moves} == {1}
    drained = what_if(spark, tmp_path, PlanRequest(WANTED.band, ("2:/c",)), Changes())
    assert drained.possible
    assert {d.name: d.after for d in drained.proposal.directories}["2:/c"] == 0


@pytest.mark.spec("P-05")
def test_what_is_lost_and_whether_it_finds_room_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    three_disks(tmp_path, *[50] * 8)
    fits = here(tmp_path, WANTED, Changes(lose=("1:/a",)))
    assert fits.possible
    assert fits.proposal.notes[0].startswith("8 replicas are lost with it")
    assert not [n for n in fits.proposal.notes if "no other copy" in n], "broker 2 has all"
    both = here(tmp_path, WANTED, Changes(lose=("1:/a", "2:/a")))
    (alone,) = [n for n in both.proposal.notes if "no other copy" in n]
    assert alone.startswith("8 partitions have no other copy, their records are lost: a-0, a-1, ")
    assert alone.endswith(" and 3 more")
    report.show(both.proposal, both.lost)
    rows = [line.replace("|", " ").split() for line in capsys.readouterr().out.splitlines()]
    states = {tuple(row[:2]): row[2] for row in rows if len(row) > 2 and row[1].startswith("/")}
    assert {place for place, state in states.items() if state == "lost"} == {
        ("1", "/a"),
        ("2", "/a"),
    }
    assert "online" in states.values()


@pytest.mark.spec("P-05")
def test_why_no_plan_exists_is_said_even_where_the_sum_would_fit(tmp_path: Path) -> None:
    three_disks(tmp_path, 350, 350)
    answer = here(tmp_path, PlanRequest(WANTED.band, ("1:/a",)), Changes())
    assert not answer.possible
    (why,) = answer.against
    assert why.startswith("broker 1: /a cannot be emptied: ")
    assert "in one directory at most, and a-" in why
    assert list(tmp_path.glob("day=*/*")), "the history is as it was"


@pytest.mark.spec("P-05")
def test_a_broker_more_a_broker_emptied_and_a_broker_lost(spark: Session, tmp_path: Path) -> None:
    """Two brokers hold all partitions; what leaves one of them has only a third to go to."""
    three_disks(tmp_path, *[50] * 8)
    wide = PlanRequest(WANTED.band, between=True)
    third = tuple(NewDisk(3, path, 1000) for path in ("/a", "/b", "/c"))
    more = here(tmp_path, wide, Changes(add=third))
    assert more.possible
    after = [d.after for d in more.proposal.directories]
    assert min(after) >= 250
    assert max(after) <= 300
    assert {m.to for m in more.proposal.moves if m.between} == {3}

    emptied = PlanRequest(WANTED.band, ("2",), between=True)
    drained = here(tmp_path, emptied, Changes(add=third))
    assert drained.possible
    ends = {d.name: d.after for d in drained.proposal.directories}
    assert {ends["2:/a"], ends["2:/b"], ends["2:/c"]} == {0}
    assert ends["3:/a"] == 400
    alone = here(tmp_path, emptied, Changes())
    assert not alone.possible
    assert alone.against[0].startswith("broker 2 cannot be emptied: 24 replicas stay, 1.2 KiB; ")

    lost = here(tmp_path, wide, Changes(add=third, lose=("2",)))
    assert lost.possible
    assert lost.proposal.notes[0].startswith("24 replicas are lost with it")
    same = what_if(spark, tmp_path, wide, Changes(add=third, lose=("2",)))
    assert (same.proposal.waves, same.against) == (lost.proposal.waves, lost.against)
    assert sorted(same.proposal.notes) == sorted(lost.proposal.notes)
    racked = here(tmp_path, emptied, Changes(add=third, racks={1: "r", 2: "s", 3: "r"}))
    assert racked.possible, "where a replica must leave and no rack is free it may share one"


@pytest.mark.spec("P-05", "N-06")
@pytest.mark.parametrize("how", [{"lose": ("2",)}, {"drain": ("2",)}])
def test_replicas_without_bytes_stand_against_a_plan_too(
    tmp_path: Path,
    how: dict[str, tuple[str, ...]],
) -> None:
    """They have nowhere to go: each broker has a copy."""
    three_disks(tmp_path, 0, 0)
    wanted = PlanRequest(WANTED.band, how.get("drain", ()), between=True)
    answer = here(tmp_path, wanted, Changes(lose=how.get("lose", ())))
    assert answer.against[0].startswith("broker 2 cannot be emptied: 6 replicas stay, 0 B; ")
    assert not answer.possible
    assert not answer.proposal.done, "so that `balance plan` does not say that all is well"
    home = str(tmp_path)
    options = [word for name, (value,) in how.items() for word in (f"--{name}", value)]
    ended = call("balance", "what-if", "--between-brokers", *options, "--history", home)
    assert (ended.code, "no such plan exists: broker 2 cannot" in ended.stderr) == (1, True), ended
    nothing = call("balance", "what-if", "--history", home)
    assert (nothing.code, "Nothing to move" in nothing.stdout) == (4, True), nothing


@pytest.mark.spec("N-06", "P-12")
def test_what_if_without_a_history_ends_with_6(spark: Session, tmp_path: Path) -> None:
    home = str(tmp_path / "none")
    ended = call("balance", "what-if", "--add", "1:/new=1T", "--history", home)
    assert (ended.code, "there is no history in" in ended.stderr) == (6, True), ended


@pytest.mark.spec("N-06", "P-12")
def test_a_forecast_without_enough_history_ends_with_6(spark: Session, tmp_path: Path) -> None:
    for more in ([], ["--json"]):
        ended = call("balance", "forecast", "--history", str(tmp_path / "none"), *more)
        assert ended.code == 6, ended
    three_disks(tmp_path, 10)
    short = call("balance", "forecast", "--history", str(tmp_path))
    assert (short.code, "Nothing is forecast: no history" in short.stdout) == (6, True), short
    keep(tmp_path / "long", [row(1, "/a", "t-0", 5 + n, at=NOON + n * HOUR) for n in range(49)])
    page = tmp_path / "forecast.html"
    known = call("balance", "forecast", "--history", str(tmp_path / "long"), "--report", str(page))
    assert known.code == 0, known
    assert "<figure>" in page.read_text()


def test_what_cannot_be_meant_is_refused(spark: Session, tmp_path: Path) -> None:
    with pytest.raises(Unusable, match="there is no history in"):
        what_if(spark, tmp_path, WANTED, Changes())
    three_disks(tmp_path, 10)
    with pytest.raises(Unusable, match="knows no broker 9; it knows"):
        here(tmp_path, WANTED, Changes(add=(NewDisk(9, "/x", 1),)))
    with pytest.raises(Unusable, match="broker 1 has /a already"):
        what_if(spark, tmp_path, WANTED, Changes(add=(NewDisk(1, "/a", 1),)))
    with pytest.raises(Unusable, match="broker 2 as a whole counts only where"):
        here(tmp_path, WANTED, Changes(lose=("2",)))
    with pytest.raises(Unusable, match="there is no broker 7; there are: 1, 2"):
        here(tmp_path, PlanRequest(WANTED.band, between=True), Changes(lose=("7",)))
    for plan in (here, partial(what_if, spark)):
        with pytest.raises(Unusable, match="has no log directory 1:/x"):
            plan(tmp_path, WANTED, Changes(lose=("1:/x",)))
    assert directory_loads.latest(history.read(spark, tmp_path)).count() == 6


def _stepped(found: Iterable[dict[str, object]]) -> list[tuple[object, ...]]:
    return [(r["device"], r["moments"], r["changes"], r["slope"], r["spread"]) for r in found]


@pytest.mark.spec("V-07")
def test_growth_in_one_pass_is_what_sql_finds_step_by_step(spark: Session) -> None:
    chance = random.Random(5)
    rows = []
    for number in range(400):
        for name in range(30):
            if chance.random() < 0.8:  # Gaps, replicas that begin late or begin again.
                size = chance.choice((0, 40, 700)) if chance.random() < 0.05 else 10 * number
                at = NOON + timedelta(minutes=17 * number, microseconds=number)
                rows.append(row(1 + name % 2, "/a", f"t-{name}", size, at=at))
    table = samples(spark, rows)
    seconds = [r["sampled_at"].timestamp() for r in rows]
    stretches = Stretches(max(seconds), (max(seconds) - min(seconds)) / BUCKETS)
    steps = forecast.changes(table).collect()
    whole: dict[tuple[int, float], tuple[float, float]] = {}
    for s in steps:
        key = (s["broker"], round(s["at"], 3))
        change, since = whole.get(key, (0.0, s["since"]))
        whole[key] = (change + s["change"], min(since, s["since"]))
    wanted = []
    for broker in (1, 2):
        of = sorted((at, found) for (b, at), found in whole.items() if b == broker)
        moments = [min(since for _, (_, since) in of), *(at for at, _ in of)]
        line = fit(moments, [change for _, (change, _) in of])
        assert line is not None
        changes = [change for _, (change, _) in of]
        wanted.append((broker, moments, changes, line.slope, line.spread))
    chance.shuffle(rows)
    batches = [
        pa.RecordBatch.from_pydict(
            {
                "device": pa.array([r["broker"] for r in part], pa.int32()),
                "replica": pa.array([r["partition"] for r in part], pa.int64()),
                "at": pa.array([r["sampled_at"].timestamp() for r in part], pa.float64()),
                "size": pa.array([r["size"] for r in part], pa.int64()),
            }
        )
        for part in (rows[n : n + 500] for n in range(0, len(rows), 500))
    ]
    (found,) = lines(stretches)(batches)
    assert _stepped(found.to_pylist()) == wanted
    assert not list(lines(stretches)([]))
