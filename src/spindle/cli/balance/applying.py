"""What `spindle balance apply`, `watch` and `cancel` do to a cluster: the rim of `execution`.

Looks, starts, takes back, counts through the AdminClient, and tells the machine. Throttles are
those of `reassign`, with its journal: any end takes them back. `balance_journal` has the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from spindle.cli.balance.balance_journal import BalanceRun, GivenOptions, RunJournal, RunOptions
from spindle.cli.balance.cluster_look import (
    assigned_brokers,
    deleted,
    name_of,
    observe,
    verify,
)
from spindle.cli.reassign import limits, reassigning
from spindle.cli.reassign.reassign_journal import Journal
from spindle.cli.reassign.reassignment_plan import ReassignmentPlan, parse_plan
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.model.errors import Error, Unusable
from spindle.model.ids import TopicPartition
from spindle.pipeline import replanning
from spindle.pipeline.execution import NOT_BACK, Execution
from spindle.pipeline.execution_values import (
    Count,
    Effect,
    ExecutionProgress,
    ExecutionRules,
    PlanOutcome,
    Start,
    TakeBack,
    Unled,
    replica_of,
)
from spindle.pipeline.proposal import ClusterProposal, parse
from spindle.planning.amounts import counted
from spindle.planning.leaders import Leadership, first
from spindle.planning.load import PlannedMove
from spindle.planning.schedule import WaveLimits

POLL_SECONDS: Final = 0.25
WATCH_SECONDS: Final = 1.0
Say = Callable[[str], None]
Tell = Callable[[ExecutionProgress], None]


def _silent(_: object) -> None:
    """Reports nothing."""


# -- carrying out --------------------------------------------------------------------------------


async def apply(
    admin: AdminClient, text: str | None, asked: GivenOptions, tell: Tell, say: Say = _silent
) -> PlanOutcome:
    """Carry a plan's file out, or (None) go on with the run that was interrupted here.

    Cancelled, it takes back what is under way and puts the throttles back. Unusable where there is
    nothing to go on with, another run is open, or the file is no plan.
    """
    journal = RunJournal((await admin.describe_cluster()).cluster_id)
    journal.lock()
    try:
        run = chosen(journal.read(), text, asked)
        proposal = parse(run.plan)
        if not proposal.changes:
            return PlanOutcome((), (), 0.0)
        kafkas = parse_plan(run.plan)
        await reassigning.settle(admin, kafkas, say)
        copies = await _copies(admin, proposal.moves)
        rate = run.options.throttle if copies else None
        held: Journal | None = None
        try:
            # A run is noted once its throttles stand: refused there, nothing is left open.
            held = await _throttle(admin, kafkas, rate, say)
            journal.write(run)
            seen = tell if copies else _silent
            outcome = await _Carrier(admin, journal, run, proposal, seen, say).carry()
        finally:
            await limits.put_back(admin, kafkas, say)
            del held  # Until here no other run takes these throttles for left behind.
        return outcome
    finally:
        journal.unlock()


async def lead(
    admin: AdminClient, leadership: Leadership | None, say: Say = _silent
) -> tuple[Unled, ...]:
    """Put the leaders that are preferred by a plan in front, and have them elected.

    What the cluster refused, and why. Where a new plan on the way has sent replicas elsewhere,
    those that the leader is among count.
    """
    orders = () if leadership is None else leadership.orders
    leaders = {TopicPartition(led.topic, led.partition): led.replicas[0] for led in orders}
    if not leaders:
        return ()
    now = await assigned_brokers(admin, leaders)
    fit = {n: first(now[n], b) for n, b in leaders.items() if b in now.get(n, ())}
    changed = {n: order for n, order in fit.items() if now[n] != order}
    settled = await admin.alter_partition_reassignments(changed).settled() if changed else {}
    refused = {n: _reason(e) for n, e in settled.items() if isinstance(e, Exception)}
    chosen = [n for n in fit if n not in refused]
    elected = await admin.elect_leaders(chosen).settled() if chosen else {}
    for name, error in elected.items():
        needless = isinstance(error, Refused) and error.error == Error.ELECTION_NOT_NEEDED
        if isinstance(error, Exception) and not needless:
            refused[name] = _reason(error)
    led = len(fit) - len(refused)
    say(f"{led} of {counted(len(leaders), 'partition')} led as planned")
    for name in sorted(leaders.keys() - fit.keys()):
        say(f"{name.topic}-{name.partition} has no other leader: its replicas are elsewhere now")
    return tuple(Unled(*name, leaders[name], why) for name, why in sorted(refused.items()))


async def cancel(admin: AdminClient, say: Say = _silent) -> PlanOutcome:
    """End a run whose process was killed: take back what is under way, put throttles back."""
    journal = RunJournal((await admin.describe_cluster()).cluster_id)
    journal.lock()
    try:
        run = journal.read()
        if run is None:
            raise Unusable(f"there is no run to cancel: the journal lists none in {journal.folder}")
        proposal = parse(run.plan)
        carrier = _Carrier(admin, journal, run, proposal, _silent, say)
        outcome = await carrier.end()
        await limits.put_back(admin, parse_plan(run.plan), say)
        return outcome
    finally:
        journal.unlock()


@dataclass(frozen=True)
class Watched:
    """A run as `watch` sees it. `alive`: a process carries it out now."""

    run: BalanceRun
    alive: bool
    progress: ExecutionProgress
    running: tuple[PlannedMove, ...]

    @property
    def complete(self) -> bool:
        """Whether all moves are where the plan wants them."""
        if self.run.ended is not None:
            return bool(self.run.ended["complete"])
        return self.progress.done_moves == self.progress.moves


async def look_on(admin: AdminClient) -> Watched | None:
    """How far this machine's run in the cluster is; None where there has never been one."""
    journal = RunJournal((await admin.describe_cluster()).cluster_id)
    run = journal.read() or journal.last()
    if run is None:
        return None
    now = time.time()
    machine = _machine(parse(run.plan), run, run.began)
    machine.follow(now, await observe(admin, machine))
    alive = run.ended is None and journal.is_held()
    return Watched(run, alive, machine.progress(now), machine.running)


