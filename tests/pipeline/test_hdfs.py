"""The history on HDFS: kept, compacted, expired there, and planned from."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.pipeline.samples import NOON, row, samples
from tests.support.hdfs import hdfs

from spindle.pipeline import history
from spindle.pipeline.folders import place
from spindle.pipeline.proposal import PlanRequest
from spindle.pipeline.session import Session
from spindle.pipeline.what_if import Changes, what_if
from spindle.planning.load import Band

pytestmark = pytest.mark.timeout(400)
DAY = timedelta(days=1)


@pytest.mark.spec("P-02", "P-05", "P-11")
def test_a_history_on_hdfs_is_kept_compacted_expired_and_planned_from(
    spark: Session, tmp_path: Path
) -> None:
    with hdfs(tmp_path) as root:
        home = f"{root}/metrics/kafka-disks"
        there = place(home, spark)
        for day in range(3):
            for hour in (0, 1):
                at = NOON + day * DAY + timedelta(hours=hour)
                rows = [row(1, "/a", f"t-{n}", 100, usable=600, at=at) for n in range(4)]
                sample = samples(spark, [*rows, row(1, "/b", usable=999, at=at)])
                last = history.append(sample, home)
        assert history.append(sample, home) == last, "appended again, it is there once"
        assert len(history.files(home, spark)) == 6
        assert history.read(spark, home).count() == 30

        history.compact(spark, home, date(2026, 3, 3))
        names = {day: there.names(day) for day in there.names() if day.startswith("day=")}
        assert sorted(names) == ["day=2026-03-01", "day=2026-03-02", "day=2026-03-03"]
        assert history.read(spark, home).count() == 30
        assert len(history.files(home, spark)) == 4, names

        history.expire(home, date(2026, 3, 2), spark)
        assert history.read(spark, home).count() == 20
        found = what_if(spark, home, PlanRequest(Band(0.05, 0.9)), Changes())
        assert [(m.source, m.target) for m in found.proposal.moves] == [("/a", "/b")] * 2
