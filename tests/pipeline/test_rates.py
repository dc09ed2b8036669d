"""Write rates from samples: what restarts, retention, gaps, clocks and new disks do to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from tests.pipeline.samples import NOON, row, samples, silent

from spindle.pipeline import directory_loads, job, write_rates
from spindle.pipeline.proposal import PlanRequest, document, parse
from spindle.pipeline.session import Session
from spindle.planning.load import Band

Sample = tuple[float, int]
MINUTE = 60.0


def rows(name: str, told: Sequence[Sample], directory: str = "/a") -> list[dict[str, Any]]:
    """Sizes at moments (s after noon)."""
    return [row(1, directory, name, size, at=NOON + timedelta(seconds=s)) for s, size in told]


@pytest.fixture(scope="module")
def measured(spark: Session) -> dict[str, Any]:
    """All cases in one table: rates do not depend on neighbours."""
    every = [
        *rows("even-0", [(n * MINUTE, 6000 * n) for n in range(10)]),
        # The broker was down for two samples, and reported nothing.
        *rows("restart-0", [(n * MINUTE, 6000 * n) for n in (0, 1, 4, 5)]),
        *(silent(1, at=NOON + timedelta(seconds=n * MINUTE)) for n in (2, 3)),
        # Retention takes 20,000 away between the third and the fourth.
        *rows("retention-0", [(0, 50_000), (60, 56_000), (120, 62_000), (180, 48_000),
                              (240, 54_000)]),
        # The topic was deleted and made again: it has 300 after a minute.
        *rows("anew-0", [(0, 50_000), (60, 56_000), (120, 300), (180, 6_300)]),
        # No samples for a day, in which it is unknown what retention did.
        *rows("gap-0", [(0, 0), (60, 6_000), (86_400, 7_000), (86_460, 13_000)]),
        # The clock is set back by half a minute, so that an interval is half as long.
        *rows("clock-0", [(0, 0), (60, 6_000), (90, 12_000), (150, 18_000), (210, 24_000)]),
        # Moved to the other disk, where it goes on.
        *rows("moved-0", [(0, 0), (60, 6_000)]), *rows("moved-0", [(120, 12_000)], "/b"),
        row(1, "/b", "moved-0", 9_000, at=NOON + timedelta(seconds=60), is_future=True),
        # Its disk was replaced: it comes back from its leader, faster than it is written to.
        *rows("replaced-0", [(0, 900_000), (60, 60_000), (120, 120_000)]),
        *rows("once-0", [(0, 5)]),
        row(1, "/c"),
    ]  # fmt: skip
    found = write_rates.replicas(samples(spark, every)).collect()
    return {f"{r.topic}-{r.partition}": r for r in found}


@pytest.mark.spec("P-03")
@pytest.mark.parametrize("case", ["even", "restart", "retention", "gap", "moved"])
def test_what_is_no_write_changes_no_rate(measured: dict[str, Any], case: str) -> None:
    assert measured[f"{case}-0"].write_rate == pytest.approx(100.0)


@pytest.mark.spec("P-03")
def test_intervals_of_which_nothing_is_known_are_left_out(measured: dict[str, Any]) -> None:
    seconds = {name: found.observed for name, found in measured.items()}
    assert seconds["even-0"] == 9 * MINUTE
    assert seconds["retention-0"] == 3 * MINUTE, "not the one in which it shrank"
    assert seconds["gap-0"] == 2 * MINUTE
    assert (measured["once-0"].write_rate, seconds["once-0"]) == (None, 0)


@pytest.mark.spec("P-03")
def test_what_begins_again_counts_from_nothing(measured: dict[str, Any]) -> None:
    assert measured["anew-0"].written == 6_000 + 300 + 6_000
    assert measured["anew-0"].write_rate == pytest.approx(12_300 / 180)
    assert measured["replaced-0"].written == 120_000
    assert measured["clock-0"].write_rate == pytest.approx(24_000 / 210)
    assert (measured["moved-0"].directory, measured["moved-0"]["size"]) == ("/b", 12_000)


@pytest.mark.spec("P-03")
def test_two_directories_have_the_rates_of_what_lies_there_now(spark: Session) -> None:
    every = [
        *rows("t-0", [(0, 0), (60, 6_000)]), *rows("t-1", [(0, 0), (60, 600)]),
        *rows("t-2", [(0, 0), (60, 60)], "/b"), *rows("t-3", [(60, 60)], "/b"),
    ]  # fmt: skip
    rows_ = write_rates.directories(write_rates.replicas(samples(spark, every))).collect()
    found = {(r.directory, r.replicas, round(r.write_rate, 6), r.unknown) for r in rows_}
    assert found == {("/a", 2, 110.0, 0), ("/b", 2, 1.0, 1)}


@pytest.mark.spec("P-04", "P-06")
def test_hot_and_cold_replicas_are_exchanged_by_what_the_history_tells(spark: Session) -> None:
    """Bytes are even; all writes go to one disk. One replica is new: what it takes is its kin's."""
    late = [(0, 6_000), (60, 12_000)]
    every = [
        *(r for n in range(4) for r in rows(f"hot-{n}", late)),
        *(r for n in range(4) for r in rows(f"cold-{n}", [(0, 12_000), (60, 12_000)], "/b")),
        *(row(2, "/a", f"hot-{n}", 12_000, at=NOON + timedelta(seconds=60)) for n in range(2)),
        *(row(2, "/b", f"cold-{n}", 12_000, at=NOON + timedelta(seconds=60)) for n in range(2)),
    ]  # fmt: skip
    table = samples(spark, [{**r, "usable_bytes": 900_000} for r in every])
    now = directory_loads.latest(table)
    assert not job.proposed(
        table, now, directory_loads.directories(now), PlanRequest(Band(0.05, 0.9))
    ).moves
    wanted = PlanRequest(Band(0.05, 0.9, 0.05))
    found = job.proposed(table, now, directory_loads.directories(now), wanted, past=table)
    assert len(found.moves) == 6
    flows = {(d.broker, d.path): (d.rate_before, d.rate_after) for d in found.directories}
    assert flows == {
        (1, "/a"): (400, 200), (1, "/b"): (0, 200), (2, "/a"): (200, 100), (2, "/b"): (0, 100),
    }  # fmt: skip
    assert found.notes == ()
    assert parse(json.dumps(document(found))) == found


@pytest.mark.spec("P-04")
def test_unknown_rates_are_reported(spark: Session) -> None:
    table = samples(spark, [*rows("t-0", [(0, 5)]), row(1, "/c")])
    now = directory_loads.latest(table)
    wanted = PlanRequest(Band(0.05, 0.9, 0.05))
    found = job.proposed(table, now, directory_loads.directories(now), wanted, past=table)
    assert found.moves == ()
    assert found.notes[0].startswith("of 1 of 1 replicas no write rate is known")
