"""Each mutant fits the source, is Python, and names tests that exist; which tests see it."""

import pytest
from tests.mutants import ALL
from tests.mutants.kind import ROOT, Mutant
from tests.mutants.reach import changed_lines, is_below, lines_of_functions


@pytest.mark.parametrize("mutant", ALL, ids=lambda m: f"{m.path}: {m.what}")
def test_a_mutant_fits_the_source(mutant: Mutant) -> None:
    compile(mutant.applied(), mutant.path, "exec")
    assert mutant.before != mutant.after
    for test in mutant.tests:
        assert (ROOT / test).exists(), f"{test} is not there"


def test_no_mutant_is_listed_twice() -> None:
    changes = [(m.path, m.before, m.after) for m in ALL]
    assert len(set(changes)) == len(changes)
    names = [(m.path, m.what) for m in ALL]
    assert len(set(names)) == len(names)


SOURCE_OF_LINES = """\
LIMIT = 3


def first(
    value: int,
) -> int:
    \"\"\"Says so.\"\"\"
    if value > LIMIT:
        return value
    return 0
"""


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("value > LIMIT", "value >= LIMIT", {8}),
        ("    if value > LIMIT:\n        return value\n", "", {8, 9}),
        ("    return 0", "    value += 1\n    return 0", {9, 10}),
        ("    return value\n    return 0", "    return 0\n    return 0", {9}),
        ("LIMIT = 3", "LIMIT = 4", {1}),
    ],
)
def test_the_lines_that_a_mutant_changes(before: str, after: str, lines: set[int]) -> None:
    changed = SOURCE_OF_LINES.replace(before, after)
    assert changed_lines(SOURCE_OF_LINES, changed) == lines


def test_lines_outside_of_functions_are_distinguished_from_their_bodies() -> None:
    assert lines_of_functions(SOURCE_OF_LINES) == {7, 8, 9, 10}


def test_a_test_belongs_to_its_file_and_to_the_folders_above() -> None:
    test = "tests/unit/storage/test_log.py::test_a"
    assert is_below(test, ["tests/unit/storage/test_log.py"])
    assert is_below(test, ["tests/crash", "tests/unit"])
    assert not is_below(test, ["tests/unit/stor", "tests/unit/storage/test_log"])
