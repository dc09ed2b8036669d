"""Which worker of a whole run takes which file."""

from __future__ import annotations

from tests.support.three_workers import next_file

FILES = (
    "tests/conformance/test_a.py",
    "tests/pipeline/test_b.py",
    "tests/sim/test_c.py",
    "tests/interop/test_d.py",
)


def test_each_worker_begins_with_files_of_its_own() -> None:
    """Two that wait, of which one has Spark, and one that computes."""
    taken = [next_file(worker, FILES) for worker in ("gw0", "gw1", "gw2")]
    assert taken == [FILES[0], FILES[1], FILES[2]]


def test_a_worker_without_files_of_its_own_helps() -> None:
    """The workers of processes with what is computed, too."""
    assert next_file("gw1", [FILES[0], FILES[2]]) == FILES[0]
    assert next_file("gw0", FILES[1:3]) == FILES[1]
    assert next_file("gw0", [FILES[2]]) == FILES[2]


def test_what_starts_processes_never_gets_the_lowest_priority() -> None:
    """The worker that computes ends sooner."""
    assert next_file("gw2", [FILES[0], FILES[1], FILES[3]]) is None


def test_a_worker_in_place_of_one_that_died_takes_anything() -> None:
    """xdist numbers it on."""
    assert next_file("gw3", FILES[2:3]) == FILES[2]
