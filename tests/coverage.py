"""Measures which lines the unit tests run, by room, and holds a floor: `python -m tests.coverage`.

It is no part of `make check`, since tracing slows the tests. What only a simulation, a crash or a
process reaches is proved there and does not count here. A floor rises with its figure; it is not
lowered to let a change in.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.support.processes import tied

ROOT = Path(__file__).parents[1]
FLOORS = {
    "core": 98, "storage": 96, "model": 93, "planning": 91, "wire": 89, "node": 88, "client": 83,
}  # fmt: skip
"""Percent of a room's lines; the other rooms are proved by simulations and processes."""


def rooms(files: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """(room, lines that were run, lines) from the files of coverage's JSON report."""
    found: dict[str, tuple[int, int]] = {}
    for path, file in files.items():
        parts = Path(path).parts
        room = parts[parts.index("spindle") + 1].removesuffix(".py")
        run, all_ = found.get(room, (0, 0))
        summary = file["summary"]
        found[room] = (run + summary["covered_lines"], all_ + summary["num_statements"])
    for room in sorted(found):
        yield (room, *found[room])


def below(files: Mapping[str, Any]) -> list[str]:
    """Print the table; the rooms that are below their floor."""
    low = []
    print("room         lines   run    floor")
    for room, run, lines in rooms(files):
        share, floor = 100 * run / max(lines, 1), FLOORS.get(room, 0)
        print(f"{room:10} {lines:7}  {share:5.1f} %  {floor:3} %")
        if share < floor:
            low.append(f"{room} has {share:.1f} %, its floor is {floor} %")
    return low


def main() -> int:
    """Run the unit tests, print the table; 1 where tests fail or a room is below its floor."""
    with tempfile.TemporaryDirectory() as folder:
        data, report = f"--data-file={folder}/data", Path(folder) / "report.json"
        coverage = [sys.executable, "-m", "coverage"]
        tests = [*coverage, "run", data, "-m", "pytest", "-q", "tests/unit"]
        if subprocess.run(tied(tests), cwd=ROOT, check=False).returncode:
            return 1
        subprocess.run(
            tied([*coverage, "json", "-q", data, "-o", str(report)]), cwd=ROOT, check=True
        )
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    low = below(files)
    print("\n".join(f"error: {line}" for line in low), end="\n" if low else "")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
