"""What opened directories hold, sorted by replica: the best copy of each; strays are set aside.

Reads what `Open` told and asks for renames; decides nothing about serving. Used by `reconciler` at
start, and when a directory comes back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spindle.core.logdirs.reconciliation import is_better, rank_copy
from spindle.model.ids import METADATA_TOPIC, LogDir, PartitionId
from spindle.model.log_values import LoadedLog, OpenedDirectory, QuarantinedLog
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.purging import Purging


@dataclass(frozen=True, slots=True)
class LocatedLog:
    """A log and the directory that it was found in."""

    path: LogDir
    log: LoadedLog


class Findings:
    """The current and future logs of our replicas, and those that could not be loaded."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        purging: Purging,
        opened: Mapping[LogDir, OpenedDirectory],
    ) -> None:
        self._context = context
        self._directories = directories
        self._purging = purging
        self._out = context.out
        self._found: dict[tuple[PartitionId, bool], list[LocatedLog]] = {}
        self.damaged: dict[str, tuple[LogDir, QuarantinedLog]] = {}
        """Logs that could not be loaded, by name: where, and why. Each costs one replica (B-15)."""
        for path, directory in opened.items():
            for log in directory.logs:
                if log.key.topic != METADATA_TOPIC:
                    self._sort(LocatedLog(path, log))
            for bad in directory.quarantined:
                self._out.say(
                    "error", "log cannot be loaded", directory=path, log=bad.name, reason=bad.why
                )
                self.damaged[bad.name] = (path, bad)
                self._sort_damaged(path, bad)

    def current(self, id: PartitionId) -> LocatedLog | None:
        """The best current log of a replica."""
        return self._best(id, self._found.pop((id, False), []))

    def future(self, id: PartitionId) -> LocatedLog | None:
        """The best future log of a replica."""
        return self._best(id, self._found.pop((id, True), []))

    def _sort(self, copy: LocatedLog) -> None:
        id = self._id_of(copy.log)
        if id is not None:
            self._found.setdefault((id, copy.log.key.future), []).append(copy)
            return
        # The metadata gives this broker no such replica: set it aside, and say so (B-17).
        self._out.say(
            "warning",
            "stray log set aside",
            directory=copy.path,
            log=str(copy.log.key),
            bytes=copy.log.size,
        )
        empty = copy.log.end == copy.log.start
        self._purging.discard(copy.path, copy.log.key, "delete" if empty else "stray")

    def _sort_damaged(self, path: LogDir, bad: QuarantinedLog) -> None:
        """Set a damaged log aside where no replica of ours has its name: it would stay for good."""
        id = self._context.image.resolve(bad.key.topic_partition)
        state = None if id is None else self._context.image.partition(id)
        if state is not None and self._context.node_id in state.replicas:
            return
        self._out.say(
            "warning", "damaged stray log set aside", directory=path, log=bad.name, reason=bad.why
        )
        self._purging.discard(path, bad.key, "stray")

    def _id_of(self, log: LoadedLog) -> PartitionId | None:
        """Which replica of ours a log is of; None where it is of none."""
        if log.topic_id is None:
            return None
        id = PartitionId(log.topic_id, log.key.partition)
        state = self._context.image.partition(id)
        if state is None or self._context.node_id not in state.replicas:
            return None
        return id if self._context.image.name_of(id) == log.key.topic_partition else None

    def _best(self, id: PartitionId, found: list[LocatedLog]) -> LocatedLog | None:
        """The best of several copies (B-04); the others go, if they hold nothing more."""
        if not found:
            return None
        assigned = self._context.assigned(id)
        best = max(
            found,
            key=lambda c: (*rank_copy(c.log), self._directories.id_of(c.path) == assigned),
        )
        for copy in found:
            if copy is not best:
                self.set_aside(copy, best.log)
                self._out.say("warning", "copy of the replica kept", directory=best.path)
        return best

    def set_aside(self, copy: LocatedLog, kept: LoadedLog | None) -> None:
        """A copy is not needed: deleted if `kept` has all of it, else kept as a stray."""
        contained = kept is not None and (
            (copy.log.end, copy.log.epochs) == (kept.end, kept.epochs) or is_better(kept, copy.log)
        )
        self._out.say(
            "warning",
            "duplicate copy of a replica set aside",
            directory=copy.path,
            log=str(copy.log.key),
            end=copy.log.end,
        )
        self._purging.discard(copy.path, copy.log.key, "delete" if contained else "stray")
