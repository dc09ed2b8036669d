"""One replica, its directories, a controller: what may happen next, and what must hold.

Broker 1 has the directories and leads; broker 2, of which only the metadata knows, is in the ISR
too. Both are the least that serve, so one that leaves the ISR stays an eligible leader. A situation
is a sequence of choices; whatever is not a choice happens by itself. Time passes only where nothing
else can happen. Used by `state_space`.
"""

from __future__ import annotations

import errno
import uuid
from collections import Counter
from dataclasses import dataclass
from typing import Final, NamedTuple

from spindle.model import metadata_records as r
from spindle.model.errors import Error
from spindle.model.ids import LogDir, PartitionId, TopicPartition
from spindle.model.image import BROKER_RESOURCE
from spindle.sim.exhaustive.digest import digest
from spindle.sim.exhaustive.mailbox import ControllerModel
from spindle.sim.exhaustive.process import (
    ME,
    WALL_MS,
    Lane,
    Process,
    directory_id,
    format_directories,
)
from spindle.sim.memory_disk import MemoryDisk
from spindle.storage import layout
from spindle.storage.formatting import DEFAULT_LEVELS
from spindle.wire.batch import records, split

OTHER: Final = 2
ELSEWHERE: Final = uuid.UUID(int=20_000)
TOPIC: Final = "t"
ID: Final = PartitionId(uuid.UUID(int=500), 0)
NAME: Final = TopicPartition(TOPIC, 0)
FIRST: Final = (b"one", b"two")
"""What was acknowledged before anything goes wrong."""
STILL_STEPS: Final = 4000
BY_ITSELF: Final = frozenset({"start", "deliver", "work", "learn", "time"})
LEAVE_OUT: Final = frozenset(
    {
        "AssignReplicasToDirsRequest.broker_epoch", "Beat.epoch",
        "BrokerRegistrationChange.broker_epoch", "BrokerSession.epoch",
        "BrokerSession.metadata_offset", "ClusterImage.offset", "ConfiguredLogDir.history",
        "ConfiguredLogDir.rate", "ConfiguredLogDir.usage", "ControllerModel._offset",
        "ControllerModel.life", "ControllerModel.log", "ControllerRequest.life",
        "ControllerRequest.then", "ControllerState.registered_at", "CopyBytes.pace",
        "DirNode.kept", "DirNode.pending", "DiskFailed.verb", "FetchManager.at",
        "FileNode.kept", "FileNode.pending", "Health.why", "JobAsked.ticket",
        "FutureLogCopier._yielding", "LogDirMove.copied", "LogDirMove.share",
        "DiskCalls.made", "DiskCalls.changes", "MoveTools.figures",
        "MoveTools.pacing", "MoveTools.throttles",
        "Outbox._tickets", "Outbox._timers",
        "Outbox._waiting", "Process.learned", "Process.registration",
        "RecordedLifecycle.epoch", "Register.incarnation", "Register.previous_epoch",
        "RegisterBroker.broker_epoch", "RegisterBroker.incarnation_id", "Settings._values",
        "Writes.at", "Writes.timed",
    }
)  # fmt: skip
"""Counters, what people read, caches, what only a power cut would bring to light."""


PROMISES: Final = (
    "the directories that work hold one current log of the replica at most",
    "while no disk has failed there is a log, whole",
    "the leader of an epoch is the broker that the metadata named in that epoch",
    "the metadata never names a live directory that lacks the replica, once the unfenced broker "
    "has read it and has nothing under way",
    "a replica that serves has every acknowledged record, in order",
    "left alone, every move ends, and the metadata names the directory that has the log",
)
"""What is checked: all but the last after each choice, the last wherever all has settled."""


class Choice(NamedTuple):
    """Something that can happen. `what` says to whom or how."""

    kind: str
    what: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.what}".strip()


