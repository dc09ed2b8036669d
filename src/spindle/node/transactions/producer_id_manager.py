"""Ids for producers, in blocks from the controller (KIP-730).

One block is given out while the next is already here or on its way, so that InitProducerId rarely
waits. Called by the handler of InitProducerId.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from spindle.model.errors import Error, PeerFailed
from spindle.node.broker_context import BrokerContext
from spindle.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from spindle.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse

Then = Callable[[int | Error], None]

PREFETCH_AT: Final = 0.1
"""Share of a block that is left when the next is asked for."""
WAITING_MAX: Final = 10_000
VERSION: Final = 0
TIMEOUT: Final = 5.0
RETRY: Final = 0.1
"""Seconds before the controller is asked again after it refused."""


class ProducerIdManager:
    """The block in use, the next one, and the requests waiting for an id."""

    def __init__(self, context: BrokerContext) -> None:
        self._context = context
        self._block = range(0)
        self._next = range(0)
        self._size = 0
        self._waiting: deque[Then] = deque()
        self._asked = False
        self._not_before = 0.0

    def take(self, then: Then) -> None:
        """A new id; COORDINATOR_LOAD_IN_PROGRESS (clients retry) if none can be had now."""
        if len(self._waiting) >= WAITING_MAX:
            then(Error.COORDINATOR_LOAD_IN_PROGRESS)
            return
        self._waiting.append(then)
        self._serve()

    def _serve(self) -> None:
        while self._waiting and (self._block or self._next):
            if not self._block:
                self._block, self._next = self._next, range(0)
                self._size = len(self._block)
            producer_id, self._block = self._block[0], self._block[1:]
            self._waiting.popleft()(producer_id)
        if not self._next and len(self._block) <= self._size * PREFETCH_AT:
            self._ask()

    def _ask(self) -> None:
        context = self._context
        if self._asked:
            return
        if context.broker_epoch < 0 or context.out.now < self._not_before:
            self._give_up()
            return
        self._asked = True
        request = AllocateProducerIdsRequest(
            broker_id=context.node_id, broker_epoch=context.broker_epoch
        )
        context.controller.ask("producer-ids", request, VERSION, self._on_reply, TIMEOUT)

    def _on_reply(self, reply: AllocateProducerIdsResponse | PeerFailed) -> None:
        self._asked = False
        if isinstance(reply, PeerFailed) or reply.error_code != Error.NONE:
            reason = str(reply) if isinstance(reply, PeerFailed) else int(reply.error_code)
            self._context.out.say("warning", "no producer ids from the controller", reason=reason)
            self._not_before = self._context.out.now + RETRY
            self._give_up()
            return
        start = reply.producer_id_start
        self._next = range(start, start + reply.producer_id_len)
        self._serve()

    def _give_up(self) -> None:
        waiting, self._waiting = self._waiting, deque()
        for then in waiting:
            then(Error.COORDINATOR_LOAD_IN_PROGRESS)
