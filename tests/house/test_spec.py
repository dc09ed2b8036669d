"""The marks of the tests name behaviours that exist; wide tests are told from narrow ones."""

import pytest
from tests.spec_table import ids, is_wide, table

WIDE = (
    "interop/test_kip_113.py::test_bad_log_directories_do_not_affect_replicas_on_good_ones",
    "interop/test_quorum_assignments.py::test_records_carry_directories_in_kafkas_versions",
    "pipeline/test_sources.py::test_a_sample_has_every_replica_of_every_broker",
)
NARROW = (
    "pipeline/test_rates.py::test_rates_that_nobody_knows_are_told",
    "unit/core/logdirs/test_move.py::test_appends_are_blocked_only_when_little_is_left",
)


def test_spec_marks_name_existing_rows() -> None:
    unknown = {id: tests for id, tests in table().items() if id not in ids()}
    assert not unknown


@pytest.mark.parametrize("test", WIDE)
def test_what_starts_nodes_is_wide(test: str) -> None:
    assert is_wide(test)


@pytest.mark.parametrize("test", NARROW)
def test_what_starts_none_is_narrow_whatever_its_folder(test: str) -> None:
    assert not is_wide(test)
