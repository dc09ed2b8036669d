"""What `spindle balance apply`, `watch` and `cancel` do to a cluster: the rim of `execution`.

Looks, starts, takes back, counts through the AdminClient, and tells the machine. Throttles are
those of `reassign`, with its journal: any end takes them back. `balance_journal` has the run.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from spindle.cli.balance.balance_journal import (
    BalanceRun,
    GivenOptions,
    RunJournal,
    RunOptions,
    user_and_host,
)
from spindle.cli.balance.broker_looks import LOOK_SECONDS
from spindle.cli.balance.cluster_look import (
    assigned_brokers,
    observe,
    pending,
    verify,
)
from spindle.cli.balance.move_rim import MoveRim, Say, Tell, reason, silent
from spindle.cli.balance.run_throttles import RunThrottles, crosses
from spindle.cli.balance.starting import checked
from spindle.cli.reassign import reassigning
from spindle.cli.reassign.reassignment_plan import parse_plan
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.model.errors import Error, Failure, Refusal, Unusable
from spindle.model.ids import TopicPartition
from spindle.pipeline import replanning
from spindle.pipeline.execution import NOT_BACK, Execution
from spindle.pipeline.execution_values import (
    ExecutionProgress,
    ExecutionRules,
    KnownTrouble,
    PlanOutcome,
    Unled,
    ends,
    replica_of,
)
from spindle.pipeline.proposal import ClusterProposal, parse, waves_document
from spindle.pipeline.replica_assignment import assigned
from spindle.planning.amounts import counted
from spindle.planning.assigned_replicas import AssignedReplicas
from spindle.planning.leaders import Leadership, first
from spindle.planning.load import PlannedMove
from spindle.planning.schedule import WaveLimits

WATCH_SECONDS: Final = 1.0


# -- carrying out --------------------------------------------------------------------------------


async def apply(
    admin: AdminClient,
    text: str | None,
    asked: GivenOptions,
    tell: Tell,
    say: Say = silent,
    despite: Sequence[str] = (),
) -> PlanOutcome:
    """Carry a plan's file out, or (None) go on with the run that was interrupted here.

    Cancelled, it takes back what is under way and puts the throttles back. Unusable where there is
    nothing to go on with, another run is open, or the file is no plan; Declined where the cluster
    is not well, but for what `despite` names.
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
        waiting = await pending(admin, proposal.moves)
        known = KnownTrouble()
        if waiting:
            known = (await checked(admin, waiting, despite, say)).known
        if not run.by:
            there = frozenset(map(replica_of, {*ends(proposal.moves)} - {*waiting}))
            run = replace(run, by=user_and_host(), there=there)
        limited = RunThrottles(admin, kafkas, crosses(proposal), say, known.silent)
        try:
            # A run is noted once its throttles stand: refused there, nothing is left open.
            await limited.hold(run.options.throttle if waiting else None)
            journal.write(run)
            seen = tell if waiting else silent
            carrier = _Carrier(admin, journal, run, proposal, seen, say, limited, known)
            outcome = await _carried(carrier.carry(), say)
        finally:
            await limited.put_back()
        return outcome
    finally:
        journal.unlock()


async def _carried(carrying: Awaitable[PlanOutcome], say: Say) -> PlanOutcome:
    """What became of a run; where the cluster answers no more, say first that it is not over."""
    try:
        return await carrying
    except (Failure, Refusal):
        say(
            "The run is not over: moves in progress go on in the cluster. `spindle balance apply`"
            " without PLAN resumes it, `spindle balance cancel` ends it."
        )
        raise


async def lead(
    admin: AdminClient, leadership: Leadership | None, say: Say = silent
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
    refused = {n: reason(e) for n, e in settled.items() if isinstance(e, Exception)}
    chosen = [n for n in fit if n not in refused]
    elected = await admin.elect_leaders(chosen).settled() if chosen else {}
    for name, error in elected.items():
        needless = isinstance(error, Refused) and error.error == Error.ELECTION_NOT_NEEDED
        if isinstance(error, Exception) and not needless:
            refused[name] = reason(error)
    led = len(fit) - len(refused)
    say(f"{led} of {counted(len(leaders), 'partition')} led as planned")
    for name in sorted(leaders.keys() - fit.keys()):
        say(f"{name.topic}-{name.partition} has no other leader: its replicas are elsewhere now")
    return tuple(Unled(*name, leaders[name], why) for name, why in sorted(refused.items()))


async def cancel(admin: AdminClient, say: Say = silent) -> PlanOutcome:
    """End a run whose process was killed: take back what is under way, put throttles back."""
    journal = RunJournal((await admin.describe_cluster()).cluster_id)
    journal.lock()
    try:
        run = journal.read()
        if run is None:
            raise Unusable(f"there is no run to cancel: the journal lists none in {journal.folder}")
        proposal = parse(run.plan)
        limited = RunThrottles(admin, parse_plan(run.plan), crosses(proposal), say)
        carrier = _Carrier(admin, journal, run, proposal, silent, say, limited)
        outcome = await carrier.end()
        await limited.put_back()
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
    tell: Tell = silent,
    most: WaveLimits | None = None,
) -> PlanOutcome:
    """Only the moves: without a journal, throttles or new plans; for demonstrations and tests."""
    machine = Execution(waves, ExecutionRules(most or WaveLimits(), {}), time.monotonic())
    rim = MoveRim(admin, machine, tell)
    await rim.to_the_end()
    return machine.outcome(time.monotonic())


