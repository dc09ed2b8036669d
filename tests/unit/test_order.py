"""The order in which files of tests run."""

from __future__ import annotations

from pathlib import Path

from tests.support.order import ordered, spread

FILES = """
    conformance/test_a interop/test_b interop/test_c interop/test_d interop/test_e
    pipeline/test_f sim/test_g unit/core/test_h
"""


def test_files_that_compute_stand_evenly_among_those_that_wait_and_short_ones_at_the_end() -> None:
    tests = [(Path("tests") / file, n) for file in FILES.split() for n in range(2)]
    found = ordered(tests, lambda test: test[0])
    assert sorted(found) == tests
    assert [file.name[-1] for file, n in found if n == 0] == list("afbcdgeh")
    assert all(found[at][0] == found[at + 1][0] for at in range(0, len(found), 2)), "no file is cut"


def test_what_has_no_others_keeps_its_order() -> None:
    assert spread([1, 2, 3], []) == spread([], [1, 2, 3]) == [1, 2, 3]
