"""Marks and citations name rows of docs/behaviours.md; wide tests differ from narrow ones."""

import re
from itertools import groupby
from pathlib import Path

import pytest
from tests.spec_table import ids, in_part, is_wide, table

ROOT = Path(__file__).parents[2]

WIDE = (
    "interop/test_kafkas_own_tests.py::test_log_dirs_command",
    "interop/test_kip_113.py::test_bad_log_directories_do_not_affect_replicas_on_good_ones",
    "interop/test_quorum_assignments.py::test_records_carry_directories_in_kafkas_versions",
    "pipeline/test_sources.py::test_a_sample_has_every_replica_of_every_broker",
)
NARROW = (
    "pipeline/test_rates.py::test_unknown_rates_are_reported",
    "unit/core/logdirs/test_move.py::test_appends_are_blocked_only_when_little_is_left",
)


def test_rows_are_numbered_from_one_without_gaps() -> None:
    assert len(ids()) > 100
    for group, found in groupby(ids(), key=lambda id: id.partition("-")[0]):
        rows = list(found)
        assert rows == [f"{group}-{n:02}" for n in range(1, len(rows) + 1)]


def test_every_cited_row_exists() -> None:
    """`(K113-05, -07)`, `K113-08 to -11` and `K113-15..18` cite by the number alone, too."""
    groups = "|".join(sorted({id.partition("-")[0] for id in ids()}))
    cited = re.compile(rf"\b({groups})-(\d\d)\b((?:(?:, | to )-\d\d\b|\.\.\d\d\b)*)")
    files = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
    files += [path for name in ("src", "tests", "bench") for path in (ROOT / name).rglob("*.py")]
    unknown = set()
    for path in files:
        for match in cited.finditer(path.read_text(encoding="utf-8")):
            for number in (match[2], *re.findall(r"\d\d", match[3])):
                if f"{match[1]}-{number}" not in ids():
                    unknown.add((str(path.relative_to(ROOT)), f"{match[1]}-{number}"))
    assert not unknown


def test_spec_marks_name_existing_rows() -> None:
    unknown = {id: tests for id, tests in table().items() if id not in ids()}
    assert not unknown


def test_a_mark_of_a_whole_file_counts_for_each_of_its_tests() -> None:
    file = "interop/test_replication_throttles.py::test_a_reassignment"
    throttled = f"{file}_keeps_to_its_throttle_and_replicas_in_sync_are_not_slowed"
    assert throttled in table()["S-07"]
    assert {throttled, f"{file}_ends_beside_a_dead_bystander"} <= {*table()["K113-22"]}


@pytest.mark.parametrize("test", WIDE)
def test_what_starts_nodes_is_wide(test: str) -> None:
    assert is_wide(test)


@pytest.mark.parametrize("test", NARROW)
def test_what_starts_none_is_narrow_whatever_its_folder(test: str) -> None:
    assert not is_wide(test)


def test_what_is_there_in_part_is_a_row_that_has_tests() -> None:
    unfinished = {"C-01", "C-02", "N-04", "K858-20"}
    assert unfinished <= set(in_part())
    assert set(in_part()) <= set(ids())
    assert not [id for id in in_part() if not table().get(id)], "a row without tests is no part"
