"""Which files of a history a question about the past opens: by their names alone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from spindle.model.errors import Unusable
from spindle.pipeline import small_history
from spindle.pipeline.history_files import file_of, moment_of, since, spread

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
COMPACTED = "file:///h/day=2026-03-01/compact-0f-00000.parquet"


def names(count: int, apart: timedelta) -> list[str]:
    return [f"file:///h/{file_of(NOON + n * apart)}" for n in range(count)]


def moments(files: list[str]) -> list[float]:
    """Hours after the first one."""
    found = [at for file in files if (at := moment_of(file)) is not None]
    return [(at - NOON) / timedelta(hours=1) for at in found]


def test_a_name_tells_the_moment_to_a_microsecond() -> None:
    at = NOON + timedelta(days=400, microseconds=1)
    assert moment_of(f"s3a://bucket/h/{file_of(at)}") == at
    assert moment_of(COMPACTED) is None


def test_what_is_too_old_is_not_opened() -> None:
    hourly = names(5, timedelta(hours=1))
    assert since([COMPACTED, *hourly], NOON + timedelta(hours=3)) == [COMPACTED, *hourly[3:]]
    assert since([COMPACTED, *hourly], NOON + timedelta(days=1)) == []


def test_of_dense_samples_the_last_of_each_stretch_is_opened() -> None:
    """Stretches are counted back from the newest: in (0, 2], (2, 4] ... hours."""
    dense = names(12 * 8 + 1, timedelta(minutes=5))
    chosen = spread(dense, 4)
    newest = [6 + n / 12 for n in range(1, 25)]
    assert moments(chosen) == pytest.approx([0.0, 2.0, 4.0, 6.0, *newest])
    assert len(spread(names(14 * 24 * 120, timedelta(seconds=30)), 168)) == 168 + 240


def test_what_lies_apart_is_all_opened_and_compacted_days_as_well() -> None:
    daily = names(14, timedelta(days=1))
    assert spread([COMPACTED, *daily], 168) == [COMPACTED, *daily]
    assert spread(daily[:1], 168) == daily[:1]
    assert spread([COMPACTED], 168) == [COMPACTED]
    assert spread([], 168) == []


@pytest.mark.spec("P-02")
@pytest.mark.parametrize("content", [b"", b"PAR1 and no end"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    """A power cut can leave one: the file has its name, and not its bytes."""
    file = tmp_path / file_of(NOON)
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(Unusable, match=f"^{re.escape(str(file))} of the history is damaged: "):
        small_history.read(tmp_path)
