"""How the suite's files are spread over its processes.

All tests of the pipeline go to one process, and first: they share a Spark session, which costs more
to make and to warm up than many of them do, and they compute while the tests of clusters, beside
them, mostly wait.
"""

from __future__ import annotations

from typing import Final

import pytest
from xdist.scheduler import LoadFileScheduling

TOGETHER: Final = "tests/pipeline/"


class Spread(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
    """A file at a time to each process; the pipeline's as one."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return TOGETHER if file.startswith(TOGETHER) else file


def in_order(items: list[pytest.Item]) -> None:
    """Put the pipeline's tests first."""
    items.sort(key=lambda item: not item.nodeid.startswith(TOGETHER))
