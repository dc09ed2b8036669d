"""A node's directories while they are opened and closed: each is watched, for its disk may hang.

Called by `node` alone. In between the broker watches the log directories itself.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from functools import partial

from spindle.core.logdirs.health import hangs
from spindle.core.standstills import Standstills
from spindle.model.activity import Activity, Observe
from spindle.model.config import NodeConfig
from spindle.model.errors import DiskFailed, Failure
from spindle.model.ids import LogDir
from spindle.model.jobs import Close, Open
from spindle.model.log_values import OpenedDirectory
from spindle.model.outbox import Outbox
from spindle.model.settings.typed_settings import Settings


class DirectoryOpening:
    """Opens all directories of a node, and closes those that can be used."""

    def __init__(self, config: NodeConfig, out: Outbox) -> None:
        self._config = config
        self._out = out
        self.found: dict[LogDir, OpenedDirectory | Failure] = {}
        """What opening each of them has come to."""
        self._watches: dict[LogDir, _Watch] = {}

    @property
    def usable(self) -> set[LogDir]:
        """Those that were opened."""
        return {path for path, found in self.found.items() if not isinstance(found, Failure)}

    def open_all(self, cluster_id: str, then: Callable[[], None]) -> None:
        """Open all that the node has; `then` when each is open, has failed or hangs."""
        for path in self._config.directories:
            opened = partial(self._on_opened, then, path)
            self._out.run(Open(path, cluster_id, self._config.node_id), opened)
            self.watch(path, opened)

    def watch(self, path: LogDir, then: Callable[[DiskFailed], None]) -> None:
        """Run `then` once if the directory's disk hangs."""
        self._watches[path] = _Watch(self._out, self._config.settings, path, then)

    def close(self, paths: Iterable[LogDir], broker_epoch: int, then: Callable[[], None]) -> None:
        """Close these; `then` when each is closed, has failed or hangs."""
        waiting = set(paths)
        if not waiting:
            then()
        for path in sorted(waiting):

            def closed(_: object, path: LogDir = path) -> None:
                waiting.discard(path)
                if not waiting:
                    then()

            self._out.run(Close(path, broker_epoch), closed)
            if path in self._watches:
                self._watches[path].end()
            self.watch(path, closed)

    def _on_opened(
        self, then: Callable[[], None], path: LogDir, result: OpenedDirectory | Failure
    ) -> None:
        if path in self.found:
            return  # It did hang; the broker opens it again when it is well.
        self.found[path] = result
        self._watches.pop(path).end()
        if len(self.found) == len(self._config.directories):
            then()


class _Watch:
    """Looks at one directory's disk until `end`; `then` is called once if it hangs."""

    def __init__(
        self, out: Outbox, settings: Settings, path: LogDir, then: Callable[[DiskFailed], None]
    ) -> None:
        self._out = out
        self._path = path
        self._interval = settings.seconds("log.dir.probe.interval.ms")
        self._limit = settings.seconds("log.dir.io.timeout.ms")
        self._then: Callable[[DiskFailed], None] | None = then
        self._standstills = Standstills()
        self._wait()

    def end(self) -> None:
        """Look no longer."""
        self._then = None

    def _wait(self) -> None:
        self._standstills.expect(self._out.now + self._interval)
        self._out.after(self._interval, self._look)

    def _look(self) -> None:
        self._standstills.on_look(self._out.now)
        if self._then is not None:
            self._out.run(Observe(self._path), self._on_observed)

    def _on_observed(self, activity: Activity | Failure) -> None:
        assert isinstance(activity, Activity), f"looking cannot fail with {activity!r}"
        then = self._then
        if then is None:
            return
        awake = self._standstills.awake(activity.busy, self._out.now)
        if not hangs(activity._replace(busy=awake), self._limit):
            self._wait()
            return
        self._then = None
        text = f"no answer for {awake:.1f} s"
        then(DiskFailed(self._path, activity.verb, errno.ETIMEDOUT, text))
