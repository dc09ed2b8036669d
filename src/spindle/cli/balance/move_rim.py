"""Carries out what the machine of a run asks for: looks, starts moves, takes them back.

The rim of `pipeline.execution`, through the AdminClient. Called by `applying`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from spindle.cli.balance.broker_looks import LOOK_SECONDS, BrokerLooks, answered_soon
from spindle.cli.balance.cluster_look import assigned_brokers, deleted, name_of, observe
from spindle.cli.balance.starting import replication_health
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.model.errors import Error, PeerFailed
from spindle.pipeline.execution import Execution
from spindle.pipeline.execution_values import (
    ClusterLook,
    Count,
    Effect,
    ExecutionProgress,
    Halt,
    Start,
    TakeBack,
    replica_of,
)
from spindle.planning.load import PlannedMove

POLL_SECONDS: Final = 0.25
BEHIND_LOOK_SECONDS: Final = 10.0
"""Between two looks at which replicas are out of sync: they ask for the metadata of all topics."""
Say = Callable[[str], None]
Tell = Callable[[ExecutionProgress], None]


def silent(_: object) -> None:
    """Reports nothing."""


class MoveRim:
    """Carries a machine's effects out until it is over."""

    def __init__(
        self,
        admin: AdminClient,
        machine: Execution,
        tell: Tell,
        say: Say = silent,
        count: Callable[[], Awaitable[None]] | None = None,
        keep_pace: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`count`: measures all directories after a wave; `keep_pace`: takes up the pace that
        commands ask for."""
        self._admin, self._machine, self._tell = admin, machine, tell
        self._say, self._count, self._keep_pace = say, count, keep_pace
        self._asked_behind = time.monotonic()
        self._looks = BrokerLooks(
            admin, say, lambda: {move.to for wave in machine.waves for move in wave}
        )

    async def to_the_end(self) -> None:
        """Until every move has an end. Cancelled: until what was under way is taken back."""
        try:
            await self._loop()
        except asyncio.CancelledError:
            await self.take_back()
            raise

    async def take_back(self) -> None:
        """End it: until nothing is under way any more, or does not end."""
        await self.grant(self._machine.on_cancel(time.monotonic()))
        await self._loop()

    async def _loop(self) -> None:
        while True:
            if self._keep_pace is not None:
                await self._keep_pace()
            look = await self._look()
            await self.grant(self._machine.on_look(time.monotonic(), look))
            self._tell(self._machine.progress(time.monotonic()))
            if self._machine.over:
                return
            await asyncio.sleep(POLL_SECONDS)

    async def _look(self) -> ClusterLook:
        look = await observe(self._admin, self._machine, looks=self._looks)
        if self._count is None or time.monotonic() - self._asked_behind < BEHIND_LOOK_SECONDS:
            return look
        self._asked_behind = time.monotonic()
        active = await answered_soon(lambda s: self._admin.list_partition_reassignments(timeout=s))
        return replace(look, health=await replication_health(self._admin, active))

    async def grant(self, effects: Sequence[Effect]) -> None:
        """Do what the machine asks for."""
        for effect in effects:
            match effect:
                case Start(moves):
                    await self._start(moves)
                case TakeBack(moves):
                    await self._back(moves)
                case Count():
                    if self._count is not None:
                        await self._count()
                case Halt(broker, why):
                    self._say(
                        f"warning: broker {broker}: {why}. Its moves are cancelled and no new ones "
                        "start; other brokers go on"
                    )

    async def _start(self, moves: Sequence[PlannedMove]) -> None:
        between = [m for m in moves if m.between]
        started = await self._admin.alter_replica_log_dirs(
            {replica_of(move): move.target for move in moves}, timeout=LOOK_SECONDS
        ).settled()
        refused = [m for m in moves if isinstance(started.get(replica_of(m)), Exception)]
        for name in await deleted(self._admin, [name_of(m) for m in refused]):
            self._machine.on_gone(name)
        for move in moves:
            error = started.get(replica_of(move))
            if isinstance(error, PeerFailed) and not move.between:
                continue  # It may have begun: the looks that follow show it.
            # A broker that has no such replica yet has noted where to create it.
            if isinstance(error, Exception) and not (move.between and is_absent(error)):
                self._machine.on_refused(move, reason(error))
                between = [m for m in between if m != move]
        if between:
            await self._reassign(between)

    async def _reassign(self, moves: Sequence[PlannedMove]) -> None:
        names = {name_of(m): m for m in moves}
        now = await assigned_brokers(self._admin, names)
        wanted = {
            name: tuple(move.to if b == move.broker else b for b in now[name])
            for name, move in names.items()
            if name in now
        }
        # One that another party has begun meanwhile would be replaced by ours.
        others = await self._admin.list_partition_reassignments(list(wanted))
        ours = {name: to for name, to in wanted.items() if name not in others}
        settled = await self._admin.alter_partition_reassignments(ours).settled() if ours else {}
        for name, move in names.items():
            error = settled.get(name)
            if name not in now:
                self._machine.on_gone(name)
            elif name in others:
                self._machine.on_refused(move, "another party is reassigning the partition")
            elif isinstance(error, Exception):
                self._machine.on_refused(move, reason(error))

    async def _back(self, moves: Sequence[PlannedMove]) -> None:
        within = {replica_of(m): m.source for m in moves if not m.between}
        between = [name_of(m) for m in moves if m.between]
        if within:
            # Looks at other brokers do not wait for one that gives no answer.
            await self._admin.alter_replica_log_dirs(within, timeout=LOOK_SECONDS).settled()
        if between:
            await self._admin.alter_partition_reassignments(dict.fromkeys(between)).settled()


def is_absent(error: Exception) -> bool:
    """Whether a broker does not have a replica."""
    return isinstance(error, Refused) and error.error == Error.REPLICA_NOT_AVAILABLE


def reason(error: Exception) -> str:
    """Why a move was refused."""
    if is_absent(error):
        return "the broker does not have this replica any more"
    return str(error)
