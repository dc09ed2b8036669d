"""Each mutant still fits the source, is Python, and names tests that exist."""

import pytest
from tests.mutants import ALL
from tests.mutants.kind import ROOT, Mutant


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
