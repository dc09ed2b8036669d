"""An older commit of Spindle as a further peer: a refactoring shows what it gains or costs.

Its sources stand in a worktree of git's in a temporary folder. Its nodes run these modules in this
installation's Python; clients and measures are today's. Called by the bench's rounds.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support.processes import tied

ROOT: Final = Path(__file__).parents[1]
SECTIONS: Final = (
    "throughput", "throughput-single", "throughput-100b", "small", "small-single", "latency",
    "requests", "move", "move-four", "move-felt", "move-swaps",
)  # fmt: skip
"""Those that have such a peer: the ones that share clusters."""


def name_of(commit: str) -> str:
    """What a commit's peer is called in tables. ValueError where git does not know it."""
    command = ["git", "rev-parse", "--short", "--verify", "--quiet", f"{commit}^{{commit}}"]
    found = subprocess.run(tied(command), capture_output=True, text=True, cwd=ROOT)
    if found.returncode:
        raise ValueError(f"git knows no commit {commit!r}: name one that `git log` shows")
    return f"spindle at {found.stdout.strip()}"


@contextmanager
def checked_out(commit: str, place: Path) -> Iterator[Path]:
    """A worktree of the commit in `place`, removed in the end; gives its folder of modules."""
    _git("worktree", "add", "--quiet", "--detach", str(place), commit)
    try:
        yield place / "src"
    finally:
        _git("worktree", "remove", "--force", str(place))


def _git(*words: str) -> None:
    subprocess.run(tied(["git", *words]), check=True, cwd=ROOT)
