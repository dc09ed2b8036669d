"""Clients that act in steps: a script says what it waits for, and goes on with what came of it.

A script is a generator; each thing that it yields is begun with the function that goes on. Several
run side by side in one client. Part of the workload; knows coordinators, no transaction, no group.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

from spindle.model.errors import Error, PeerFailed
from spindle.model.ids import NodeId
from spindle.model.outbox import Rng
from spindle.sim.client import REQUEST_SECONDS, RETRY_SECONDS, Client
from spindle.sim.told_history import History
from spindle.wire.codec import ErrorCode, Request, Response
from spindle.wire.messages.find_coordinator_request import FindCoordinatorRequest

T = TypeVar("T")
R = TypeVar("R", bound=Response)
Go: TypeAlias = Callable[[Any], None]
Step: TypeAlias = Callable[[Go], None]
"""Begins something; the function that it is given goes on with the result."""
Steps: TypeAlias = Generator[Step, Any, T]

GROUP: Final = 0
TRANSACTION: Final = 1
"""What a coordinator is asked for."""
ELSEWHERE: Final = frozenset({Error.NOT_COORDINATOR, Error.COORDINATOR_NOT_AVAILABLE})
BUSY: Final = frozenset({Error.COORDINATOR_LOAD_IN_PROGRESS, Error.CONCURRENT_TRANSACTIONS})
"""What a coordinator says that is to be asked again."""


class Scripted(Client):
    """A client whose work is written as scripts."""

    def __init__(
        self, name: str, rng: Rng, brokers: dict[NodeId, tuple[str, int]], history: History
    ) -> None:
        super().__init__(name, rng, brokers, history)
        self._coordinators: dict[tuple[int, str], NodeId] = {}

    def run(self, steps: Steps[T], then: Callable[[T], None] = lambda _: None) -> None:
        """Run a script; `then` gets what it returns."""

        def go(result: object = None) -> None:
            try:
                step = steps.send(result)
            except StopIteration as end:
                then(end.value)
            else:
                step(go)

        go()

    # --- steps ------------------------------------------------------------------------------

    def asking(
        self,
        node: NodeId | None,
        request: Request[Response],
        timeout: float = REQUEST_SECONDS,
        version: int | None = None,
    ) -> Step:
        """Ask a broker; the result is its answer or PeerFailed."""
        return lambda go: self.ask(node, request, go, timeout, version)

    def pausing(self, seconds: float) -> Step:
        """Wait."""

        def begin(go: Go) -> None:
            self.out.after(seconds, lambda: go(None))

        return begin

    def retrying(self) -> Step:
        """Wait a little before something is tried again."""
        return self.pausing(self.between(0.5, 2.0) * RETRY_SECONDS)

    def together(self, scripts: Sequence[Steps[object]]) -> Step:
        """Run scripts side by side; the result is the list of what they return."""

        def begin(go: Go) -> None:
            results: list[object] = [None] * len(scripts)
            left = len(scripts)

            def ended(number: int, result: object) -> None:
                nonlocal left
                results[number] = result
                left -= 1
                if not left:
                    go(results)

            for number, steps in enumerate(scripts):
                self.run(steps, partial(ended, number))

        return begin

    # --- coordinators -----------------------------------------------------------------------

    def find(self, kind: int, key: str) -> Steps[NodeId]:
        """The broker that coordinates a key, as soon as there is one."""
        request = FindCoordinatorRequest(key=key, key_type=kind)
        while True:
            answer = yield self.asking(None, request)
            if not isinstance(answer, PeerFailed) and answer.error_code == Error.NONE:
                self.brokers[answer.node_id] = (answer.host, answer.port)
                return NodeId(answer.node_id)
            yield self.retrying()

    def ask_coordinator(
        self,
        kind: int,
        key: str,
        request: Request[R],
        error_of: Callable[[R], ErrorCode],
        timeout: float = REQUEST_SECONDS,
        version: int | None = None,
        asks: Callable[[], None] = lambda: None,
    ) -> Steps[tuple[R, NodeId, int]]:
        """Ask a coordinator until it has decided: its answer, its broker, and the lost tries.

        `asks` is called at each try. What was asked in vain may still happen, and later than what
        was answered.
        """
        lost = 0
        known = self._coordinators
        while True:
            node = known.get((kind, key))
            if node is None:
                node = known[kind, key] = yield from self.find(kind, key)
            asks()
            answer = yield self.asking(node, request, timeout, version)
            failed = isinstance(answer, PeerFailed)
            lost += failed
            if failed or error_of(answer) in ELSEWHERE:
                known.pop((kind, key), None)
            elif error_of(answer) not in BUSY:
                return answer, node, lost
            yield self.retrying()
