"""What an operator orders for a bad replica: another attempt, or to go on with what is left of it.

A replica that others have is never served damaged: it is fetched anew. One that nobody else has
waits for a person (KIP-589): either its files are well again, or the loss is accepted, and then
what is good of it is served. Belongs to `logdirs`; called by the handler of RepairReplica.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import partial
from typing import Final

from spindle.core.logdirs.better_copies import better_copy
from spindle.model.errors import DiskFailed, Error, Failure, LogFailed, Refusal
from spindle.model.ids import NO_LEADER, TopicPartition
from spindle.model.jobs import ReloadManner, Salvage, Salvaged
from spindle.model.log_values import LoadedLog
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.bad_copies import BadCopies
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.placement_registry import LocalReplica, ReplicaPlacementRegistry, Stage
from spindle.node.logdirs.repairs import Repairs

LINES_MAX: Final = 20
"""Segments that an answer tells of one by one."""

Told = Callable[[str], None]


class RescueAction(IntEnum):
    """What is wanted, by its number on the wire."""

    REPAIR = 1
    """Fetch it anew; where no other broker has it, take it up again if its files are whole."""
    ACCEPT_LOSS = 2
    """Take the damage out, and serve the rest."""


class Rescue:
    """Orders for bad replicas."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        places: ReplicaPlacementRegistry,
        bad_copies: BadCopies,
        repairs: Repairs,
    ) -> None:
        self.context = context
        self.directories = directories
        self.places = places
        self.bad_copies = bad_copies
        self._repairs = repairs
        self._busy: set[LocalReplica] = set()

    def carry_out(
        self, name: TopicPartition, action: RescueAction, done: Told, failed: Told
    ) -> None:
        """Begin; `done` or `failed` are told in words. Refusal where it may not be done."""
        place = self._bad(name)
        self._repairs.begin_again(place)
        if action is RescueAction.REPAIR and self._is_elsewhere(place):
            self._repairs.look_at(place)
            done("it is fetched anew as soon as another replica leads and nobody counts on it")
        elif action is RescueAction.REPAIR:
            self._repair_only_copy(place, done, failed)
        else:
            self._refuse_loss(place)
            self._busy.add(place)
            _Salvaging(self, place, done, failed, partial(self._busy.discard, place)).step(0)

    def _repair_only_copy(self, place: LocalReplica, done: Told, failed: Told) -> None:
        """Each byte is looked at; it serves if it is whole, and stays as it is if not."""

        def loaded(result: LoadedLog | Failure) -> None:
            self._busy.discard(place)
            if isinstance(result, Failure):
                why = result.why if isinstance(result, LogFailed) else result
                failed(
                    f"{place.name} is damaged still, and left as it is in {place.directory}: {why}."
                    " No other broker has it: `spindle replicas accept-loss` serves what is good of"
                    " it"
                )
            else:
                done(f"it is whole, and serves again from {result.start} to {result.end}")

        self._busy.add(place)
        self.places.reload(place, ReloadManner.MENDED, loaded)

    def _bad(self, name: TopicPartition) -> LocalReplica:
        id = self.context.image.resolve(name)
        place = self.places.all.get(id) if id is not None else None
        if place is None:
            raise Refusal(Error.UNKNOWN_TOPIC_OR_PARTITION, f"this broker has no replica of {name}")
        if place.stage is not Stage.OFFLINE or not place.damaged:
            raise Refusal(Error.INVALID_REQUEST, f"{name} is not damaged here: {self._how(place)}")
        if place in self._busy:
            raise Refusal(Error.INVALID_REQUEST, f"the loss of {name} is being dealt with already")
        if not self.directories.is_online(place.directory):
            raise Refusal(
                Error.KAFKA_STORAGE_ERROR, f"{place.directory} is offline: bring it back first"
            )
        return place

    def _how(self, place: LocalReplica) -> str:
        return "it serves" if place.stage is Stage.READY else place.why or place.stage.value

    def _is_elsewhere(self, place: LocalReplica) -> bool:
        state = self.context.image.partition(place.id)
        return state is not None and state.leader not in (NO_LEADER, self.context.node_id)

    def _refuse_loss(self, place: LocalReplica) -> None:
        """Refusal where another broker has more of it, or may have: that is not given up."""
        state, me = self.context.image.partition(place.id), self.context.node_id
        if state is None:
            text = f"{place.name} is not in the metadata: it is no partition of the cluster"
            raise Refusal(Error.UNKNOWN_TOPIC_OR_PARTITION, text)
        if self._is_elsewhere(place):
            text = f"broker {state.leader} has {place.name} whole: use `repair`, nothing is lost"
            raise Refusal(Error.INVALID_REQUEST, text)
        more = better_copy(state, me, place.name)
        if more is not None:
            raise Refusal(Error.INVALID_REQUEST, more)


class _Salvaging:
    """One log's, segment by segment."""

    def __init__(
        self,
        rescue: Rescue,
        place: LocalReplica,
        done: Told,
        failed: Told,
        over: Callable[[], None],
    ) -> None:
        self._rescue = rescue
        self._out = rescue.context.out
        self._place = place
        self._done = done
        self._failed = failed
        self._over = over
        self._lost: list[str] = []
        self._unique = self._out.new_id().hex

    def step(self, base: int) -> None:
        """Look at the next segment."""
        place = self._place
        assert place.directory is not None
        job = Salvage(place.directory, place.key, base, self._unique, place.why, self._out.wall_ms)
        self._out.run(job, self._on_salvaged)

    def _on_salvaged(self, result: Salvaged | Failure) -> None:
        place = self._place
        if isinstance(result, DiskFailed):
            self._rescue.directories.on_disk_failed(result)
        if isinstance(result, Failure):
            self._over()
            self._failed(str(result))
            return
        for line in result.lost:
            self._out.say("error", "records are lost", partition=str(place.name), lost=line)
        self._lost += result.lost
        if result.next is not None:
            self.step(result.next)
            return
        self._over()
        if self._rescue.places.all.get(place.id) is not place or not place.damaged:
            self._failed("the replica has changed meanwhile")
            return
        if self._lost:
            self._rescue.bad_copies.note(place, result.aside)
        self._rescue.places.reload(place, ReloadManner.LOSS_ACCEPTED)
        shown = self._lost[:LINES_MAX]
        more = [f"... and {len(self._lost) - len(shown)} more"] if self._lost[LINES_MAX:] else []
        self._done("lost: " + "; ".join([*shown, *more]) if shown else "nothing is lost")
