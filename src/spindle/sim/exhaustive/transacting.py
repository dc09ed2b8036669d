"""Producers, two brokers, their coordinators: what may happen next, and what must hold (C-01).

Broker 1 leads the data and the group's offsets, broker 2 coordinates; each follows the other. A
situation is a sequence of choices; time passes only where no letter is under way. Used by
`state_space`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Final

from spindle.model.batches import Buffer
from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId
from spindle.node.transactions.markers import VERSIONED_FROM
from spindle.sim.exhaustive.asker import BUMPING, Asker
from spindle.sim.exhaustive.broker_pair import BrokerPair
from spindle.sim.exhaustive.digest import digest
from spindle.sim.exhaustive.side import PORT
from spindle.sim.exhaustive.situation import LEAVE_OUT, Broken, Choice
from spindle.sim.exhaustive.transaction_bounds import (
    DATA,
    OFFSETS,
    STATE,
    TransactionBounds,
    askers,
    first_records,
)
from spindle.sim.exhaustive.transaction_promises import check_at_rest, check_readers
from spindle.sim.producer import AGAIN
from spindle.sim.script import BUSY, ELSEWHERE
from spindle.sim.transaction_history import Fate
from spindle.sim.transactor import FENCED
from spindle.wire.apis import Key
from spindle.wire.codec import Request, Response, decode
from spindle.wire.framing import decode_header, response_in
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
        self.pair = BrokerPair(first_records(bounds), self.now)
        self.askers = askers(bounds)
        self.youngest: dict[str, str] = {}
        """The last client to ask for an epoch of each transactional id: none may fence that one."""
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
            Choice("learn", str(n)) for n, s in self.pair.sides.items() if self.pair.can_learn(s)
        ]
        if any(self.pair.can_copy(id) for id in (DATA, OFFSETS)):
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
        comes late ends the next one, unless another coordinator has marked it meanwhile. So it does
        where the marker cannot say that the epoch has grown.
        """
        request = letter.request
        says_so = self.bounds.level >= BUMPING and self.bounds.serves >= VERSIONED_FROM
        if says_so or not isinstance(request, WriteTxnMarkersRequest):
            return True
        marker = request.markers[0]
        producers = (
            self.pair.sides[letter.target].replicas.partitions.hosted[DATA].partition.log.producers
        )
        known = dict(producers.items()).get(marker.producer_id)
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
        behind = self.pair.following(STATE).replicas.partitions.hosted[STATE].partition.leads
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
            self.pair.learn(self.pair.sides[int(what)])
        elif kind == "copy":
            self.pair.copy(DATA, OFFSETS)
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
            self.pair.move(*((STATE,) if kind == "coordinate" else (DATA, OFFSETS)))
        self._settle()
        check_readers(self.pair, self.askers, offsets=bool(self.bounds.offsets))

    def _asker(self, name: str) -> Asker:
        return next(asker for asker in self.askers if asker.name == name)

    def _retry(self, asker: Asker) -> None:
        asker.waits = False
        asker.asked += 1
        asker.not_before = self.now + RETRY

    def _wakes(self) -> float:
        """When the next timer that matters runs out."""
        timers = [
            at
            for side in self.pair.sides.values()
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
        for side in self.pair.sides.values():
            side.set_clock(self.now)
            side.out.tick()

    def _settle(self) -> None:
        """What follows at once: jobs, new messages, the copies of the coordinators' log."""
        busy = True
        while busy:
            busy = False
            for side in self.pair.sides.values():
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
            busy = self.pair.copy(STATE) or busy
        self.letters = [one for one in self.letters if one.heard or not one.is_there]

    # --- messages --------------------------------------------------------------------------------

    def _on_letter(self, kind: str, letter: Letter) -> None:
        if kind in ("deliver", "late"):
            letter.is_there = True
            sink = partial(self._on_reply, letter)
            self.pair.sides[letter.target].serve(letter.request, letter.version, sink)
            return
        letter.heard = False
        letter.is_there = letter.is_there or kind == "lose"
        self.pair.sides[letter.source].out.done(letter.ticket, PeerFailed("lost"))

    def _on_reply(self, letter: Letter, buffers: list[Buffer]) -> None:
        if letter.heard:
            letter.heard = False
            frame = b"".join(bytes(buffer) for buffer in buffers)[4:]
            self.pair.sides[letter.source].out.done(letter.ticket, frame)

    # --- producers ------------------------------------------------------------------------------

    def _leader_for(self, asker: Asker) -> NodeId:
        """The broker that its next request is for."""
        return self.pair.leader(PLACES.get(asker.step, STATE))

    def _ask(self, asker: Asker, broker: NodeId) -> None:
        if asker.step == "commit" and asker.fates.get(asker.value) is Fate.OPEN:
            asker.is_stale = any(a.held.epoch > asker.held.epoch for a in self._rivals(asker))
        if asker.step == "init":
            self.youngest[asker.transactional_id] = asker.name
        asker.waits = True
        asker.asked += 1
        version, request = asker.version, asker.request(DATA)
        sink = partial(self._on_answer, asker, asker.asked, request, version)
        self.pair.sides[broker].serve(request, version, sink)

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

    def check_at_rest(self) -> None:
        """All has come to its end, and well."""
        check_at_rest(self.pair, self.askers, offsets=bool(self.bounds.offsets))

    # --- what it is -----------------------------------------------------------------------------

    def digest(self) -> bytes:
        """Equal for situations in which the same can happen."""
        waiting = []
        for side in self.pair.sides.values():
            timers = sorted(t for t in side.out._timers if t[2].then is not None)
            waiting.append([(at, timer.then) for at, _, timer in timers])
        asked = [self.pair.sides[x.source].out._waiting[x.ticket] for x in self.letters if x.heard]
        return digest(
            self.now, NOT_COUNTED, list(self.pair.sides.values()), self.letters, waiting, asked,
            self.askers, self.youngest, self.pair.log[1:], sorted(self.used.items()),
        )  # fmt: skip
