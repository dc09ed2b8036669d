"""How the suite's files are spread over its processes.

All tests of the pipeline go to one process, and first: they share a Spark session, which costs more
to make and to warm up than many of them do, and they compute while the tests of clusters, beside
them, mostly wait. Once they have ended, the others that compute come between those of clusters.

Tests of the clusters that live as long as a process (`apache_cluster`, `spindle_cluster`) go to one
process, too, and late: each of Apache Kafka's nodes takes two hundredths of a processor for nothing
until the run has ended.
"""

from __future__ import annotations

from typing import Final

import pytest
from xdist.scheduler import LoadFileScheduling

TOGETHER: Final = "tests/pipeline/"
WAITING: Final = "tests/interop/"
LASTING: Final = tuple(
    f"{WAITING}test_{name}.py"
    for name in (
        "docs_admin", "frozen_nodes", "tools_admin", "tools_disks", "tools_log_dirs",
        "tools_reassign",
    )
)  # fmt: skip
"""The files of the tests whose clusters last."""
LATE: Final = 0.8
"""The share of the tests of clusters that have run when theirs begin."""
ALONE: Final = 0.75
"""The share of the tests of clusters that have run when the pipeline's end."""


class Spread(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """A file at a time to each process; the pipeline's as one, and those of lasting clusters."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        if file.startswith(TOGETHER):
            return TOGETHER
        return LASTING[0] if file in LASTING else file


def in_order(items: list[pytest.Item]) -> None:
    """Put the pipeline's tests first, and mix the others from where these end."""
    folders: dict[str, list[str]] = {}
    for file in dict.fromkeys(map(_file, items)):
        folders.setdefault("/".join(file.split("/")[:2]) + "/", []).append(file)
    place: dict[str, float] = {}
    for folder, files in folders.items():
        begin = {TOGETHER: -1.0, WAITING: 0.0}.get(folder, ALONE)
        end = 0.0 if folder == TOGETHER else 1.0
        place |= {f: begin + (end - begin) * at / len(files) for at, f in enumerate(files)}
    place |= dict.fromkeys(LASTING, LATE)
    items.sort(key=lambda item: place[_file(item)])


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
