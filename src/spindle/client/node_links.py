"""Our links to the nodes of a cluster, one for each address, and the patience with silent nodes.

A node that is frozen still accepts connections (its kernel does) and never answers. So an opening
is waited for a few seconds, once for all that want it; it goes on by itself, so that a node that
is only slow has its link later. Knows no cluster and no meaning of a request. Called by `cluster`.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final, NamedTuple, TypeVar

from spindle.client.addresses import Address
from spindle.client.connector import Connector, OpenLink
from spindle.client.deadline import Deadline
from spindle.client.failures import OutOfTime, Unreachable
from spindle.client.link import api_name
from spindle.client.strangers import LIMIT_S
from spindle.wire.codec import Request, Response

R = TypeVar("R", bound=Response)
T = TypeVar("T")

CONNECT_LIMIT_S: Final = 5.0
"""Seconds that a caller waits for a connection that is ready."""
CONNECT_SHARE: Final = 1 / 6
"""The part of a call's whole time that it waits so, where that is longer."""
OPENING_S: Final = 30.0
"""Seconds for each step of an opening, though no caller waits so long."""
MUTE_S: Final = 10.0
"""Seconds during which a server that gave no answer is asked after all others."""
AGAIN_S: Final = 0.5
"""Seconds that a caller waits for an opening that others have waited for long enough."""
FRESH_S: Final = 1.0
"""Seconds after an answer during which a node needs no other sign of life."""


class _Opening(NamedTuple):
    """A link that is on its way, and when that began (monotonic clock)."""

    task: asyncio.Task[OpenLink]
    began: float


class NodeLinks:
    """The links of one client."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector
        self._links: dict[Address, OpenLink] = {}
        self._opening: dict[Address, _Opening] = {}
        self._mute: dict[Address, float] = {}
        """When a server last gave no answer."""

    @property
    def linked(self) -> list[Address]:
        """The addresses that we have a link to."""
        return [address for address, opened in self._links.items() if opened.link.alive]

    def is_mute(self, address: Address) -> bool:
        """Whether a server gave no answer a moment ago."""
        since = self._mute.get(address)
        return since is not None and time.monotonic() - since < MUTE_S

    def overtaken(self, address: Address) -> None:
        """Another server answered first: ask this one last, and leave a link that only it used."""
        self._mute[address] = time.monotonic()
        opened = self._links.get(address)
        if opened is not None and not opened.link.waiting:
            opened.link.close("it kept silent, and another server answered")

    def close(self) -> None:
        """Hang up everywhere."""
        for opening in self._opening.values():
            opening.task.cancel()
        self._opening.clear()
        for opened in self._links.values():
            opened.link.close()
        self._links.clear()

    async def ask(
        self, opened: OpenLink, address: Address, request: Request[R], version: int, left: Deadline
    ) -> R:
        """Ask on a link; a node that answers nothing at all any more is not waited for longer.

        An answer may take its time, and a node answers in order: after a while of silence a
        connection of its own shows whether the node still answers anything.
        """
        asked = asyncio.create_task(opened.link.ask(request, version, left.some))
        asked.add_done_callback(_seen)
        try:
            patience = left.share(CONNECT_LIMIT_S, CONNECT_SHARE)
            done, _ = await asyncio.wait({asked}, timeout=patience)
            if not done and left.left and not await self._connector.breathes(*address):
                opened.link.close(f"no answer within {patience:.3g} s")
                raise silence(opened.link.name, api_name(request), patience)
            return await asked
        except Unreachable as failure:
            raise await self._connector.diagnosed(opened, address.port, failure) from None
        finally:
            asked.cancel()

    async def sign_of_life(self, address: Address, name: str, deadline: Deadline) -> None:
        """See that a node answers at this moment; Unreachable or OutOfTime where it does not."""
        opened = await self.opened(address, name, deadline)
        if time.monotonic() - opened.link.heard_at <= FRESH_S:
            return
        if opened.link.waiting:  # Its answers come in order: a slow one would hold up the sign.
            if not await self._connector.breathes(*address):
                raise silence(name, "", LIMIT_S)
        else:
            await self._connector.ping(opened, deadline.share(CONNECT_LIMIT_S, CONNECT_SHARE))

    async def opened(self, address: Address, name: str, deadline: Deadline) -> OpenLink:
        """The link to a node, opened where there is none."""
        found = self._links.get(address)
        if found is None or not found.usable:
            found = await self._wait_for(address, name, deadline)
        found.link.name = name
        return found

    async def _wait_for(self, address: Address, name: str, deadline: Deadline) -> OpenLink:
        opening = self._opening.get(address)
        if opening is None:
            task = asyncio.create_task(self._open(address, name))
            opening = self._opening[address] = _Opening(task, time.monotonic())
            task.add_done_callback(lambda done: self._on_opened(address, done))
        spent = time.monotonic() - opening.began
        patience = max(deadline.share(CONNECT_LIMIT_S, CONNECT_SHARE) - spent, AGAIN_S)
        done, _ = await asyncio.wait({opening.task}, timeout=min(patience, deadline.some))
        if not done:
            raise silence(name, "", time.monotonic() - opening.began)
        return opening.task.result()

    async def _open(self, address: Address, name: str) -> OpenLink:
        found = self._links.get(address)
        if found is None or not found.link.alive:
            found = await self._connector.open(*address, name, OPENING_S)
        else:
            try:
                await self._connector.authenticate(found, OPENING_S)
            except BaseException:
                found.link.close()
                raise
        self._links[address] = found
        return found

    def _on_opened(self, address: Address, done: asyncio.Task[OpenLink]) -> None:
        opening = self._opening.get(address)
        if opening is not None and opening.task is done:
            del self._opening[address]
        _seen(done)
        if not done.cancelled() and done.exception() is None:
            self._mute.pop(address, None)

    def answered(self, address: Address) -> None:
        """A server has answered."""
        self._mute.pop(address, None)

    def failed(self, address: Address) -> None:
        """A server gave no answer, or there is no way to it."""
        self._mute[address] = time.monotonic()


def _seen(done: asyncio.Task[T]) -> None:
    # A failure that comes when its caller has left is no news.
    if not done.cancelled():
        done.exception()


def silence(name: str, api: str, seconds: float) -> OutOfTime:
    """The failure of a node that answers nothing."""
    what = f" {api}" if api else ""
    return OutOfTime(
        f"{name} did not answer{what} within {seconds:.2g} s; it may be frozen, overloaded or hang"
        " on a disk: look at its log"
    )
