"""What works with which release of Apache Kafka: tried, noted, and printed as a table.

`python -m tests.versions [RELEASE...]`, e.g. `2.8.2:zk 3.9.1:kraft`; all by default. Each is
tried with two brokers of its own and judged by its own tools. What was found goes to
`tests/versions.json`, a release at a time, and from there into docs/compatibility.md.
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.support.kafka_release import KRAFT, ZK, Release, cluster_of
from tests.support.version_walk import WHOLE, VersionWalk, is_early

RELEASES: Final = (
    Release("2.4.1", ZK), Release("2.8.2", ZK), Release("3.4.1", ZK), Release("3.7.2", ZK),
    Release("3.7.2", KRAFT), Release("3.9.1", ZK), Release("3.9.1", KRAFT),
    Release("4.0.0", KRAFT), Release("4.1.1", KRAFT), Release("4.3.0", KRAFT),
)  # fmt: skip
RESULT: Final = Path(__file__).with_suffix(".json")
PAGE: Final = Path(__file__).parents[1] / "docs" / "compatibility.md"
BEGIN, END = "<!-- made by tests/versions.py -->", "<!-- end -->"
FAILED: Final = "**fails**"
Result = dict[str, dict[str, str]]
"""Release -> step -> cell."""


def tried(release: Release, folder: Path) -> dict[str, str]:
    """The cells of a release; what fails is printed and does not keep the next step from trying."""
    found: dict[str, str] = {}
    with cluster_of(release, folder / "kafka", brokers=2, directories=2) as kafka:
        kafka.start()
        walk = VersionWalk(kafka, folder)
        walk.fill()
        for name, step in WHOLE.items():
            try:
                found[name] = step(walk)
            except Exception:
                traceback.print_exc()
                found[name] = FAILED
            print(f"{release}: {name}: {found[name]}", flush=True)
    return found


def table(result: Result) -> str:
    """The table of the docs: a row for each step, a column for each release that was tried."""
    releases = [str(r) for r in RELEASES if str(r) in result]
    rows = [["", *releases], ["---"] * (len(releases) + 1)]
    rows += [[step, *(result[r].get(step, "-") for r in releases)] for step in WHOLE]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def page(text: str, result: Result) -> str:
    """The page with the table of this result."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table(result)}\n{END}{after}"


def known() -> Result:
    """What was found last."""
    found: Result = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    return found


def main(wanted: Sequence[str]) -> int:
    """Try the releases, note what was found, rewrite the page; 1 where a step failed."""
    chosen = [r for r in RELEASES if not wanted or f"{r.version}:{r.mode}" in wanted]
    failed = False
    for release in chosen:
        with tempfile.TemporaryDirectory(prefix="spindle-versions-") as folder:
            found = tried(release, Path(folder))
            if is_early(release) and FAILED in found.values():
                # A copy that Kafka never puts in place keeps the steps that follow from working.
                found = tried(release, Path(folder) / "again")
        failed |= FAILED in found.values()
        result = {**known(), str(release): found}
        RESULT.write_text(json.dumps(_ordered(result), indent=1) + "\n")
        PAGE.write_text(page(PAGE.read_text(), result))
    print(table(known()))
    return int(failed or not chosen)


def _ordered(result: Result) -> Result:
    return {str(r): result[str(r)] for r in RELEASES if str(r) in result}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
