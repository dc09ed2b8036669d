"""Says a stopping node's last words to whichever controller is active, within a bound (B-30).

Runs when the node's machine is not asked any more, on connections of its own. Knows no more of the
request than whether it was taken. Called by `driver`.
"""

from __future__ import annotations

import asyncio
from typing import Final

from spindle.model.errors import Corrupt, Error, PeerFailed, error_name
from spindle.model.outbox import FrameAsked
from spindle.node.last_words import LastWords
from spindle.runtime.links import UNSECURED, Links
from spindle.runtime.net import scratch
from spindle.runtime.outgoing import OutgoingConnections
from spindle.wire.framing import request_frame, response_in

FAREWELL_SECONDS: Final = 3.0
"""How long a node stays for this at most; a new controller may have to be elected meanwhile."""
ANSWER_SECONDS: Final = 1.0
PAUSE_SECONDS: Final = 0.05
_NOT_ACTIVE: Final = frozenset(
    {Error.NOT_CONTROLLER, Error.BROKER_NOT_AVAILABLE, Error.REQUEST_TIMED_OUT}
)
"""Another controller may take it, or the same one soon."""


async def take_leave(words: LastWords, limit: int, links: Links = UNSECURED) -> str:
    """Have a controller take the last words; says what became of them, for the log.

    `limit`: bytes of the largest answer.
    """
    farewell = _Farewell(words, limit, links)
    try:
        async with asyncio.timeout(FAREWELL_SECONDS):
            return await farewell.say()
    except TimeoutError:
        return f"no controller took note within {FAREWELL_SECONDS:g} s: {farewell.last}"
    finally:
        farewell.close()


class _Farewell:
    def __init__(self, words: LastWords, limit: int, links: Links) -> None:
        self._words = words
        self._loop = asyncio.get_running_loop()
        self._peers = OutgoingConnections(
            self._loop, limit, scratch(), self._on_reply, FAREWELL_SECONDS, links
        )
        self._replies: dict[int, asyncio.Future[object]] = {}
        self.last = "none answered"

    async def say(self) -> str:
        while True:
            for host, port in self._words.controllers:
                error = await self._ask(host, port)
                if error == Error.NONE:
                    return f"the controller at {host}:{port} took note"
                if error is not None and error not in _NOT_ACTIVE:
                    return f"the controller at {host}:{port} says {error_name(error)}"
            await asyncio.sleep(PAUSE_SECONDS)

    async def _ask(self, host: str, port: int) -> int | None:
        ticket = len(self._replies) + 1
        request = self._words.request
        reply = self._replies[ticket] = self._loop.create_future()
        version = self._words.version
        frame = request_frame(request, version, ticket, self._words.client_id)
        listener = self._words.listener
        asked = FrameAsked(ticket, host, port, "farewell", frame, ANSWER_SECONDS, listener)
        self._peers.send(asked)
        answer = await reply
        if isinstance(answer, PeerFailed):
            self.last = str(answer)
            return None
        try:
            error: int = response_in(answer, request, version).error_code
        except Corrupt as corrupt:
            self.last = f"{host}:{port} answered with {corrupt}"
            return None
        self.last = f"{host}:{port} is not the active controller"
        return error

    def _on_reply(self, ticket: int, result: object) -> None:
        reply = self._replies[ticket]
        if not reply.done():
            reply.set_result(result)

    def close(self) -> None:
        self._peers.close()