async def carry_out(
    admin: AdminClient,
    waves: Sequence[Sequence[PlannedMove]],
    tell: Tell = _silent,
    most: WaveLimits | None = None,
) -> PlanOutcome:
    """Only the moves: without a journal, throttles or new plans; for demonstrations and tests."""
    machine = Execution(waves, ExecutionRules(most or WaveLimits(), {}), time.monotonic())
    rim = _Rim(admin, machine, tell)
    await rim.to_the_end()
    return machine.outcome(time.monotonic())


# -- the loop ------------------------------------------------------------------------------------


class _Rim:
    """Carries a machine's effects out until it is over."""

    def __init__(
        self,
        admin: AdminClient,
        machine: Execution,
        tell: Tell,
        count: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._admin, self._machine, self._tell = admin, machine, tell
        self._count = count

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
            look = await observe(self._admin, self._machine)
            await self.grant(self._machine.on_look(time.monotonic(), look))
            self._tell(self._machine.progress(time.monotonic()))
            if self._machine.over:
                return
            await asyncio.sleep(POLL_SECONDS)

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

    async def _start(self, moves: Sequence[PlannedMove]) -> None:
        between = [m for m in moves if m.between]
        started = await self._admin.alter_replica_log_dirs(
            {replica_of(move): move.target for move in moves}
        ).settled()
        refused = [m for m in moves if isinstance(started.get(replica_of(m)), Exception)]
        for name in await deleted(self._admin, [name_of(m) for m in refused]):
            self._machine.on_gone(name)
        for move in moves:
            error = started.get(replica_of(move))
            # A broker that has no such replica yet has noted where to create it.
            if isinstance(error, Exception) and not (move.between and _is_absent(error)):
                self._machine.on_refused(move, _reason(error))
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
        settled = await self._admin.alter_partition_reassignments(wanted).settled()
        for name, move in names.items():
            error = settled.get(name)
            if name not in now:
                self._machine.on_gone(name)
            elif isinstance(error, Exception):
                self._machine.on_refused(move, _reason(error))

    async def _back(self, moves: Sequence[PlannedMove]) -> None:
        within = {replica_of(m): m.source for m in moves if not m.between}
        between = [name_of(m) for m in moves if m.between]
        if within:
            await self._admin.alter_replica_log_dirs(within).settled()
        if between:
            await self._admin.alter_partition_reassignments(dict.fromkeys(between)).settled()


class _Carrier:
    """One run: its machine, its journal, and a new plan where sizes have changed."""

    def __init__(
        self,
        admin: AdminClient,
        journal: RunJournal,
        run: BalanceRun,
        proposal: ClusterProposal,
        tell: Tell,
        say: Say,
    ) -> None:
        self._admin, self._journal, self._run, self._say = admin, journal, run, say
        self._proposal = proposal
        self._machine = _machine(proposal, run, time.monotonic())
        self._rim = _Rim(admin, self._machine, tell, self._count)

    async def carry(self) -> PlanOutcome:
        """Until it is over or cancelled; verified."""
        try:
            await self._rim.to_the_end()
            outcome = self._machine.outcome(time.monotonic())
            outcome = outcome.verified(await verify(self._admin, outcome.done))
            unled = await lead(self._admin, self._proposal.leadership, self._say)
        except asyncio.CancelledError:
            ended = self._machine.outcome(time.monotonic())
            for move, why in ended.failed:
                if why == NOT_BACK:
                    self._say(f"{move.name} on broker {move.broker}: {why}")
            self._note_end(ended, complete=False)
            raise
        orders = 0 if self._proposal.leadership is None else len(self._proposal.leadership.orders)
        outcome = replace(outcome, unled=unled, led=orders - len(unled))
        for move in outcome.gone:
            self._say(f"warning: {move.name} skipped: it was deleted since the plan")
        self._note_end(outcome, outcome.complete)
        return outcome

    async def end(self) -> PlanOutcome:
        """Take back what is under way."""
        self._machine.follow(time.monotonic(), await observe(self._admin, self._machine))
        await self._rim.take_back()
        outcome = self._machine.outcome(time.monotonic())
        self._note_end(outcome, outcome.complete)
        return outcome

    async def _count(self) -> None:
        """A wave is over: where sizes are not what was planned for, plan the rest again."""
        everywhere = self._proposal.wanted.between
        places = {(d.broker, d.path) for d in self._proposal.directories if d.online}
        concerned = places if everywhere else self._machine.places
        brokers = sorted({broker for broker, _ in concerned})
        told = await self._admin.describe_log_dirs(brokers).settled()
        census = {b: dirs for b, dirs in told.items() if not isinstance(dirs, Exception)}
        if len(census) < len(brokers):
            return  # A broker that is away for a moment; the next wave counts again.
        self._machine.follow(time.monotonic(), await observe(self._admin, self._machine, census))
        used = replanning.used(census)
        if not self._machine.on_census(used, replanning.taking(census)):
            return
        cluster = await self._admin.describe_cluster()
        racks = {number: node.rack for number, node in cluster.brokers.items()}
        most = WaveLimits(self._run.options.moves_per_disk, self._run.options.moves_per_broker)
        waves = replanning.replan(census, self._proposal, self._machine.running, most, racks)
        self._machine.on_replanned(waves, used)
        moves = counted(sum(map(len, waves)), "move")
        self._say(f"sizes have changed since the plan: the rest is planned again, {moves}")
        count = self._machine.replanned
        self._run = replace(self._run, waves=self._machine.waves, replanned=count)
        self._journal.write(self._run)

    def _note_end(self, outcome: PlanOutcome, complete: bool) -> None:
        failed = [[f"{m.name} on broker {m.broker}", why] for m, why in outcome.failed]
        failed += [[f"{u.name}, led by broker {u.leader}", u.why] for u in outcome.unled]
        ended = {"complete": complete, "done": len(outcome.done), "failed": failed}
        self._journal.end(self._run, {**ended, "at": time.time()})


# -- helpers -------------------------------------------------------------------------------------


def chosen(earlier: BalanceRun | None, text: str | None, asked: GivenOptions) -> BalanceRun:
    """The run to carry out now: a new one, or the one that was interrupted.

    Of that one all stays as it was begun, but for what is asked for.
    """
    if earlier is None:
        if text is None:
            raise Unusable("nothing to resume for this cluster on this machine: name a plan file")
        proposal = parse(text)
        limits, pace = proposal.wanted.limits, proposal.wanted.pace
        options = asked.over(RunOptions(*limits, *pace))
        return BalanceRun(text, options, time.time(), proposal.waves)
    if text is not None and earlier.plan != text:
        raise Unusable(
            "an earlier run in this cluster has not ended: resume it with `spindle balance apply` "
            "without a plan, or end it with `spindle balance cancel`"
        )
    return replace(earlier, options=asked.over(earlier.options))


def _machine(proposal: ClusterProposal, run: BalanceRun, now: float) -> Execution:
    most = WaveLimits(run.options.moves_per_disk, run.options.moves_per_broker)
    drift = proposal.wanted.band.tolerance / 2
    rules = ExecutionRules(most, replanning.rooms(proposal), drift, run.options.disk_rate)
    return Execution(run.waves, rules, now)


async def _throttle(
    admin: AdminClient, plan: ReassignmentPlan, rate: int | None, say: Say
) -> Journal | None:
    """Hold each broker's copies to a rate, between its directories and from and to others."""
    if rate is None:
        return None
    active = await admin.list_partition_reassignments()
    current = await assigned_brokers(admin, plan.replicas)
    return await limits.limit(admin, plan, (rate, rate), active, current, say)


async def _copies(admin: AdminClient, moves: Sequence[PlannedMove]) -> bool:
    """Whether something is left to be moved: no throttle, no progress where all is there."""
    wrong = [name_of(m) for m, _ in await verify(admin, moves)]
    return len(await deleted(admin, wrong)) < len(wrong)


def _is_absent(error: Exception) -> bool:
    return isinstance(error, Refused) and error.error == Error.REPLICA_NOT_AVAILABLE


def _reason(error: Exception) -> str:
    if _is_absent(error):
        return "the broker does not have this replica any more"
    return str(error)
