"""A run of all tests by three workers on two processors: two that wait, one that computes.

Two workers take the files that start processes and wait for them half of their time: one begins
with those of Spark, so that Spark starts once, the other with those of clusters. The third runs at
the lowest priority what only computes, and so takes no time from the others: it has the processors
while they wait. Where a worker's own files are done it helps the others, except that the third
starts no cluster, for that would inherit its priority.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    import pytest
    from xdist.workermanage import WorkerController

COMPUTING: Final = ("tests/sim/", "tests/unit/", "tests/crash/", "tests/house/")
WAITING: Final = ("tests/interop/", "tests/conformance/", "tests/install/")
SPARK: Final = ("tests/pipeline/",)
TAKES: Final = {
    "gw0": (WAITING, SPARK, COMPUTING),
    "gw1": (SPARK, WAITING, COMPUTING),
    "gw2": (COMPUTING,),
}
"""What each worker takes: the first of these kinds of which there is a file left."""
LOWEST_PRIORITY: Final = 19


def next_file(worker: str, files: Iterable[str]) -> str | None:
    """The file that a worker takes next of those left, in their order; None: none is for it."""
    left = list(files)
    for kinds in TAKES.get(worker, TAKES["gw0"]):  # One that replaces a dead one has another name.
        for file in left:
            if file.startswith(kinds):
                return file
    return None


def lower_priority(config: pytest.Config) -> None:
    """In a worker that only computes: let all others go first."""
    worker: str = getattr(config, "workerinput", {}).get("workerid", "")
    if TAKES.get(worker) == (COMPUTING,):
        os.nice(LOWEST_PRIORITY)


class ThreeWorkers(LoadFileScheduling):
    """xdist's distribution by file, in an order of its own for each worker."""

    def _reschedule(self, node: WorkerController) -> None:
        """Give a worker its next file, or end it where none is left for it."""
        if self.workqueue and not self._bring_forward(node) and not node.shutting_down:
            node.shutdown()
            return
        super()._reschedule(node)

    def _assign_work_unit(self, node: WorkerController) -> None:
        self._bring_forward(node)
        super()._assign_work_unit(node)

    def _bring_forward(self, node: WorkerController) -> bool:
        file = next_file(node.gateway.id, self.workqueue)
        if file is not None:
            self.workqueue.move_to_end(file, last=False)
        return file is not None