@dataclass(frozen=True, slots=True)
class ExplorationBounds:
    """How much of what may happen."""

    directories: int = 2
    moves: int = 1
    cancels: int = 0
    failures: int = 1
    restarts: int = 1
    losses: int = 1
    elections: int = 0
    """Changes of the controller."""
    produces: int = 0


class Broken(Exception):
    """A promise does not hold; says which, and how it came to that where that is known."""

    def __init__(self, what: str, path: tuple[Choice, ...] = ()) -> None:
        super().__init__(what)
        self.path = path


class Situation:
    """A broker, its disks and its controller, at some moment."""

    def __init__(self, bounds: ExplorationBounds) -> None:
        self.bounds = bounds
        self.now = 1e6
        self.paths = [f"/d{n}" for n in range(1, bounds.directories + 1)]
        self.disk = MemoryDisk(lambda: WALL_MS)
        format_directories(self.disk, self.paths)
        self.dead: dict[LogDir, None] = {}
        self.used: Counter[str] = Counter()
        self.disturbed_at = self.now
        """When something last happened that does not happen by itself."""
        self._leaders: dict[int, int] = {}
        self.controller = ControllerModel(_first_records(bounds))
        self.life = 1
        self.process: Process | None = self._start()
        self._is_going = False
        self._get_going()
        self._is_going = True

    def _start(self) -> Process:
        return Process(self.disk, self.paths, self.controller, self.life, self.now)

    def _get_going(self) -> None:
        """Until the broker serves and has the first records."""
        self._calm()
        process = self.process
        assert process is not None
        for value in FIRST:
            assert process.produce(ID, value)
            self._calm()
        assert process.logs.places.all[ID].directory == self.paths[0]

    def _calm(self) -> None:
        """Let happen what must, in one fixed order, until nothing is left but time."""
        for _ in range(STILL_STEPS):
            forced = self._forced()
            process = self.process
            ready = (
                process is not None and not process.life.is_fenced and ID in process.logs.places.all
            )
            if not forced and ready:
                return
            self.take(forced[0] if forced else Choice("time"))
        raise Broken("it does not come to rest")

    # --- what may happen ------------------------------------------------------------------------

    def choices(self) -> list[Choice]:
        """All that can happen now, faults within the bounds included."""
        found = self._forced()
        if self.process is None:
            return found
        if not found:
            found.append(Choice("time"))
        return found + self._orders() + self._faults()

    def at_rest(self) -> bool:
        """Whether nothing is under way: only time can pass, and faults can strike."""
        return not self._forced()

    def next_by_itself(self) -> Choice:
        """What happens if nothing goes wrong and there is no order."""
        forced = self._forced()
        return forced[0] if forced else Choice("time")

    def _forced(self) -> list[Choice]:
        process = self.process
        if process is None:
            return [Choice("start")] + ([Choice("deliver")] if self.controller.letters else [])
        found = [Choice("work", _name(lane)) for lane in process.lanes]
        if process.learned < len(self.controller.log):
            found.append(Choice("learn"))
        if self.controller.letters:
            found.append(Choice("deliver"))
        return found

    def _orders(self) -> list[Choice]:
        process, found = self.process, []
        assert process is not None
        if self._left("moves") and process.logs.reconciler.is_settled:
            found += [Choice("move", path) for path in self.paths]
        if self._left("cancels") and process.logs.moves.under_way.of(ID) is not None:
            found.append(Choice("cancel"))
        if self._left("produces") and self._serves():
            found.append(Choice("produce"))
        return found

    def _faults(self) -> list[Choice]:
        found = []
        if self._left("failures"):
            found += [Choice("fail", path) for path in self.paths if path not in self.dead]
        if self._left("restarts"):
            found.append(Choice("kill"))
        if self._left("elections"):
            found.append(Choice("elect"))
            if self.controller.letters:
                found.append(Choice("elect", "unanswered"))
        if self._left("losses") and self.controller.letters:
            found += [Choice("lose"), Choice("lose", "answer"), Choice("lose", "delay")]
        return found

    def _left(self, budget: str) -> bool:
        return self.used[budget] < int(getattr(self.bounds, budget))

    # --- letting it happen ----------------------------------------------------------------------

    def take(self, choice: Choice) -> None:
        """Let one thing happen. Broken where a promise does not hold afterwards."""
        kind, what = choice
        if kind not in BY_ITSELF:
            self.disturbed_at = self.now
        if kind == "start":
            self.life += 1
            self.controller.life = self.life
            self.process = self._start()
        elif kind == "kill":
            self.used["restarts"] += 1
            self._end()
        elif kind == "deliver":
            self.controller.deliver(0)
        elif kind == "elect":
            self.used["elections"] += 1
            if what == "unanswered":
                self.controller.deliver(0, answered=False)
            self.controller.elect()
        elif kind == "lose":
            self.used["losses"] += 1
            self._lose(what)
        else:
            self._happen(kind, what)
        process = self.process
        if process is not None:
            process.settle()
            if process.halted is not None:
                self._end()
        if self._is_going:
            self.check()

    def _happen(self, kind: str, what: str) -> None:
        process = self.process
        assert process is not None
        if kind == "work":
            process.work(next(lane for lane in process.lanes if _name(lane) == what))
        elif kind == "learn":
            process.learn()
        elif kind == "time":
            self._pass_time(process)
        elif kind == "move":
            self.used["moves"] += 1
            process.logs.orders.altering.alter(NAME, what, _unheard)
        elif kind == "cancel":
            self.used["cancels"] += 1
            here = process.logs.places.all[ID].directory
            assert here is not None
            process.logs.orders.altering.alter(NAME, here, _unheard)
        elif kind == "produce":
            self.used["produces"] += 1
            process.produce(ID, b"more")
        else:
            assert kind == "fail"
            self.used["failures"] += 1
            self.dead[what] = None
            self.disk.fail(what, errno.EIO)

    def _lose(self, what: str) -> None:
        if what == "answer":
            self.controller.deliver(0, answered=False)
        elif what == "delay":
            self.controller.delay(0)
            self.controller.letters.append(self.controller.letters.pop(0))
        else:
            self.controller.lose(0)

    def _pass_time(self, process: Process) -> None:
        at = process.out.wake_at
        assert at is not None, "a broker always has something to look after"
        self.now = max(self.now, at)
        process.set_clock(self.now)
        process.tick()

    def _end(self) -> None:
        """The process is gone; what it had written is there."""
        self.process = None
        self.disk.kill()
        self.controller.forget_waiting()

    # --- what must hold -------------------------------------------------------------------------

    def check(self) -> None:
        """The promises that hold at every moment."""
        current, future = self._logs("current"), self._logs("future")
        alive = [path for path in current if path not in self.dead]
        if len(alive) > 1:
            raise Broken(f"two current logs: {alive}")
        if not self.dead and not alive and not future:
            raise Broken("no log is left")
        self._check_leader()
        self._check_metadata(current + future)
        if self._serves():
            self._check_records()

    def _check_leader(self) -> None:
        """Never two leaders in one epoch (K858-20)."""
        state = self.controller.image.partition(ID)
        assert state is not None
        self._leaders.setdefault(state.leader_epoch, state.leader)
        if not self._serves() or self.process is None:
            return
        machine = self.process.replicas.partitions.hosted[ID].partition
        if machine.leads and self._leaders.get(machine.leader_epoch) != ME:
            raise Broken(f"broker 1 leads in epoch {machine.leader_epoch}, which is another's")

    def _check_metadata(self, holders: list[LogDir]) -> None:
        """The metadata never names a live directory that lacks the replica (K858-20)."""
        process, image = self.process, self.controller.image
        if process is None or process.learned < len(self.controller.log) or process.lanes:
            return
        broker = image.brokers.get(ME)
        if broker is None or broker.fenced or broker.broker_epoch != process.life.epoch:
            return
        named = self._named()
        if named is None or named in self.dead or named in process.logs.offline:
            return
        if named not in holders and directory_id(_number(named)) in broker.log_dirs:
            raise Broken(f"the metadata names {named}, which has no log of the replica")

    def check_at_rest(self) -> None:
        """What must be so once all has settled: asked where time passes in a circle."""
        process, image = self.process, self.controller.image
        if process is None or not process.logs.reconciler.is_settled:
            return
        place = process.logs.places.all.get(ID)
        state = image.partition(ID)
        assert state is not None
        if place is None or place.directory is None or place.directory in self.dead:
            if state.leader == ME:
                raise Broken("broker 1 leads without a log")
            return
        if process.logs.moves.under_way.of(ID) is not None:
            raise Broken("a move does not end")
        if self._named() != place.directory:
            raise Broken(f"the log is in {place.directory}, the metadata says {self._named()}")

    def _check_records(self) -> None:
        process = self.process
        assert process is not None
        hosted = process.replicas.partitions.hosted[ID]
        if hosted.directory in self.dead:
            return
        log = process.directories[hosted.directory].logs.get(hosted.key)
        if log is None:
            return  # In the middle of a swap: it cannot be read.
        data = log.read(0, log.end, 1 << 20, True).data
        found = [record.value for batch in split(data) for record in records(batch)]
        if found[: len(FIRST)] != list(FIRST):
            raise Broken(f"acknowledged records are gone: {found}")

    # --- looking --------------------------------------------------------------------------------

    def digest(self) -> bytes:
        """Which situation this is."""
        process, running = self.process, None
        if process is not None:
            known = self.controller.image.brokers.get(ME)
            running = (
                process.logs, process.replicas, process.life, process.lanes,
                process.continuations(), self.controller.log[process.learned :],
                process.life.epoch >= 0,
                known is not None and known.broker_epoch == process.life.epoch,
            )  # fmt: skip
        letters = [(one.life == self.life, one.then) for one in self.controller.letters]
        return digest(
            self.now, LEAVE_OUT, running, letters, self.controller, self.disk.root,
            self.disk.calls.faults, list(self.dead), sorted(self.used.items()),
        )  # fmt: skip

    def _serves(self) -> bool:
        process = self.process
        return process is not None and process.replicas.partitions.bounds(ID) is not None

    def _named(self) -> LogDir | None:
        image = self.controller.image
        state = image.partition(ID)
        assert state is not None
        named = image.directory_of(state, ME)
        return next((p for p in self.paths if directory_id(_number(p)) == named), None)

    def _logs(self, kind: str) -> list[LogDir]:
        """Directories with a log of the partition of this kind, as their files say."""
        found = []
        for path in self.paths:
            for name in self.disk.names(path):
                if layout.parse_directory(name).kind.value == kind:
                    found.append(path)
        return found


def _first_records(bounds: ExplorationBounds) -> list[r.MetadataRecord]:
    first = directory_id(1)
    return [
        *DEFAULT_LEVELS,
        r.DynamicConfig(
            resource_type=BROKER_RESOURCE, resource_name="", key="min.insync.replicas", value="2"
        ),
        r.RegisterBroker(
            broker_id=OTHER, incarnation_id=uuid.UUID(int=2), broker_epoch=1, fenced=False,
            log_dirs=(ELSEWHERE,),
        ),
        r.Topic(name=TOPIC, topic_id=ID.topic_id),
        r.PartitionRegistration(
            partition_id=0, topic_id=ID.topic_id, replicas=(ME, OTHER), isr=(ME, OTHER), leader=ME,
            leader_epoch=0, partition_epoch=0, directories=(first, ELSEWHERE),
        ),
    ]  # fmt: skip


def _unheard(_: Error) -> None:
    """The origin of a move is no part of a situation."""


def _name(lane: Lane) -> str:
    return lane[1] if lane[0] == lane[1] else f"{lane[0]}>{lane[1]}"


def _number(path: LogDir) -> int:
    return int(path.removeprefix("/d"))
