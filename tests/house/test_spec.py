"""The marks of the tests name behaviours that exist."""

from tests.spec_table import ids, table


def test_spec_marks_name_existing_rows() -> None:
    unknown = {id: tests for id, tests in table().items() if id not in ids()}
    assert not unknown
