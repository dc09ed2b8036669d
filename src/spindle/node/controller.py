"""The controller's place in the node: decides while our quorum leads, answers once it is committed.

A decision is taken on our own image, which already holds what is decided but not committed yet; its
records are replayed there and appended at once; the answer is held until they are committed. What
only reads waits likewise for whatever was decided before it. When we no longer lead, all that was
not committed is forgotten with the image, and waiting clients get NOT_CONTROLLER.

Knows the quorum as a log to append to, and requests as functions of the state. Called by the
handlers of `node.handlers` (function `on_controller`), by the quorum, and by its own timers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol, TypeVar

from spindle.core.controller import brokers, delegation_tokens, elections, features
from spindle.core.controller.broker_sessions import BrokerSessions
from spindle.core.controller.controller_state import (
    BATCH_RECORDS_MAX,
    ControllerResult,
    ControllerState,
)
from spindle.model import metadata_records as r
from spindle.model.config import NodeConfig
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import CONTROLLER_REGISTRATION, FINALIZED, SUPPORTED
from spindle.model.ids import NodeId
from spindle.model.image import ClusterImage
from spindle.model.outbox import Outbox, Timer
from spindle.model.token_key import delegation_token_rules
from spindle.node.broker_death_watch import BrokerDeathWatch
from spindle.node.controller_figures import ControllerFigures
from spindle.node.quorum.quorum import Quorum
from spindle.node.request_context import LATER, Later, R, RequestContext
from spindle.node.router import Router
from spindle.node.slices import Slices

T = TypeVar("T")

DEFERRED_MAX: Final = 10_000
"""Answers that may wait for commits; more requests are refused."""
ELECTIONS_PAUSE: Final = 0.1
"""s between passes of preferred elections while there is more to do."""

DEFAULT_BOOTSTRAP: Final = tuple(
    r.FeatureLevel(name=name, level=level) for name, level in FINALIZED.items()
)
"""What an empty log begins with where the format wrote nothing."""

Decide = Callable[[ControllerState], ControllerResult[T]]


class ImageView(Protocol):
    """The part that holds the committed image."""

    kraft_version: int

    @property
    def image(self) -> ClusterImage:
        """The committed metadata."""


class MetadataQuorum(Protocol):
    """What we need of the quorum (`node.quorum.quorum.Quorum`)."""

    cluster_id: str

    @property
    def metadata(self) -> ImageView:
        """The committed metadata of this node."""

    @property
    def leader_id(self) -> NodeId:
        """The leader of the quorum, or -1."""

    def leader_endpoint(self) -> tuple[str, int] | None:
        """Where the active controller is reached, or None."""

    @property
    def next_offset(self) -> int:
        """The offset that the next record appended will have."""

    def check_kraft_version(self, level: int) -> None:
        """Refusal where kraft.version cannot become this level now."""

    def raise_kraft_version(self, level: int, then: Callable[[Refusal | None], None]) -> None:
        """Have the voters in the log from now on; `then` once that is committed, or is not."""

    def append(
        self, records: Sequence[r.MetadataRecord], then: Callable[[int], None] | None = None
    ) -> int:
        """Append one atomic batch; `then` gets its last offset once that is committed, and is
        never called where leadership is lost before.
        """


class DeferredEventQueue:
    """Answers of one term that wait until what they rest on is committed, in order."""

    def __init__(self) -> None:
        self.appended = 0
        """Batches appended in this term."""
        self._committed = 0
        self._looked_at = 0
        self._waiting: deque[tuple[int, Callable[[Refusal | None], None]]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether so many answers wait that no more may."""
        return len(self._waiting) >= DEFERRED_MAX

    @property
    def is_settled(self) -> bool:
        """Whether all that was appended is committed."""
        return self._committed >= self.appended

    def take_idle(self) -> bool:
        """Whether nothing was appended since this was last asked, and all of it is committed."""
        idle = self.appended == self._looked_at and self.is_settled
        self._looked_at = self.appended
        return idle

    def on_append(self) -> None:
        """A batch is appended."""
        self.appended += 1

    def on_commit(self) -> None:
        """The next batch is committed: what waited for it may leave."""
        self._committed += 1
        while self._waiting and self._waiting[0][0] <= self._committed:
            self._waiting.popleft()[1](None)

    def add(self, then: Callable[[Refusal | None], None]) -> None:
        """Run `then` when all that is appended so far is committed, or fails."""
        self._waiting.append((self.appended, then))

    def fail_all(self, refusal: Refusal) -> None:
        """What was not committed never counts: tell all that wait."""
        waiting, self._waiting = self._waiting, deque()
        for _, then in waiting:
            then(refusal)


