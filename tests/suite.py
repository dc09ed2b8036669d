"""Runs all tests, three at a time, and repeats alone what only ran out of time.

What is repeated is the whole file of such a test, from its first test on: the tests of a file may
share a cluster, and a later one may expect or break what an earlier one has left there.
`python -m tests.suite [OPTIONS OF PYTEST]`; with `--quick` in front, house and unit tests only,
and of made-up cases a quarter (`tests/support/amounts.py`). A
failure of any other kind ends the run as failed, without a second try; so do more than
`REPEATS_MAX` tests out of time, for that is no coincidence.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.support import amounts
from tests.support.processes import tied

REPEATS_MAX = 8
QUICK = "--quick"
SLOWEST = ("--durations=40", "--durations-min=5")
"""What took longest is printed: the place to look when the suite has grown."""
# One more than processors: tests of clusters wait for half of their time. `support.spread` has the
# order.
ALL = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder", *SLOWEST)
SOME = ("-n", "2", "--dist", "worksteal", "-q", "tests/house", "tests/unit")
"""Of these no two share a cluster: each test goes where there is time."""
BYTECODE = Path.home() / ".cache" / "spindle" / "bytecode"
FAILED = 1
"""pytest's exit code for "some tests failed"; all others are failures of the run itself."""


def main(options: Sequence[str], spread: Sequence[str] = ALL) -> int:
    """Run, repeat, print what was repeated; pytest's exit code."""
    with tempfile.TemporaryDirectory() as folder:
        verdicts = Path(folder) / "verdicts.json"
        code = _pytest(*spread, "--verdicts", str(verdicts), *options)
        if code != FAILED or not verdicts.exists():
            return code
        told: dict[str, list[str]] = json.loads(verdicts.read_text(encoding="utf-8"))
    late, wrong = told["late"], told["wrong"]
    if wrong or len(late) > REPEATS_MAX:
        print(f"{len(wrong)} failed, {len(late)} ran out of time: nothing is repeated")
        return code
    files = sorted({test.partition("::")[0] for test in late})
    print(f"Only out of time beside others: {', '.join(late)}", flush=True)
    print(f"Repeated alone, in the order of their tests: {', '.join(files)}", flush=True)
    return _pytest(*files)


def prepare() -> None:
    """Make the archives of classes: here, since no test has the time for it on a loaded machine."""
    # Not with this module: Spark's own takes a while to be loaded.
    from tests.support import kafka_class_data, spark_class_data
    from tests.support.kafka_jars import JarsMissing, kafka_jars

    try:
        kafka_class_data.prepare(kafka_jars())
    except JarsMissing:
        return  # The tests that need them say so.
    spark_class_data.prepare()


def environment() -> dict[str, str]:
    """Ours, but that compiled Python is kept: apart, if it must not lie beside the sources.

    Else each of the many processes of a run compiles all of the code again, for a second or more.
    """
    ours = dict(os.environ)
    if ours.pop("PYTHONDONTWRITEBYTECODE", ""):
        ours.setdefault("PYTHONPYCACHEPREFIX", str(BYTECODE))
    return ours


def _pytest(*arguments: str) -> int:
    return subprocess.run(
        tied([sys.executable, "-m", "pytest", *arguments]), env=environment(), check=False
    ).returncode


if __name__ == "__main__":
    if sys.argv[1:2] == [QUICK]:
        os.environ[amounts.QUICK] = "1"
        sys.exit(main(sys.argv[2:], SOME))
    prepare()
    sys.exit(main(sys.argv[1:]))
