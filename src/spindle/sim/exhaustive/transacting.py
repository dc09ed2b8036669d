"""Producers, two brokers, their coordinators: what may happen next, and what must hold (C-01).

Broker 1 leads the data and the group's offsets, broker 2 coordinates; each follows the other. A
leadership that moves leaves a broker behind that does not know of it until it learns. A situation
is a sequence of choices; time passes only where no letter is under way. Used by `search`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Final

from spindle.core.transactions.transaction_states import TransactionState
from spindle.model import metadata_records as r
from spindle.model.batches import Buffer
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId, PartitionId, TopicPartition
from spindle.model.image import ClusterImage
from spindle.node.handlers import BROKER
from spindle.node.request_context import RequestContext, Sink
from spindle.node.router import decoded, serve
from spindle.sim.exhaustive.asker import BUMPING, GROUP, PLAINLY, TOPIC, Asker
from spindle.sim.exhaustive.digest import digest
from spindle.sim.exhaustive.side import PORT, Ids, StandingBroker
from spindle.sim.exhaustive.situation import LEAVE_OUT, Broken, Choice
from spindle.sim.exhaustive.transaction_bounds import (
    DATA,
    OFFSETS,
    STATE,
    TransactionBounds,
    askers,
    first_records,
)
from spindle.sim.producer import AGAIN
from spindle.sim.script import BUSY, ELSEWHERE
from spindle.sim.transaction_history import Fate
from spindle.sim.transactor import FENCED
from spindle.wire.apis import Key
from spindle.wire.batch import records
from spindle.wire.codec import Request, Response, decode
from spindle.wire.control import marker_of
from spindle.wire.framing import RequestHeader, decode_header, request_frame, response_in
from spindle.wire.messages.add_partitions_to_txn_request import AddPartitionsToTxnRequest
from spindle.wire.messages.write_txn_markers_request import WriteTxnMarkersRequest

REQUESTS: Final[dict[int, type[Request[Response]]]] = {
    Key.ADD_PARTITIONS_TO_TXN: AddPartitionsToTxnRequest,
    Key.WRITE_TXN_MARKERS: WriteTxnMarkersRequest,
}
"""What brokers ask one another."""
PLACES: Final = {"write": DATA, "offsets": OFFSETS, "plainly": OFFSETS}
"""What is asked of the leader of another partition than the coordinator's."""
SOON: Final = 1.0
"""Seconds: what waits for longer is no part of this."""
RETRY: Final = 0.1
UNDECIDED: Final = (
    TransactionState.ONGOING,
    TransactionState.PREPARE_COMMIT,
    TransactionState.PREPARE_ABORT,
)
NOT_COUNTED: Final = LEAVE_OUT | {"Letter.ticket", "Asker.asked", "Sent.number"}


@dataclass(slots=True, eq=False)
class Letter:
    """A request from one broker to another. `heard`: whether its answer still is."""

    source: NodeId
    target: NodeId
    channel: str
    request: Request[Response]
    version: int
    ticket: int
    is_there: bool = False
    heard: bool = True


