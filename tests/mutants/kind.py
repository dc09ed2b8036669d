"""What a mutant is, and how a list of them is written down.

A mutant is a piece of a source file and what takes its place: a sync that is left out, two writes
in the other order, a comparison that is off by one. `house/test_mutants` holds that each still fits
the source and that the result is Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "spindle"

Tests = tuple[str, ...]

POWER: Final[Tests] = (
    "tests/crash/test_promises.py",
    "tests/crash/test_power_cuts.py",
    "tests/crash/test_starts.py",
)
STORAGE: Final[Tests] = (*POWER, "tests/unit/storage", "tests/crash/test_failing_calls.py")
MOVES: Final[Tests] = (*STORAGE, "tests/crash/test_move_matrix.py")
LOGDIRS: Final[Tests] = (
    "tests/unit/node/test_remembered_directory_files.py",
    "tests/unit/node/test_shorter_logs.py",
    "tests/unit/node/test_logdirs_failures.py",
)
RESCUE: Final[Tests] = ("tests/unit/node/test_rescue.py",)
QUORUM: Final[Tests] = (
    "tests/unit/core/raft",
    "tests/unit/node/test_quorum_files.py",
    "tests/unit/node/test_quorum.py",
    "tests/unit/node/test_quorum_requests.py",
)
RIM: Final[Tests] = (
    "tests/unit/storage/test_disk_twins.py",
    "tests/unit/runtime/test_drill.py",
    "tests/unit/runtime/test_disks.py",
)
RUNS: Final[Tests] = ("tests/unit/cli/balance", "tests/unit/cli/reassign")


class Mutant(NamedTuple):
    """One wrong change. `equivalent`: why no test can tell it from the source, if none can."""

    path: str
    """Below `src/spindle`."""
    what: str
    before: str
    after: str
    tests: Tests
    equivalent: str = ""

    def applied(self) -> str:
        """The source file with the change in it. ValueError where the piece is not there once."""
        text = (SOURCE / self.path).read_text(encoding="utf-8")
        if text.count(self.before) != 1:
            raise ValueError(
                f"{self.path}, {self.what}: the piece occurs {text.count(self.before)} times"
            )
        return text.replace(self.before, self.after)


def mutants(path: str, tests: Tests, *rows: tuple[str, ...]) -> Iterator[Mutant]:
    """Mutants of one file that the same tests should notice."""
    for row in rows:
        what, before, after, *reason = row
        yield Mutant(path, what, before, after, tests, *reason)
