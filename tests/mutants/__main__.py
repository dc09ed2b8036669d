"""Runs mutants against the tests that should notice them: `python -m tests.mutants [WORD...]`.

WORD: only mutants whose file or description contains one of the words. Prints each one and whether
it was killed; the exit code is 1 where one survived that is not known to be equivalent. It is no
part of `make test`, because it repeats the same tests once for each mutant.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants import ALL
from tests.mutants.kind import ROOT, SOURCE, Mutant
from tests.support.processes import tied

AT_ONCE = 2
SECONDS = 900
"""A mutant that keeps its tests busy for longer is killed, too: it has brought them to a halt."""


def survives(mutant: Mutant) -> bool:
    """Whether all tests of a mutant pass."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        shutil.copytree(SOURCE, Path(folder) / "spindle", ignore=shutil.ignore_patterns("*.pyc"))
        (Path(folder) / "spindle" / mutant.path).write_text(mutant.applied(), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
        environment = {
            **os.environ,
            "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        try:
            done = subprocess.run(
                tied([*command, *mutant.tests]),
                cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{mutant.path}, {mutant.what}: {done.stdout[-2000:]}{done.stderr}")
    return done.returncode == 0


def main(words: list[str]) -> int:
    """Run those that are asked for; 1 where one survived."""
    chosen = [m for m in ALL if not words or any(w in f"{m.path} {m.what}" for w in words)]
    killed = equivalent = 0
    survived: list[Mutant] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for mutant, lives in zip(chosen, pool.map(survives, chosen), strict=True):
            if not lives:
                verdict, killed = "killed", killed + 1
            elif mutant.equivalent:
                verdict, equivalent = f"equivalent: {mutant.equivalent}", equivalent + 1
            else:
                verdict = "SURVIVED"
                survived.append(mutant)
            print(f"{mutant.path}: {mutant.what}: {verdict}", flush=True)
    print(f"{killed} killed, {len(survived)} survived, {equivalent} equivalent")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
