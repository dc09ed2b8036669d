"""What an operator orders of a log directory: probe it, take it offline, back, or as a new disk.

Every order is answered within a few seconds, in words, also where the disk does not answer. Belongs
to `logdirs`; asked by the handler of AlterLogDirState (B-13, B-16).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import partial
from typing import Final

from spindle.core.logdirs.health import Condition
from spindle.model.errors import DiskFailed, Error, Failure, Refusal
from spindle.model.ids import LogDir
from spindle.model.jobs import Format, MeasureUsage
from spindle.model.log_values import Usage
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import ConfiguredLogDir, Directories
from spindle.node.logdirs.placement_registry import ReplicaPlacementRegistry, Stage

ANSWER_WITHIN: Final = 10.0
"""Seconds for which a disk is waited for before the answer says that it does not come."""
LOOK: Final = 0.05
NAMED_MAX: Final = 20
"""Partitions that a refusal names one by one."""

Then = Callable[[str], None]
"""Is told what came of an order."""


class Order(IntEnum):
    """What is wanted, as on the wire."""

    PROBE = 0
    ONLINE = 1
    OFFLINE = 2
    REPLACE = 3


def replicas_are(count: int) -> str:
    """So many replicas, and the verb that goes with them."""
    return "1 replica is" if count == 1 else f"{count} replicas are"


class Orders:
    """Carries out orders, one directory each."""

    def __init__(
        self, context: BrokerContext, directories: Directories, places: ReplicaPlacementRegistry
    ) -> None:
        self._context = context
        self._directories = directories
        self._places = places
        self._out = context.out

    def carry_out(
        self, path: LogDir, order: Order, then: Then, refuse: Then, *, force: bool = False
    ) -> None:
        """Do it; `then` or `refuse` is called once with what came of it. Refusal where it may not.

        `refuse`: the disk did not do what was wanted. `force`: take it offline although partitions
        have their last live replica there.
        """
        directory = self._directories.all.get(path)
        if directory is None:
            known = ", ".join(self._directories.all)
            raise Refusal(Error.LOG_DIR_NOT_FOUND, f"{path} is not in log.dirs, which are: {known}")
        if directory.health.condition is Condition.OPENING:
            raise Refusal(Error.KAFKA_STORAGE_ERROR, f"{path} is being opened: wait for that")
        if order is Order.PROBE:
            self._probe(directory, *self._once(directory, then, refuse))
        elif order is Order.OFFLINE:
            self._offline(directory, then, refuse, force)
        elif directory.health.online:
            self._already_online(directory, order, then)
        elif order is Order.ONLINE:
            self._online(directory, *self._once(directory, then, refuse))
        else:
            self._replace(directory, *self._once(directory, then, refuse))

    def _once(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> tuple[Then, Then]:
        """The same two, of which only the first call counts; after a while the answer is no."""
        answered = False

        def once(tell: Then) -> Then:
            def told(words: str) -> None:
                nonlocal answered
                if not answered:
                    answered = True
                    tell(words)

            return told

        late = f"{directory.path}: no answer within {ANSWER_WITHIN:.0f} s; look again later"
        self._out.after(ANSWER_WITHIN, partial(once(refuse), late))
        return once(then), once(refuse)

    # --- probe --------------------------------------------------------------------------------

    def _probe(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> None:
        asked = self._out.now

        def answered(result: Usage | Failure) -> None:
            if isinstance(result, Failure):
                if directory.health.online and isinstance(result, DiskFailed):
                    self._directories.on_disk_failed(result)
                refuse(str(result))
            else:
                took = (self._out.now - asked) * 1000
                then(f"{directory.path}: wrote, synced and read back within {took:.0f} ms")

        self._out.run(MeasureUsage(directory.path, write=True), answered)

    # --- offline ------------------------------------------------------------------------------

    def _offline(self, directory: ConfiguredLogDir, then: Then, refuse: Then, force: bool) -> None:
        path, directories = directory.path, self._directories
        if path == self._context.config.metadata_dir:
            raise Refusal(
                Error.INVALID_REQUEST,
                f"{path} holds the metadata log, too: without it the broker would stop. Stop the "
                "broker, or give it a metadata.log.dir of its own",
            )
        if [d.path for d in directories.online] == [path]:
            raise Refusal(
                Error.INVALID_REQUEST,
                f"{path} is the broker's last directory: without it the broker would stop",
            )
        if directory.opened is not None:
            raise Refusal(
                Error.INVALID_REQUEST, f"{path} is just coming back: try again in a moment"
            )
        last = [] if force else sorted(self._last_replicas(path))
        if last:
            more = f" and {len(last) - NAMED_MAX} more" if len(last) > NAMED_MAX else ""
            raise Refusal(
                Error.INVALID_REQUEST,
                f"{path} holds the last live replica of {', '.join(last[:NAMED_MAX])}{more}: "
                "without it these partitions have no leader. Move them first (`spindle disks "
                "drain`), or order it with --force",
            )

        def released(result: Failure | None) -> None:
            closed = "its files are closed"
            if isinstance(result, Failure):
                closed += f", though not as they should be ({result})"
            stays = "it stays so until `spindle disks online` or `replace`, or a restart"
            done(f"{path} is offline and {closed}; {stays}")

        done, _ = self._once(directory, then, refuse)
        directories.on_order(directory, online=False, released=released)

    def _last_replicas(self, path: LogDir) -> Iterator[str]:
        """The partitions that cannot be led, or read at all, without the replica in `path`."""
        image, me = self._context.image, self._context.node_id
        for place in self._places.all.values():
            state = image.partition(place.id)
            if state is None or place.directory != path or place.stage is Stage.OFFLINE:
                continue
            eligible = {*state.isr, *state.elr}
            others = (eligible if me in eligible else {*state.replicas}) - {me}
            if not any(image.is_active(b) and image.replica_is_online(state, b) for b in others):
                yield str(place.name)

    # --- back ---------------------------------------------------------------------------------

    def _already_online(self, directory: ConfiguredLogDir, order: Order, then: Then) -> None:
        if order is Order.REPLACE:
            raise Refusal(
                Error.INVALID_REQUEST,
                f"{directory.path} is online: drain it, take it offline, then change the disk",
            )
        self._directories.on_order(directory, online=True)
        then(f"{directory.path} is online")

    def _online(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> None:
        self._directories.on_order(directory, online=True)
        self._await_opened(directory, then, refuse)

    def _await_opened(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> None:
        if directory.opening:
            self._out.after(LOOK, partial(self._await_opened, directory, then, refuse))
        elif directory.opened is not None or directory.health.online:
            bad = directory.opened.quarantined if directory.opened is not None else ()
            told = "; ".join(f"{log.name}: {log.why}" for log in bad[:NAMED_MAX])
            more = f". {replicas_are(len(bad))} damaged: {told}" if bad else ""
            then(f"{directory.path} is open, and serves once the controller knows of it{more}")
        else:
            refuse(f"{directory.path} stays offline: {directory.health.why}")

    def _replace(self, directory: ConfiguredLogDir, then: Then, refuse: Then) -> None:
        def formatted(result: tuple[str, ...] | Failure) -> None:
            if isinstance(result, Failure):
                refuse(str(result))
            elif result:
                more = ", ..." if len(result) > 3 else ""
                refuse(
                    f"{directory.path} is not blank: it holds {', '.join(result[:3])}{more}. "
                    "Nothing was written; mount an empty disk there"
                )
            else:
                self._online(directory, then, refuse)

        job = Format(directory.path, self._context.cluster_id, self._context.node_id)
        self._out.run(job, formatted)