# -- a run ---------------------------------------------------------------------------------------


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
        limited: RunThrottles,
        known: KnownTrouble | None = None,
    ) -> None:
        self._admin, self._journal, self._run, self._say = admin, journal, run, say
        self._proposal, self._limited = proposal, limited
        self._paused = False
        self._machine = _machine(proposal, run, time.monotonic(), known)
        self._rim = MoveRim(admin, self._machine, tell, say, self._census, self._keep_pace)

    async def carry(self) -> PlanOutcome:
        """Until it is over or cancelled; verified."""
        try:
            await self._rim.to_the_end()
            outcome = self._machine.outcome(time.monotonic())
            outcome = outcome.verified(await verify(self._admin, outcome.done))
            unled = await self._lead(outcome)
        except asyncio.CancelledError:
            ended = self._machine.outcome(time.monotonic())
            for move, why in ended.failed:
                if why == NOT_BACK:
                    self._say(f"{move.name} on broker {move.broker}: {why}")
            self._note_end(ended, complete=False)
            raise
        orders = 0 if self._proposal.leadership is None else len(self._proposal.leadership.orders)
        led = 0 if outcome.halted else orders - len(unled)
        outcome = replace(outcome, unled=unled, led=led)
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

    async def _lead(self, outcome: PlanOutcome) -> tuple[Unled, ...]:
        leadership = self._proposal.leadership
        if outcome.halted and leadership is not None:
            self._say("the preferred leaders stay as they are, since brokers are not well")
            return ()
        return await lead(self._admin, leadership, self._say)

    async def _keep_pace(self) -> None:
        """Take up what `pause`, `resume` and `pace` have asked for."""
        asked = self._journal.pace()
        if asked is None:
            return
        options, paused = RunOptions(*asked["options"]), asked["paused"]
        before = self._run.options
        if (options, paused) == (before, self._paused):
            return
        if options != before:
            self._run = replace(self._run, options=options)
            self._journal.write(self._run)
        if options.throttle != before.throttle and options.throttle is not None:
            try:
                await self._limited.hold(options.throttle)
            except (Failure, Refusal) as error:  # The run is worth more than its pace.
                self._say(f"warning: not all throttles were changed: {error}")
        most = WaveLimits(options.moves_per_disk, options.moves_per_broker)
        self._machine.on_pace(most, options.disk_rate, paused)
        if paused != self._paused:
            self._say(
                "paused: what moves goes on, nothing new starts until `spindle balance resume`"
                if paused
                else "resumed"
            )
        if options != before:
            self._say(f"the pace is now: {options.in_words}")
        self._paused = paused

    async def _census(self) -> None:
        """A wave is over: where sizes are not what was planned for, plan the rest again."""
        if self._proposal.wanted.exact:
            return
        everywhere = self._proposal.wanted.between
        places = {(d.broker, d.path) for d in self._proposal.directories if d.online}
        concerned = places if everywhere else self._machine.places
        brokers = sorted({broker for broker, _ in concerned})
        told = await self._admin.describe_log_dirs(brokers, timeout=LOOK_SECONDS).settled()
        census = {b: dirs for b, dirs in told.items() if not isinstance(dirs, Exception)}
        if len(census) < len(brokers):
            return  # A broker that is away for a moment; the next wave counts again.
        self._machine.follow(time.monotonic(), await observe(self._admin, self._machine, census))
        used = replanning.used(census)
        if not self._machine.on_census(used, replanning.taking(census)):
            return
        running = self._machine.running
        own = {(m.topic, m.partition) for m in running}
        truth = await assigned(self._admin, own) if everywhere else AssignedReplicas()
        most = WaveLimits(self._run.options.moves_per_disk, self._run.options.moves_per_broker)
        waves = replanning.replan(census, self._proposal, running, most, truth)
        self._machine.on_replanned(waves, used)
        moves = counted(sum(map(len, waves)), "move")
        self._say(f"sizes have changed since the plan: the rest is planned again, {moves}")
        count = self._machine.replanned
        self._run = replace(self._run, waves=self._machine.waves, replanned=count)
        self._journal.write(self._run)

    def _note_end(self, outcome: PlanOutcome, complete: bool) -> None:
        failed = [[f"{m.name} on broker {m.broker}", why] for m, why in outcome.failed]
        failed += [[f"{u.name}, led by broker {u.leader}", u.why] for u in outcome.unled]
        moved = {m for m in outcome.done if replica_of(m) not in self._run.there}
        waves = [[m for m in wave if m in moved] for wave in self._machine.waves]
        self._journal.end(
            self._run,
            {
                "complete": complete, "done": len(outcome.done), "failed": failed,
                "at": time.time(),
                "halted": {str(broker): why for broker, why in outcome.halted.items()},
                "moves": waves_document(wave for wave in waves if wave),
            },
        )  # fmt: skip


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


def _machine(
    proposal: ClusterProposal, run: BalanceRun, now: float, known: KnownTrouble | None = None
) -> Execution:
    most = WaveLimits(run.options.moves_per_disk, run.options.moves_per_broker)
    drift = proposal.wanted.band.tolerance / 2
    rate = run.options.disk_rate
    rules = ExecutionRules(most, replanning.rooms(proposal), drift, rate, known or KnownTrouble())
    return Execution(run.waves, rules, now)