class TransactionSituation:
    """All of it, at some moment."""

    def __init__(self, bounds: TransactionBounds) -> None:
        self.bounds = bounds
        self.now = 1e6
        self.disturbed_at = self.now
        self.used: Counter[str] = Counter()
        self.letters: list[Letter] = []
        self.log = [first_records(bounds)]
        self.image = ClusterImage()
        for record in self.log[0]:
            self.image.apply(record)
        ids = Ids()
        self.sides = {n: StandingBroker(n, self.now, ids) for n in (1, 2)}
        self.askers = askers(bounds)
        self.youngest: dict[str, str] = {}
        """The last client to ask for an epoch of each transactional id: none may fence that one."""
        for side in self.sides.values():
            side.learn(self.log[0])
        self._settle()

    # --- what may happen ------------------------------------------------------------------------

    def choices(self) -> list[Choice]:
        """All that can happen now, faults within the bounds included."""
        urgent = [Choice("deliver", str(n)) for n, _ in self._deliverable()]
        free = self._free()
        found = urgent + free
        may_wait = self.used["waits"] < self.bounds.waits and self._wakes() < self.now + SOON
        if not urgent and (may_wait or not free):
            found.append(Choice("time"))
        return found + self._faults()

    def _deliverable(self) -> list[tuple[int, Letter]]:
        """Messages whose asker waits: the first of each channel."""
        first: dict[tuple[NodeId, str], tuple[int, Letter]] = {}
        for number, letter in enumerate(self.letters):
            if not letter.is_there and letter.heard:
                first.setdefault((letter.source, letter.channel), (number, letter))
        return list(first.values())

    def _free(self) -> list[Choice]:
        """What happens by itself, sooner or later."""
        found = [
            Choice("learn", str(n)) for n, s in self.sides.items() if s.learned < len(self.log)
        ]
        if any(self._can_copy(id) for id in (DATA, OFFSETS)):
            found.append(Choice("copy"))
        found += [
            Choice("late", str(n))
            for n, letter in enumerate(self.letters)
            if not letter.is_there and not letter.heard and self._may_come(letter)
        ]
        found += [Choice("ask", asker.name) for asker in self.askers if asker.may_ask(self.now)]
        return found

    def _may_come(self, letter: Letter) -> bool:
        """Whether a late message can only do harm that no promise excludes.

        Before KIP-890 transactions of one producer have one epoch: a marker of the last one that
        comes late ends the next one, unless another coordinator has marked it meanwhile.
        """
        request = letter.request
        if self.bounds.level >= BUMPING or not isinstance(request, WriteTxnMarkersRequest):
            return True
        marker = request.markers[0]
        log = self.sides[letter.target].replicas.partitions.hosted[DATA].partition.log
        known = dict(log.producers.items()).get(marker.producer_id)
        return known is not None and known.coordinator_epoch > marker.coordinator_epoch

    def _faults(self) -> list[Choice]:
        found = []
        if self._left("losses"):
            for number, letter in enumerate(self.letters):
                if letter.heard:
                    kinds = ("cut",) if letter.is_there else ("lose", "delay")
                    found += [Choice(kind, str(number)) for kind in kinds]
            found += [
                Choice("miss", asker.name)
                for asker in self.askers
                # An InitProducerId that comes twice fences its own producer.
                if asker.waits and asker.step != "init"
            ]
        other = self.sides[3 - self._leader(STATE)].replicas.partitions
        behind = other.hosted[STATE].partition.leads
        if self._left("strays") and behind:
            found += [
                Choice("stray", asker.name)
                for asker in self.askers
                if asker.may_ask(self.now) and asker.step not in PLACES
            ]
        if self._left("coordinators"):
            found.append(Choice("coordinate"))
        if self._left("leaders"):
            found.append(Choice("lead"))
        return found

    def _left(self, budget: str) -> bool:
        return self.used[budget] < int(getattr(self.bounds, budget))

    def at_rest(self) -> bool:
        """Whether only time can pass, and faults can strike."""
        return not self._deliverable() and not self._free()

    def next_by_itself(self) -> Choice:
        """What happens if nothing goes wrong."""
        urgent = [Choice("deliver", str(n)) for n, _ in self._deliverable()]
        return next(iter(urgent + self._free()), Choice("time"))

    # --- letting it happen ----------------------------------------------------------------------

    def take(self, choice: Choice) -> None:
        """Let one thing happen. Broken where a promise does not hold afterwards."""
        kind, what = choice
        if kind in ("cut", "lose", "delay", "miss"):
            self.used["losses"] += 1
        if kind not in ("deliver", "learn", "copy", "late", "ask", "time"):
            self.disturbed_at = self.now
        if kind in ("deliver", "late", "cut", "lose", "delay"):
            self._on_letter(kind, self.letters[int(what)])
        elif kind == "learn":
            side = self.sides[int(what)]
            side.learn(self.log[side.learned])
        elif kind == "copy":
            self._copy(DATA, OFFSETS)
        elif kind == "ask":
            self._ask(self._asker(what), self._leader_for(self._asker(what)))
        elif kind == "stray":
            self.used["strays"] += 1
            self._ask(self._asker(what), 3 - self._leader_for(self._asker(what)))
        elif kind == "miss":
            self._retry(self._asker(what))
        elif kind == "time":
            self._pass_time()
        else:
            self.used["coordinators" if kind == "coordinate" else "leaders"] += 1
            self._move(*((STATE,) if kind == "coordinate" else (DATA, OFFSETS)))
        self._settle()
        self._check_readers()

    def _asker(self, name: str) -> Asker:
        return next(asker for asker in self.askers if asker.name == name)

    def _retry(self, asker: Asker) -> None:
        asker.waits = False
        asker.asked += 1
        asker.not_before = self.now + RETRY

    def _move(self, *ids: PartitionId) -> None:
        """The other broker leads, alone in the ISR; brokers learn of it one by one."""
        changes: list[r.MetadataRecord] = []
        for id in ids:
            other = 3 - self._leader(id)
            changes.append(
                r.PartitionChange(
                    partition_id=id.partition, topic_id=id.topic_id, leader=other, isr=(other,)
                )
            )
        for change in changes:
            self.image.apply(change)
        self.log.append(changes)

    def _wakes(self) -> float:
        """When the next timer that matters runs out."""
        timers = [
            at
            for side in self.sides.values()
            for at, _, timer in side.out._timers
            if timer.then is not None
        ]
        timers += [a.not_before for a in self.askers if not a.waits and not a.is_done]
        return min((at for at in timers if at > self.now), default=self.now + 2 * SOON)

    def _pass_time(self) -> None:
        wakes = self._wakes()
        if wakes > self.now + SOON:
            return
        if self._free():
            self.used["waits"] += 1
        self.now = wakes
        for side in self.sides.values():
            side.set_clock(self.now)
            side.out.tick()

    def _settle(self) -> None:
        """What follows at once: jobs, new messages, the copies of the coordinators' log."""
        busy = True
        while busy:
            busy = False
            for side in self.sides.values():
                if any(t.then and at <= self.now for at, _, t in side.out._timers):
                    side.out.tick()
                side.settle()
                frames, side.frames = side.frames, []
                for frame in frames:
                    busy = True
                    header, offset = decode_header(frame.frame[4:])
                    kind = REQUESTS[header.api_key]
                    request, _ = decode(kind, header.version, frame.frame[4:], offset)
                    target = frame.port - PORT
                    letter = Letter(
                        side.id, target, frame.channel, request, header.version, frame.ticket
                    )
                    self.letters.append(letter)
            busy = self._copy(STATE) or busy
        self.letters = [one for one in self.letters if one.heard or not one.is_there]

    def _leader(self, id: PartitionId) -> NodeId:
        """The leader, whether or not all have learned of it."""
        state = self.image.partition(id)
        assert state is not None
        return state.leader

    # --- logs -----------------------------------------------------------------------------------

    def _can_copy(self, id: PartitionId) -> bool:
        state = self.image.partition(id)
        assert state is not None
        leader, follower = self.sides[state.leader], self.sides[3 - state.leader]
        its, mine = (s.replicas.partitions.hosted[id].partition for s in (leader, follower))
        agree = its.leads and not mine.leads and its.leader_epoch == mine.leader_epoch
        news = mine.log.end < its.log.end or its.log.high_watermark < its.log.end
        return follower.id in state.isr and agree and its.log.end == its.log.next and news

    def _copy(self, *ids: PartitionId) -> bool:
        copied = False
        for id in ids:
            if self._can_copy(id):
                leader = self._leader(id)
                self.sides[3 - leader].copy(id, self.sides[leader])
                copied = True
        return copied

    # --- messages --------------------------------------------------------------------------------

    def _on_letter(self, kind: str, letter: Letter) -> None:
        if kind in ("deliver", "late"):
            letter.is_there = True
            sink = partial(self._on_reply, letter)
            self._serve(self.sides[letter.target], letter.request, letter.version, sink)
            return
        letter.heard = False
        letter.is_there = letter.is_there or kind == "lose"
        self.sides[letter.source].out.done(letter.ticket, PeerFailed("lost"))

    def _on_reply(self, letter: Letter, buffers: list[Buffer]) -> None:
        if letter.heard:
            letter.heard = False
            frame = b"".join(bytes(buffer) for buffer in buffers)[4:]
            self.sides[letter.source].out.done(letter.ticket, frame)

    def _serve(
        self, side: StandingBroker, request: Request[Response], version: int, sink: Sink
    ) -> None:
        served = decoded(BROKER, request_frame(request, version, 0, "x")[4:])
        header = RequestHeader(request.KEY, version, 0, "x")
        context = RequestContext[Response](header, b"", 1, "PLAINTEXT", "x", {}, sink)
        serve(BROKER[request.KEY], side.broker, served, context)

    # --- producers ------------------------------------------------------------------------------

    def _leader_for(self, asker: Asker) -> NodeId:
        """The broker that its next request is for."""
        return self._leader(PLACES.get(asker.step, STATE))

    def _ask(self, asker: Asker, broker: NodeId) -> None:
        if asker.step == "commit" and asker.fates.get(asker.value) is Fate.OPEN:
            asker.is_stale = any(a.epoch > asker.epoch for a in self._rivals(asker))
        if asker.step == "init":
            self.youngest[asker.transactional_id] = asker.name
        asker.waits = True
        asker.asked += 1
        version, request = asker.version, asker.request(DATA)
        sink = partial(self._on_answer, asker, asker.asked, request, version)
        self._serve(self.sides[broker], request, version, sink)

    def _rivals(self, asker: Asker) -> list[Asker]:
        """Other producers of the same transactional id that have begun."""
        same = [a for a in self.askers if a.transactional_id == asker.transactional_id]
        return [a for a in same if a is not asker and a.asked]

    def _on_answer(
        self,
        asker: Asker,
        number: int,
        request: Request[Response],
        version: int,
        buffers: list[Buffer],
    ) -> None:
        if not asker.waits or asker.asked != number:
            return
        frame = b"".join(bytes(buffer) for buffer in buffers)[4:]
        answer = response_in(frame, request, version)
        error = asker.error_of(answer)
        if error in AGAIN or error in BUSY or error in ELSEWHERE:
            self._retry(asker)
            return
        asker.waits = False
        if error == Error.NONE:
            if asker.step == "commit" and asker.is_stale:
                raise Broken(f"{asker.name} was fenced, and has committed")
            asker.go_on(answer)
        elif error in FENCED and self.youngest[asker.transactional_id] != asker.name:
            asker.give_up()
        else:
            raise Broken(f"{asker.name} was refused at {asker.step}: {error.name}")

    # --- what must hold -------------------------------------------------------------------------

    def _fates(self) -> dict[bytes, Fate]:
        return {value: fate for a in self.askers for value, fate in a.fates.items()}

    def _visible(self) -> list[bytes] | None:
        """What a reader of committed records gets from the leader, as clients filter it."""
        side = self.sides[self._leader(DATA)]
        machine = side.replicas.partitions.hosted[DATA].partition
        if not machine.leads:
            return None
        stable = machine.log.stable
        waiting = sorted(
            (a.first, a.producer_id) for a in machine.log.transactions.aborted(0, stable) or ()
        )
        aborted: set[int] = set()
        found: list[bytes] = []
        for batch in side.batches(DATA):
            if batch.last_offset >= stable:
                break
            while waiting and waiting[0][0] <= batch.last_offset:
                aborted.add(waiting.pop(0)[1])
            if batch.is_control:
                marker = marker_of(batch)
                if marker is not None and not marker.committed:
                    aborted.discard(batch.producer_id)
            elif batch.producer_id not in aborted:
                found += [bytes(record.value or b"") for record in records(batch)]
        return found

    def _check_readers(self) -> None:
        fates = self._fates()
        for value in self._visible() or ():
            if fates[value] not in (Fate.ASKED, Fate.COMMITTED):
                raise Broken(f"{value!r} is read as committed, but is {fates[value].value}")

    def check_at_rest(self) -> None:
        """All has come to its end, and well."""
        left = [asker.name for asker in self.askers if not asker.is_done]
        if left:
            raise Broken(f"{left} never come to their end")
        shown = self._visible() or []
        for value, fate in self._fates().items():
            if fate is Fate.COMMITTED and shown.count(value) != 1:
                raise Broken(f"{value!r} is committed, and read {shown.count(value)} times")
            if fate in (Fate.OPEN, Fate.ABORTED) and value in shown:
                raise Broken(f"{value!r} is {fate.value}, and read as committed")
        log = self.sides[self._leader(DATA)].replicas.partitions.hosted[DATA].partition.log
        if log.stable < log.high_watermark or log.high_watermark < log.end:
            raise Broken("the last stable offset never reaches the end")
        for txn in self.sides[self._leader(STATE)].transactions.all():
            is_left = any(not a.fates for a in self.askers)
            if txn.stored.state in UNDECIDED and not is_left:
                raise Broken(f"{txn.transactional_id} never ends: {txn.stored.state.title}")
        if self.bounds.offsets:
            self._check_offsets()

    def _check_offsets(self) -> None:
        """The group's offset is the one that was committed last."""
        coordinator = self.sides[self._leader(OFFSETS)].groups.coordinator(GROUP)
        known = coordinator.offsets.of(GROUP).get(TopicPartition(TOPIC, 0))
        if known is None or known.metadata != PLAINLY:
            raise Broken(f"{GROUP} has the offset {known}, though another was committed last")

    # --- what it is -----------------------------------------------------------------------------

    def digest(self) -> bytes:
        """Equal for situations in which the same can happen."""
        waiting = []
        for side in self.sides.values():
            timers = sorted(t for t in side.out._timers if t[2].then is not None)
            waiting.append([(at, timer.then) for at, _, timer in timers])
        asked = [self.sides[x.source].out._waiting[x.ticket] for x in self.letters if x.heard]
        return digest(
            self.now, NOT_COUNTED, list(self.sides.values()), self.letters, waiting, asked,
            self.askers, self.youngest, self.log[1:], sorted(self.used.items()),
        )  # fmt: skip
