"""Runs mutants against the tests that should notice them: `python -m tests.mutants [WORD...]`.

WORD: only mutants whose file or description contains one of the words. Prints each one and whether
it was killed, then a table by area; the exit code is 1 where one survived that is not known to be
equivalent. It is no part of `make test`, because it repeats the same tests once for each mutant.
The tests run once without a mutant, traced (`reach`); each mutant is then shown to those that run
its lines, the quickest first, until one of them fails. Equivalent ones pass all of their tests,
which takes minutes each: they are run where `--equivalent` asks for it.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from tests.mutants import ALL
from tests.mutants.kind import ROOT, SOURCE, Mutant
from tests.mutants.reach import FOLDER, Reach, reach
from tests.support.processes import tied

LEAST_S = 20.0
TIMES = 10
"""A mutant that keeps a test busy for this many times what it took, and for longer than the least
time, is killed, too: it has brought the test to a halt. It counts apart: a loaded machine is also
slow."""
SURVIVED = "SURVIVED"
BY_TIME = "killed by time"
NOT_RUN = "equivalent, not run"


class Bench:
    """A copy of the source, compiled, in which one mutant at a time takes its place."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._source = folder / "spindle"
        shutil.copytree(SOURCE, self._source, ignore=shutil.ignore_patterns("__pycache__"))
        compileall.compile_dir(self._source, quiet=2)

    def verdict(self, mutant: Mutant, order: Sequence[tuple[str, float]]) -> str:
        """What these tests say; each comes with its limit in seconds."""
        (self._folder / "order").write_text(json.dumps(order), encoding="utf-8")
        place = self._source / mutant.path
        # A compiled form is known by its source's size and second of change: not well enough here.
        for compiled in (place.parent / "__pycache__").glob(f"{place.stem}.*.pyc"):
            compiled.unlink()
        place.write_text(mutant.applied(), encoding="utf-8")
        try:
            return self._judged(mutant, order)
        finally:
            shutil.copyfile(SOURCE / mutant.path, place)

    def _judged(self, mutant: Mutant, order: Sequence[tuple[str, float]]) -> str:
        files = sorted({test.partition("::")[0] for test, _ in order})
        plugins = ["-p", "no:cacheprovider", "-p", "tests.mutants.reach"]
        environment = {
            **os.environ,
            FOLDER: str(self._folder),
            "PYTHONPATH": f"{self._folder}{os.pathsep}{ROOT}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        try:
            done = subprocess.run(
                tied([sys.executable, "-m", "pytest", "-q", "-x", *plugins, *files]),
                cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
                timeout=LEAST_S * 2 + sum(limit for _, limit in order),
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return BY_TIME
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{mutant.path}, {mutant.what}: {done.stdout[-2000:]}{done.stderr}")
        if done.returncode == 0:
            return "equivalent" if mutant.equivalent else SURVIVED
        return BY_TIME if "Failed: Timeout" in done.stdout else "killed"


def area(mutant: Mutant) -> str:
    """The folder of the source file."""
    return str(Path(mutant.path).parent)


def verdicts(
    chosen: Sequence[Mutant], seen: Reach, at_once: int
) -> Iterator[tuple[Mutant, str, int, float]]:
    """Each mutant: what became of it, how many tests it could be shown to, and the seconds."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        benches: SimpleQueue[Bench] = SimpleQueue()
        for n in range(at_once):
            benches.put(Bench(Path(folder, str(n))))

        def judged(mutant: Mutant) -> tuple[Mutant, str, int, float]:
            begun = time.monotonic()
            tests = seen.tests_for(mutant)
            order = [(test, max(LEAST_S, TIMES * seen.seconds[test])) for test in tests]
            bench = benches.get()
            try:
                verdict = bench.verdict(mutant, order)
            finally:
                benches.put(bench)
            return mutant, verdict, len(tests), time.monotonic() - begun

        with ThreadPoolExecutor(at_once) as pool:
            yield from pool.map(judged, chosen)


def main(arguments: Sequence[str]) -> int:
    """Run those that are asked for; 1 where one survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--at-once", type=int, default=2, metavar="N", help="2 if not given")
    parser.add_argument("--equivalent", action="store_true", help="run these, too")
    asked = parser.parse_args(arguments)
    meant = [
        m for m in ALL if not asked.words or any(w in f"{m.path} {m.what}" for w in asked.words)
    ]
    chosen = [m for m in meant if asked.equivalent or not m.equivalent]
    begun = time.monotonic()
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for mutant in meant:
        if mutant not in chosen:
            table[area(mutant)][NOT_RUN] += 1
    with tempfile.TemporaryDirectory(prefix="reach-") as folder:
        seen = reach({test for mutant in chosen for test in mutant.tests}, Path(folder))
        print(f"{len(seen.seconds)} tests traced in {time.monotonic() - begun:.0f} s", flush=True)
        for mutant, verdict, tests, seconds in verdicts(chosen, seen, asked.at_once):
            table[area(mutant)][verdict] += 1
            why = f" ({mutant.equivalent})" if verdict == "equivalent" else ""
            where = f"{mutant.path}: {mutant.what}"
            print(f"{where}: {verdict}{why} [{tests} tests, {seconds:.1f} s]", flush=True)
    columns = ("killed", BY_TIME, SURVIVED, "equivalent", NOT_RUN)
    print(f"{'area':24}  {'  '.join(columns)}")
    for name, of in [*sorted(table.items()), ("all", sum(table.values(), Counter()))]:
        print(f"{name:24}  {'  '.join(f'{of[one]:{len(one)}}' for one in columns)}")
    print(f"{time.monotonic() - begun:.0f} s")
    return 1 if any(of[SURVIVED] for of in table.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
