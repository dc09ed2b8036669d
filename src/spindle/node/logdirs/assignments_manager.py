"""What the metadata should say of our replicas; the controller is told so (KIP-858, KIP-589).

Decides by where a replica is, whether it can be used, and what its move has promised; two
`ReportSender`s are the ways to the controller. `log_dir_manager` asks whenever something about a
replica has changed.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.core.logdirs.events import Post, ReplicaChanged
from spindle.core.logdirs.report_queue import StateChange
from spindle.model.ids import LOST, MIGRATING, NO_LEADER, UNASSIGNED, DirectoryId, PartitionId
from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.alter_log_dirs_manager import AlterLogDirsManager
from spindle.node.logdirs.assignment_requests import AssignmentSender
from spindle.node.logdirs.directories import Directories
from spindle.node.logdirs.life import LifecyclePort
from spindle.node.logdirs.placement_registry import LocalReplica, ReplicaPlacementRegistry, Stage
from spindle.node.logdirs.replica_state_requests import ReplicaStateSender
from spindle.wire.apis import Key


class AssignmentsManager:
    """What is to be said of each replica."""

    def __init__(
        self,
        context: BrokerContext,
        life: LifecyclePort,
        directories: Directories,
        places: ReplicaPlacementRegistry,
        moves: AlterLogDirsManager,
        has_answered: Callable[[PartitionId], bool],
        post: Post,
    ) -> None:
        """`has_answered`: whether the leader of a replica has heard how far its log goes."""
        self._context = context
        self._life = life
        self._directories = directories
        self._places = places
        self._moves = moves
        self._has_answered = has_answered
        self._post = post
        self.is_ready = False
        """Whether the controller has once known where everything is."""
        self._unanswered: dict[PartitionId, None] = {}
        """Replicas that are back, but their leaders do not know yet how far their logs go."""
        self._awaited: dict[PartitionId, None] | None = None
        """Of which it must know for that; None: the disks and the metadata were not compared."""
        self.assigning = AssignmentSender(context, lambda: life.epoch, self.wanted, moves)
        self.reporting = ReplicaStateSender(context, lambda: life.epoch, self.state_of, post)

    # --- until it knows of all ----------------------------------------------------------------

    def begin(self) -> None:
        """Disks and metadata were compared: the controller must know of all that is here."""
        self._awaited = dict.fromkeys(self._places.all)

    def on_added(self, id: PartitionId) -> None:
        """A replica is new here."""
        if not self.is_ready and self._awaited is not None:
            self._awaited[id] = None

    def make_ready(self) -> None:
        """Ask to be unfenced once the controller knows where everything is (K858-13)."""
        if self._awaited is not None and not self.is_ready and not self._awaited:
            self.is_ready = True
            self._context.out.say("info", "logs are ready", count=len(self._places.all))
            self._life.ready()

    def _on_told(self, id: PartitionId, wanted: DirectoryId | None) -> None:
        if not self._awaited:
            return
        found = self._places.all.get(id)
        creating = found is not None and found.stage is Stage.CREATING
        several = len(self._directories.all) > 1
        if not creating and (wanted is None or not several):
            self._awaited.pop(id, None)
            self.make_ready()

    # --- directories --------------------------------------------------------------------------

    def on_directory_failed(self, id: DirectoryId) -> None:
        """Tell the controller now: it elects while we go through thousands of replicas."""
        self._life.on_directory_failed(id)
        self._context.out.hurry()

    def tell_cordoned(self) -> None:
        """Tell it which directories take no new replicas."""
        self._life.set_cordoned(self._directories.cordoned_ids())

    # --- replicas -----------------------------------------------------------------------------

    def tell(self, id: PartitionId) -> None:
        """Have the controller told what it should know of a replica now."""
        wanted, news = self.wanted(id), self._news_of(id)
        if news is not None:
            self.reporting.want(id, news)
        else:
            self.reporting.withdraw(id)
        if wanted is not None and news is None:
            self.assigning.want(id, wanted)
        else:
            self.assigning.withdraw(id)
        self._on_told(id, wanted)

    def on_answered(self, id: PartitionId) -> None:
        """A leader has answered the first fetch for a log of ours."""
        if id in self._unanswered:
            del self._unanswered[id]
            self._post(ReplicaChanged(id))

    def on_registered(self) -> None:
        """We have a new broker epoch."""
        self.assigning.on_registered()
        self.reporting.on_registered()

    def on_removed(self, id: PartitionId) -> None:
        """A replica is not ours any more."""
        self.assigning.withdraw(id)
        self.reporting.withdraw(id)
        self._unanswered.pop(id, None)
        if self._awaited is not None:
            self._awaited.pop(id, None)

    def wanted(self, id: PartitionId) -> DirectoryId | None:
        """The directory that the metadata should name for a replica; None: what it names is right.

        A move that has caught up promises its target, and nothing else may be said until it has
        ended (B-05), and if it was given up, until the metadata shows what came of that: so one
        word is under way for a replica, and the last one wins. A replica that cannot be used must
        not be named in a live directory.
        """
        found = self._places.all.get(id)
        if found is None or not self._context.speaks_of_directories:
            return None
        promised, doubted = self._moves.under_way.promised(id), self._moves.under_way.doubted(id)
        assigned = self._context.assigned(id)
        if promised is not None:
            wanted = promised
        elif found.stage is Stage.READY:
            assert found.directory is not None
            if self._is_unknown(id, assigned):
                return None
            here = doubted or self._directories.id_of(found.directory)
            wanted = LOST if found.is_crowded else here
        elif found.stage is Stage.OFFLINE and (doubted or self._seems_online(assigned)):
            wanted = LOST
        else:
            return None
        return None if wanted == assigned else wanted

    def _is_unknown(self, id: PartitionId, assigned: DirectoryId) -> bool:
        """Whether a replica that is back must wait until its leader has heard of its log.

        The leader remembers how far the log was before. Told now that we are back it would take us
        into the ISR for that, however little we have (found by the simulation, K589-04). After a
        start the epoch of the broker is another one, under which nothing is remembered.
        """
        state, me = self._context.image.partition(id), self._context.node_id
        waits = (
            self.is_ready
            and state is not None
            and state.leader not in (NO_LEADER, me)
            and not self._seems_online(assigned)
            and not self._has_answered(id)
        )
        if waits:
            self._unanswered[id] = None
        return waits

    def _seems_online(self, assigned: DirectoryId) -> bool:
        return (
            assigned in (UNASSIGNED, MIGRATING) or self._directories.path_of(assigned) is not None
        )

    def _news_of(self, id: PartitionId) -> StateChange | None:
        """What became of a replica, if the controller should hear it by AlterReplicaState.

        A controller that lacks the API gets an assignment instead (K589-05).
        """
        lacks = self._context.controller.lacks(Key.ALTER_REPLICA_STATE)
        return None if lacks else self.state_of(id)

    def state_of(self, id: PartitionId) -> StateChange | None:
        """The state of a replica that is not as the metadata says, whatever the reason is.

        Only of one that is bad on a good disk, or well again (K589-01, K589-04).
        """
        found, assigned = self._places.all.get(id), self._context.assigned(id)
        if (
            found is None
            or not self._context.speaks_of_directories
            or self._moves.under_way.promised(id) is not None
        ):
            return None
        if found.is_crowded and self._seems_online(assigned):
            return StateChange(online=False, reason="its disk is full")
        if found.stage is Stage.READY and assigned == LOST and not found.is_crowded:
            return None if self._is_unknown(id, assigned) else StateChange(online=True)
        if _is_bad(found) and self._seems_online(assigned):
            return StateChange(online=False, reason=f"{found.name}: {found.why}", damaged=True)
        return None


def _is_bad(found: LocalReplica) -> bool:
    return found.stage is Stage.OFFLINE and found.damaged
