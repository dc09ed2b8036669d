"""Watches a directory that the node cannot go on without, or waits for: does its disk hang?

Log directories in use are watched by the broker (`logdirs.directories`). This is for the metadata
directory, and for any directory while it is being opened or closed. Called by `node` alone.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

from spindle.core.logdirs.health import hangs
from spindle.model.activity import Activity, Observe
from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import LogDir
from spindle.model.outbox import Outbox
from spindle.model.settings.typed_settings import Settings


class Watch:
    """Looks at one directory's disk until `end`; `then` is called once if it hangs."""

    def __init__(
        self, out: Outbox, settings: Settings, path: LogDir, then: Callable[[DiskFailed], None]
    ) -> None:
        self._out = out
        self._path = path
        self._interval = settings.seconds("log.dir.probe.interval.ms")
        self._limit = settings.seconds("log.dir.io.timeout.ms")
        self._then: Callable[[DiskFailed], None] | None = then
        self._wait()

    def end(self) -> None:
        """Look no longer."""
        self._then = None

    def _wait(self) -> None:
        self._out.after(self._interval, self._look)

    def _look(self) -> None:
        if self._then is not None:
            self._out.run(Observe(self._path), self._on_observed)

    def _on_observed(self, activity: Activity | Failure) -> None:
        assert isinstance(activity, Activity), f"looking cannot fail with {activity!r}"
        then = self._then
        if then is None:
            return
        if not hangs(activity, self._limit):
            self._wait()
            return
        self._then = None
        text = f"no answer for {activity.busy:.1f} s"
        then(DiskFailed(self._path, activity.verb, errno.ETIMEDOUT, text))