class Controller:
    """The controller of this node, active while its quorum leads."""

    def __init__(self, config: NodeConfig, out: Outbox, quorum: MetadataQuorum) -> None:
        self.config = config
        self.out = out
        self.quorum = quorum
        self.router: Router[VotingController] | None = None
        """Serves what brokers forward in envelopes; set by the composer of the node."""
        self.incarnation = out.new_id()
        self.slices = Slices(out, config.metadata_dir)
        self.sessions = BrokerSessions(config.settings.seconds("broker.session.timeout.ms"))
        self._state: ControllerState | None = None
        self._term = 0
        self._deferred = DeferredEventQueue()
        self._timers: dict[str, Timer] = {}
        self.deaths = BrokerDeathWatch(out, lambda: self.image, self._on_dead)

    @property
    def image(self) -> ClusterImage:
        """The committed metadata."""
        return self.quorum.metadata.image

    @property
    def cluster_id(self) -> str:
        """The cluster's id."""
        return self.quorum.cluster_id

    @property
    def active(self) -> bool:
        """Whether we decide."""
        return self._state is not None

    @property
    def state(self) -> ControllerState | None:
        """What is decided, committed or not; None where we do not decide."""
        return self._state

    # --- the quorum -------------------------------------------------------------------------

    def on_leading(
        self, epoch: int, image: ClusterImage, bootstrap: Sequence[r.MetadataRecord]
    ) -> None:
        """We lead and have replayed everything: `image` is ours to change.

        `bootstrap`: what an empty log begins with, as it was formatted (feature levels).
        """
        self.on_resigned()
        self._term += 1
        self._deferred = DeferredEventQueue()
        image.epoch = epoch
        self._state = ControllerState(image, self.config.settings, self.cluster_id)
        self.sessions = BrokerSessions(self.sessions.timeout)
        for registration in image.brokers.values():
            self.sessions.adopt(registration, image.offset, self.out.now)
        self.out.say("info", "controller is active", epoch=epoch, offset=image.offset)
        if not image.features:
            self._write(features.begin(self._state, bootstrap or DEFAULT_BOOTSTRAP))
        self._register_ourselves()
        self._run(elections.elect_after_return)
        self._start_timers()
        self.deaths.begin()

    def on_resigned(self) -> None:
        """We no longer lead: nothing that is not committed counts."""
        if self._state is None:
            return
        self._state = None
        self._term += 1
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self.deaths.end()
        self.out.say("info", "controller is no longer active", waiting=len(self._deferred))
        self._deferred.fail_all(_not_controller())

    # --- requests ---------------------------------------------------------------------------

    def serve(
        self,
        context: RequestContext[R],
        decide: Decide[T],
        respond: Callable[[T], R],
        refuse: Callable[[Error, str], R],
    ) -> Later:
        """Decide a client's request and answer it once that is committed."""

        def then(outcome: T | Refusal) -> None:
            if isinstance(outcome, Refusal):
                self.refuse_later(context, outcome, refuse)
            else:
                context.answer(respond(outcome))

        self.submit(decide, then)
        return LATER

    def refuse_later(
        self, context: RequestContext[R], refusal: Refusal, refuse: Callable[[Error, str], R]
    ) -> None:
        """Answer a request that waited with its refusal."""
        if context.forwarded and refusal.error is Error.NOT_CONTROLLER:
            # The envelope says so, and the broker looks for the new controller itself.
            context.answer_nothing()
        else:
            context.answer(refuse(refusal.error, refusal.message))

    def submit(self, decide: Decide[T], then: Callable[[T | Refusal], None]) -> None:
        """Decide, replay, append; `then` gets the answer once all of that is committed."""
        state = self._state
        if state is None:
            then(_not_controller())
            return
        if self._deferred.is_full:
            then(
                Refusal(
                    Error.REQUEST_TIMED_OUT, f"{len(self._deferred)} requests wait for the quorum"
                )
            )
            return
        answer: T | Refusal
        records: tuple[r.MetadataRecord, ...] = ()
        try:
            decision = decide(state)
            answer, records = decision.answer, decision.records
        except Refusal as refusal:
            answer = refusal
        term = self._term
        self._write(records)
        if term != self._term:
            then(_not_controller())
        elif self._deferred.is_settled:
            then(answer)
        else:
            self._deferred.add(lambda lost: then(lost or answer))

    # --- writing ----------------------------------------------------------------------------

    def _run(self, decide: Decide[T]) -> T:
        """Decide something for which no client waits; its answer."""
        assert self._state is not None
        decision = decide(self._state)
        self._write(decision.records)
        return decision.answer

    def _write(self, records: tuple[r.MetadataRecord, ...]) -> None:
        """Replay and append, in batches of what the log takes at once."""
        for start in range(0, len(records), BATCH_RECORDS_MAX):
            if self._state is None:
                return
            batch = list(records[start : start + BATCH_RECORDS_MAX])
            for offset, record in enumerate(batch, self.quorum.next_offset):
                self._state.replay(record, offset)
            self._deferred.on_append()
            self.quorum.append(batch, partial(self._on_committed, self._term))

    def _on_committed(self, term: int, _: int) -> None:
        if term == self._term:
            self._deferred.on_commit()

    def _register_ourselves(self) -> None:
        assert self._state is not None
        if self._state.metadata_version >= CONTROLLER_REGISTRATION:
            own = self.registration()
            self._run(lambda state: features.register_controller(state, own))

    def registration(self) -> r.RegisterController:
        """How we present ourselves to the cluster."""
        return r.RegisterController(
            controller_id=self.config.node_id,
            incarnation_id=self.incarnation,
            endpoints=tuple(
                e._replace(host=e.host or "localhost")
                for e in self.config.advertised
                if e.name in self.config.quorum.listeners
            ),
            features=tuple(SUPPORTED.items()),
        )

    # --- time -------------------------------------------------------------------------------

    def _start_timers(self) -> None:
        settings = self.config.settings
        self.sessions.expect_look(self.out.now + self.sessions.look_every)
        self._again("sessions", self.sessions.look_every, self._check_sessions)
        idle = settings.seconds("metadata.max.idle.interval.ms")
        if idle:
            self._again("noop", idle, self._write_noop)
        if settings.flag("auto.leader.rebalance.enable"):
            every = settings.whole("leader.imbalance.check.interval.seconds")
            self._again("leaders", every, self._prefer_leaders)
        if delegation_token_rules(settings).key is not None:
            pause = settings.seconds("delegation.token.expiry.check.interval.ms")
            self._again("tokens", pause, self._sweep_tokens)

    def _again(self, name: str, delay: float, run: Callable[[], float | None]) -> None:
        """Run something every `delay` s, or sooner when it says so, while we are active."""

        def wake() -> None:
            sooner = run()
            if self._state is not None:
                self._timers[name] = self.out.after(delay if sooner is None else sooner, wake)

        if self._state is not None:
            self._timers[name] = self.out.after(delay, wake)

    def _check_sessions(self) -> float | None:
        """Fence a broker whose session has run out; the next one in a turn of its own.

        With tens of thousands of partitions each takes so long that voters would take the leader
        of several turns in one for dead; and heartbeats that came meanwhile are read first.
        """
        assert self._state is not None
        self.sessions.on_look(self.out.now)
        decision = brokers.expire(self._state, self.sessions, self.out.now)
        if decision is None:
            self.sessions.expect_look(self.out.now + self.sessions.look_every)
            return None
        self.sessions.expect_look(self.out.now)
        self._fenced(decision.answer)
        self._write(decision.records)
        return 0.0

    def _fenced(self, broker: NodeId) -> None:
        self.deaths.timed_out += 1
        self.out.say(
            "warning", "broker fenced: no heartbeat", broker=broker, session_s=self.sessions.timeout
        )

    def _on_dead(self, broker: NodeId, epoch: int) -> None:
        if self._run(lambda state: brokers.bury(state, self.sessions, broker, epoch)):
            self.deaths.found_dead += 1
            why = "its connection was lost, and its ports refuse new ones"
            self.out.say("warning", "broker fenced: its process is dead", broker=broker, reason=why)

    def _write_noop(self) -> None:
        if self._deferred.take_idle():
            self._write((r.NoOp(),))
            self._deferred.take_idle()  # What we have written ourselves does not count.

    def _sweep_tokens(self) -> None:
        wall = self.out.wall_ms
        for token in self._run(lambda state: delegation_tokens.sweep(state, wall)):
            self.out.say(
                "info", "delegation token has run out", token=token.token_id, owner=token.owner
            )

    def _prefer_leaders(self) -> float | None:
        return ELECTIONS_PAUSE if self._run(elections.elect_preferred) else None


class VotingController(Controller):
    """A controller of a node, which also serves what the quorum's members ask each other."""

    quorum: Quorum

    def __init__(self, config: NodeConfig, out: Outbox, quorum: Quorum) -> None:
        super().__init__(config, out, quorum)
        self.figures = ControllerFigures(lambda: self.image, lambda: self.active, self.deaths)


def _not_controller() -> Refusal:
    return Refusal(Error.NOT_CONTROLLER, "this node is not the active controller")
