"""The page of what works with which release shows what was found last, and nothing else."""

from __future__ import annotations

from tests.versions import PAGE, known, page


def test_the_table_of_releases_is_that_of_the_last_run() -> None:
    text = PAGE.read_text()
    assert page(text, known()) == text, "run python -m tests.versions, or restore the table"
