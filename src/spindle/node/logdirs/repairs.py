"""Makes lost replicas anew: damaged ones in place, those of a dead disk on another.

Only where nobody counts on our copy any more: another broker leads, and we are neither in the ISR
nor eligible (KIP-589's future work, K589-04; B-27). Belongs to `logdirs`.
"""

from __future__ import annotations

from typing import Final

from spindle.core.logdirs.better_copies import better_copy
from spindle.model.errors import LogFailed
from spindle.model.ids import NO_LEADER
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.bad_copies import BadCopies
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.placement_registry import LocalReplica, ReplicaPlacementRegistry, Stage

HEALS_MAX: Final = 3
"""How often a damaged replica is fetched anew before it is left for a person to look at."""
HEAL_DELAY: Final = 1.0
FORGIVEN: Final = 86_400.0
"""Seconds after which what a replica has gone through counts no more."""
SUSPECT_MAX: Final = 2
"""How often a log whose files gave an error is tried again before it is taken to be damaged."""
RETRY_MAX: Final = 60.0
"""Seconds at most until a log that is not to blame is taken up again."""
REBUILD_EVERY: Final = 1.0
REBUILD_MAX: Final = 10
"""Replicas that are begun anew in one round: the leaders have other work, too."""


class Repairs:
    """Replicas that are to be fetched anew."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        places: ReplicaPlacementRegistry,
        bad_copies: BadCopies,
    ) -> None:
        self._context = context
        self._directories = directories
        self._places = places
        self.bad_copies = bad_copies
        self._out = context.out
        self._healing: set[LocalReplica] = set()
        self._rebuilding = False

    def _is_spare(self, place: LocalReplica) -> bool:
        """Whether the partition lives elsewhere and does not count on our copy."""
        state, me = self._context.image.partition(place.id), self._context.node_id
        return (
            place.stage is Stage.OFFLINE
            and self._places.all.get(place.id) is place
            and state is not None
            and state.leader not in (NO_LEADER, me)
            and me not in state.isr
            and me not in state.elr
        )

    def begin_again(self, place: LocalReplica) -> None:
        """An operator has looked at it: what it has gone through counts no more."""
        place.heals = place.retries = 0

    def outlook(self, place: LocalReplica) -> str:
        """What is going to happen to a replica that is offline on a directory that serves."""
        state, me = self._context.image.partition(place.id), self._context.node_id
        if place.unmade:
            return "is made as soon as what is there by its name is out of the way"
        if not place.damaged or state is None:
            return "waits for room, or is tried again"
        if state.leader in (NO_LEADER, me):
            more = better_copy(state, me, place.name)
            if more is not None:
                return f"waits: {more}"
            return (
                "no other broker has it: `spindle replicas repair` once its files are well, or "
                "`spindle replicas accept-loss`"
            )
        if place.heals >= HEALS_MAX:
            return f"was fetched anew {place.heals} times: look at its disk, then repair"
        if self._is_spare(place):
            return f"is fetched anew from broker {state.leader}"
        return f"is fetched anew once broker {state.leader} has it out of the ISR"

    # --- damaged logs -----------------------------------------------------------------------

    def look_at(self, place: LocalReplica, delay: float = HEAL_DELAY) -> None:
        """A damaged replica, or the metadata of it, has changed: heal it if that is safe."""
        waits = place in self._healing or place.heals >= HEALS_MAX
        if place.damaged and not waits and self._is_spare(place):
            self._healing.add(place)
            self._out.after(delay, lambda: self._heal(place))

    def _heal(self, place: LocalReplica) -> None:
        if not self._may_heal(place):
            self._healing.discard(place)
            return
        self.bad_copies.set_aside(place, lambda free: self._on_set_aside(place, free))

    def _may_heal(self, place: LocalReplica) -> bool:
        online = self._directories.is_online(place.directory)
        return online and place.damaged and self._is_spare(place)

    def _on_set_aside(self, place: LocalReplica, free: bool) -> None:
        """Not before the bad log is out of the way: else it might be given back as good."""
        self._healing.discard(place)
        if not free or not self._may_heal(place):
            self.look_at(place, self._longer(place))
            return
        assert place.directory is not None
        self._forgive(place)
        place.hurt_at = self._out.now
        place.heals += 1
        self._out.say("info", "damaged replica is fetched again", partition=str(place.name))
        self._places.create(place, [place.directory])

    def _longer(self, place: LocalReplica) -> float:
        """Seconds to wait before the next attempt: more each time."""
        place.retries += 1
        return min(RETRY_MAX, HEAL_DELAY * 2.0 ** min(place.retries - 1, 10))

    # --- logs that may not be to blame -------------------------------------------------------

    def on_failed(self, place: LocalReplica, failure: LogFailed, reached: int = 0) -> None:
        """A replica's log failed: it is offline. Where damage is not proven, try it again soon.

        `reached`: where it had ended at least.
        """
        self._forgive(place)
        is_doubtful = failure.suspect and place.retries < SUSPECT_MAX
        may_be_well = failure.passing or is_doubtful or place.unmade
        self._places.fail(place, failure.why, damaged=not may_be_well, reached=reached)
        if may_be_well:
            place.hurt_at = self._out.now
            self._out.after(self._longer(place), lambda: self._retry(place))

    def _retry(self, place: LocalReplica) -> None:
        known = self._places.all.get(place.id) is place
        idle = place.stage is Stage.OFFLINE and not place.damaged
        if known and idle and self._directories.is_online(place.directory):
            if place.unmade:
                self._places.create(place, self._places.choose(place))
            else:
                self._places.reload(place)

    def _forgive(self, place: LocalReplica) -> None:
        if self._out.now - place.hurt_at >= FORGIVEN:
            place.heals = place.retries = 0

    # --- dead disks -------------------------------------------------------------------------

    def on_directory_lost(self) -> None:
        """A directory is offline: make its replicas anew, if that is wanted, after a while."""
        if self._delay >= 0 and not self._rebuilding:
            self._rebuilding = True
            self._out.after(self._delay / 1000, self._rebuild)

    @property
    def _delay(self) -> int:
        return self._context.settings.whole("log.dir.rebuild.delay.ms")

    def _rebuild(self) -> None:
        self._rebuilding = False
        if self._delay < 0 or not self._directories.offline:
            return
        spare = [p for p in self._places.all.values() if not p.damaged and self._is_spare(p)]
        for place in spare[:REBUILD_MAX]:
            self._out.say(
                "info", "replica is created again", partition=str(place.name), reason=place.why
            )
            self._places.create(place, self._places.choose(place))
        # Others may become spare: looked at until no directory is missing.
        self._rebuilding = True
        self._out.after(REBUILD_EVERY, self._rebuild)
