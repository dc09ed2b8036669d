"""What `reassign` does to a cluster: generate, execute, verify, cancel, list (K113-22 to K113-25).

Takes an AdminClient and a function that prints lines, so that `spindle reassign` and
`kafka-reassign-partitions` share it. The lines are Kafka's. What differs from Kafka's own tool: the
choice of a directory is sent before the reassignment, so that a new replica is created in its place
at once; and where it stops half way, the error says what has been done and what has not.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Final

from spindle.cli import roll
from spindle.cli.reassign import limits, placing
from spindle.cli.reassign.reassign_journal import Journal
from spindle.cli.reassign.reassignment_plan import Assignment, ReassignmentPlan, plan_json
from spindle.cli.reassign.reassignment_state import (
    MoveState,
    MoveStatus,
    PartitionState,
    active_lines,
    move_lines,
    move_states,
    numbers,
    partition_lines,
    partition_states,
)
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.client.results import Reassignment, Replica
from spindle.model.errors import Error, Unusable
from spindle.model.ids import DirectoryId, LogDir, NodeId, TopicPartition

Say = Callable[[str], None]

AGAIN_S: Final = 0.1
"""Seconds between attempts to choose the directory of a replica that is not there yet."""
DIRECTORY_TIMEOUT_MS: Final = 10_000
SILENT_BROKER_S: Final = 5.0
"""Seconds, at least, before a broker that does not answer a choice of directories is given up."""


class Stopped(Unusable):
    """A command ended half way; the text says why, what has been done and what has not."""


@dataclass(frozen=True)
class ReassignOptions:
    """How to execute; rates in bytes/s, None: no throttle."""

    additional: bool = False
    throttle: int | None = None
    move_throttle: int | None = None
    timeout_ms: int = DIRECTORY_TIMEOUT_MS
    allow_replication_factor_change: bool = True
    watched: bool = False
    """The command waits for the end and restores the throttles."""


@dataclass(frozen=True)
class Verified:
    """What `verify` found."""

    partitions: dict[TopicPartition, PartitionState]
    moves: dict[Replica, MoveState]

    @property
    def active(self) -> bool:
        """Whether anything is still under way (or may be: a broker was silent)."""
        return any(s.active for s in self.partitions.values()) or any(
            m.active or m.move is MoveStatus.UNKNOWN for m in self.moves.values()
        )

    @property
    def complete(self) -> bool:
        """Whether everything is where the plan wants it."""
        return all(s.reached for s in self.partitions.values()) and all(
            m.move is MoveStatus.DONE for m in self.moves.values()
        )


# -- generate ----------------------------------------------------------------------------------


async def generate(
    admin: AdminClient,
    topics: Sequence[str],
    brokers: Sequence[NodeId],
    rng: Random,
    *,
    rack_aware: bool = True,
) -> tuple[str, str]:
    """(current, proposed) assignment of some topics to some brokers, as JSON documents."""
    current = await _assignment_of_topics(admin, topics)
    cluster = await admin.describe_cluster()
    _check_known(brokers, cluster.brokers)
    racks = {b: cluster.brokers[b].rack if rack_aware else None for b in brokers}
    placing.check_racks(racks)
    proposed = placing.generate(current, racks, rng)
    return plan_json(current, await _places(admin, current)), plan_json(proposed)


# -- execute -----------------------------------------------------------------------------------


class Chosen(Enum):
    """Brokers that know the directory of a replica, so how often its data is copied (B-08)."""

    CONTROLLER = "created there: the controller and the broker know the directory"
    BROKER = "created there: the broker knows the directory"
    MOVE = "moved there: the broker had it already"


@dataclass(frozen=True)
class Executed:
    """What `execute` has started, and the document that would take it back."""

    rollback: str
    reassigned: list[TopicPartition]
    directories: dict[Replica, tuple[LogDir, Chosen]]


async def execute(
    admin: AdminClient, plan: ReassignmentPlan, options: ReassignOptions, say: Say
) -> Executed:
    """Start what the plan asks for; returns when every directory has been accepted.

    Stopped (with what was done and what not) on any refusal, an absent broker, or when a directory
    is not accepted within `timeout_ms`.
    """
    active = await admin.list_partition_reassignments()
    if active and not options.additional:
        raise Stopped(
            "Cannot execute because there is an existing partition assignment.  Use --additional"
            " to override this and create a new partition assignment in addition to the existing"
            " one. The --additional flag can also be used to change the throttle by resubmitting"
            " the current reassignment."
        )
    cluster = await admin.describe_cluster()
    _check_known({b for brokers in plan.replicas.values() for b in brokers}, cluster.brokers)
    current = await _assignment(admin, plan.replicas)
    say("Current partition replica assignment\n")
    rollback = plan_json(current, await _places(admin, current))
    say(rollback)
    say("\nSave this to use as the --reassignment-json-file option during rollback")
    run = _Execution(admin, plan, options, say)
    await run.throttle(active, current)
    await run.choose_directories()
    reassigned = await run.reassign()
    await run.finish_directories()
    return Executed(
        rollback,
        reassigned,
        {r: (path, run.chosen.get(r, Chosen.MOVE)) for r, path in plan.directories.items()},
    )


@dataclass
class _Execution:
    """One run of `execute`: what has been accepted so far, for the case that it must stop."""

    admin: AdminClient
    plan: ReassignmentPlan
    options: ReassignOptions
    say: Say
    done: list[str] = field(default_factory=list)
    accepted: list[Replica] = field(default_factory=list)
    waiting: dict[Replica, LogDir] = field(default_factory=dict)
    chosen: dict[Replica, Chosen] = field(default_factory=dict)
    journal: Journal | None = None
    """Held while this runs: the plan's throttles are set before it is under way."""

    async def throttle(
        self, active: Mapping[TopicPartition, Reassignment], current: Assignment
    ) -> None:
        rates = (self.options.throttle, self.options.move_throttle)
        if rates == (None, None):
            return
        if not self.options.watched:
            self.say(
                "Warning: You must run --verify periodically, until the reassignment completes, to"
                " ensure the throttle is removed."
            )
        self.done.append("throttles have been set (cancel or verify removes them)")
        self.journal = await limits.limit(self.admin, self.plan, rates, active, current, self.say)

    async def choose_directories(self) -> None:
        """First of all: brokers note the directories of replicas they do not have yet (B-08)."""
        self.waiting = dict(self.plan.directories)
        await self._choose("no reassignment was started")

    async def reassign(self) -> list[TopicPartition]:
        settled = await self.admin.alter_partition_reassignments(
            self.plan.replicas,
            directories=await self._directory_ids(),
            allow_replication_factor_change=self.options.allow_replication_factor_change,
        ).settled()
        failed = {name: f for name, f in settled.items() if isinstance(f, Exception)}
        if failed:
            lines = "\n".join(f"{name}: {_reason(f)}" for name, f in sorted(failed.items()))
            started = [str(name) for name in settled if name not in failed]
            if started:
                self.done.append(f"the reassignment of {', '.join(started)} was started")
            raise self._stopped(f"Error reassigning partition(s):\n{lines}", "")
        self.chosen = dict.fromkeys(self.waiting, Chosen.BROKER)
        for replica in self.waiting:
            taken = settled[replica.name]
            if not isinstance(taken, Exception) and replica.broker in taken:
                self.chosen[replica] = Chosen.CONTROLLER
        names = ",".join(map(str, sorted(settled)))
        self.say(f"Successfully started partition reassignment{_s(settled)} for {names}")
        self.done.append(f"the reassignment of {names} was started")
        return sorted(settled)

    async def _directory_ids(self) -> dict[Replica, DirectoryId]:
        """For the controller too, where brokers tell ids: none of Apache Kafka's does (B-25)."""
        brokers = sorted({replica.broker for replica in self.waiting})
        found = await self.admin.describe_log_dirs(brokers, partitions=()).settled()
        ids = {
            (broker, directory.path): directory.directory_id
            for broker, directories in found.items()
            if not isinstance(directories, Exception)
            for directory in directories
        }
        told = {r: ids.get((r.broker, path)) for r, path in self.waiting.items()}
        return {replica: id for replica, id in told.items() if id is not None}

    async def finish_directories(self) -> None:
        """Repeat for new replicas until their brokers have created them, or time is up."""
        for replica in self.accepted:
            self._started(replica)
        deadline = time.monotonic() + self.options.timeout_ms / 1000
        while self.waiting:
            for replica in await self._choose(""):
                self._started(replica)
            if self.waiting and time.monotonic() >= deadline:
                names = ",".join(map(str, sorted(self.waiting)))
                raise self._stopped(
                    f"Timed out before log directory move{_s(self.waiting)} could be started for:"
                    f" {names}",
                    "a broker that creates the replica later still puts it into that directory",
                )
            if self.waiting:
                await asyncio.sleep(AGAIN_S)

    async def _choose(self, not_done: str) -> list[Replica]:
        settled = await self.admin.alter_replica_log_dirs(
            self.waiting, timeout=max(SILENT_BROKER_S, self.options.timeout_ms / 1000)
        ).settled()
        accepted, failures = _sorted_out(settled)
        for replica in accepted:
            del self.waiting[replica]
        self.accepted += accepted
        if failures:
            raise self._stopped(_failed_moves(failures), not_done)
        return accepted

    def _started(self, replica: Replica) -> None:
        self.say(_started_line(replica, self.plan.directories[replica]))

    def _stopped(self, reason: str, not_done: str) -> Stopped:
        done = list(self.done)
        if self.accepted:
            done.append(f"the directories of {', '.join(map(str, self.accepted))} were accepted")
        return Stopped(
            f"{reason}\nDone: {'; '.join(done) or 'nothing was changed'}."
            + (f"\nNot done: {not_done}." if not_done else "")
        )


# -- verify ------------------------------------------------------------------------------------


async def look(admin: AdminClient, plan: ReassignmentPlan) -> Verified:
    """How far a plan has come; silent brokers are states, not failures."""
    active = await admin.list_partition_reassignments(list(plan.replicas))
    topics = await admin.describe_topics(plan.topics).settled()
    current: Assignment = {}
    for topic in topics.values():
        if isinstance(topic, Refused) and topic.error == Error.UNKNOWN_TOPIC_OR_PARTITION:
            continue
        if isinstance(topic, Exception):
            raise topic
        for p in topic.partitions:
            current[TopicPartition(topic.name, p.partition)] = p.replicas
    found = await admin.describe_replica_log_dirs(plan.directories).settled()
    return Verified(partition_states(plan, active, current), move_states(plan.directories, found))


async def verify(
    admin: AdminClient, plan: ReassignmentPlan, say: Say, *, preserve_throttles: bool = False
) -> Verified:
    """Say how far a plan has come; take the throttles away once nothing is under way (K113-24)."""
    found = await look(admin, plan)
    for line in partition_lines(found.partitions):
        say(line)
    # Kafka's tool prints these as one text, hence an empty line where there are none.
    say("\n".join(move_lines(found.moves)))
    if not found.active and not preserve_throttles:
        await limits.clear(admin, plan, say)
    return found


async def settle(admin: AdminClient, plan: ReassignmentPlan, tell: Say) -> None:
    """Finish first what earlier runs have left behind: throttles of plans that are over."""

    async def is_active(other: ReassignmentPlan) -> bool:
        return (await look(admin, other)).active

    await limits.settle(admin, plan, is_active, tell)


# -- cancel, list ------------------------------------------------------------------------------


async def cancel(
    admin: AdminClient,
    plan: ReassignmentPlan,
    say: Say,
    *,
    lift: Callable[[AdminClient, ReassignmentPlan, Say], Awaitable[None]] | None = limits.clear,
    timeout_ms: int = DIRECTORY_TIMEOUT_MS,
) -> None:
    """Cancel what is under way of the plan: reassignments, and moves between directories.

    `lift` then deals with the throttles; None leaves them.
    """
    active = await admin.list_partition_reassignments(list(plan.replicas))
    if active:
        settled = await admin.alter_partition_reassignments(dict.fromkeys(active)).settled()
        failed = {n: f for n, f in settled.items() if isinstance(f, Exception) and not _gone(f)}
        if failed:
            lines = "\n".join(f"{name}: {_reason(f)}" for name, f in sorted(failed.items()))
            raise Stopped(f"Error cancelling partition reassignment{_s(failed)} for:\n{lines}")
        names = ",".join(map(str, sorted(settled)))
        say(f"Successfully cancelled partition reassignment{_s(settled)} for: {names}")
    else:
        say("None of the specified partition reassignments are active.")
    await _cancel_moves(admin, plan, say, timeout_ms)
    if lift is not None:
        await lift(admin, plan, say)


async def _cancel_moves(
    admin: AdminClient, plan: ReassignmentPlan, say: Say, timeout_ms: int
) -> None:
    found = await admin.describe_replica_log_dirs(plan.directories).settled()
    silent = {r: f for r, f in found.items() if isinstance(f, Exception)}
    states = move_states(plan.directories, found)
    back = {r: s.current for r, s in states.items() if s.active and s.current is not None}
    if not back:
        say("None of the specified partition moves are active.")
    else:
        settled = await admin.alter_replica_log_dirs(back, timeout=timeout_ms / 1000).settled()
        accepted, failures = _sorted_out(settled)
        for replica in accepted:
            say(_started_line(replica, back[replica]))
        if failures:
            raise Stopped(_failed_moves(failures))
    if silent:
        lines = "\n".join(f"{replica}: {failure}" for replica, failure in silent.items())
        raise Stopped(f"these moves could not be cancelled:\n{lines}")


async def list_active(admin: AdminClient, say: Say) -> dict[TopicPartition, Reassignment]:
    """Say which reassignments are in progress."""
    active = await admin.list_partition_reassignments()
    for line in active_lines(active):
        say(line)
    return active


# -- what the cluster has ----------------------------------------------------------------------


async def _assignment(admin: AdminClient, names: Iterable[TopicPartition]) -> Assignment:
    """The brokers of some partitions; Unusable names one that does not exist."""
    wanted = list(names)
    every = await _assignment_of_topics(admin, sorted({name.topic for name in wanted}))
    for name in wanted:
        if name not in every:
            raise Unusable(f"Unable to find partition: {name}")
    return {name: every[name] for name in wanted}


async def _assignment_of_topics(admin: AdminClient, topics: Sequence[str]) -> Assignment:
    found: Assignment = {}
    for name, topic in (await admin.describe_topics(topics).settled()).items():
        if isinstance(topic, Refused) and topic.error == Error.UNKNOWN_TOPIC_OR_PARTITION:
            raise Unusable(f"Topic {name} not found.")
        if isinstance(topic, Exception):
            raise topic
        for p in topic.partitions:
            found[TopicPartition(name, p.partition)] = p.replicas
    return found


async def _places(admin: AdminClient, current: Assignment) -> dict[Replica, LogDir]:
    """Where replicas lie now, as far as their brokers say."""
    replicas = [Replica(*name, broker) for name, brokers in current.items() for broker in brokers]
    found = await admin.describe_replica_log_dirs(replicas).settled()
    return {
        replica: where.current
        for replica, where in found.items()
        if not isinstance(where, Exception) and where.current is not None
    }


async def check_named(admin: AdminClient, plan: ReassignmentPlan) -> None:
    """Unusable names a topic or a broker of a plan that the cluster does not have.

    Kafka's tool fails at their throttles, when it has said how far the plan has come.
    """
    await _assignment_of_topics(admin, plan.topics)
    found = await roll.call(admin, ())
    brokers = {broker for replicas in plan.replicas.values() for broker in replicas}
    _check_known(brokers, dict.fromkeys([*found.live, *found.down]))


def _check_known(brokers: Iterable[NodeId], known: Mapping[NodeId, object]) -> None:
    unknown = sorted(set(brokers) - set(known))
    if unknown:
        raise Unusable(f"Unknown broker id {unknown[0]}; the brokers are: {numbers(sorted(known))}")


# -- helpers -----------------------------------------------------------------------------------


def _sorted_out(
    settled: Mapping[Replica, Exception | None],
) -> tuple[list[Replica], dict[Replica, Exception]]:
    """(accepted, failed) of a request for moves; what is in neither is still to come."""
    accepted = [replica for replica, failure in settled.items() if failure is None]
    failed = {
        replica: failure
        for replica, failure in settled.items()
        if failure is not None
        and not (isinstance(failure, Refused) and failure.error == Error.REPLICA_NOT_AVAILABLE)
    }
    return accepted, failed


def _failed_moves(failures: Mapping[Replica, Exception]) -> str:
    return "\n".join(
        f"Failed to alter dir for {replica}: {failure}"
        for replica, failure in sorted(failures.items())
    )


def _started_line(replica: Replica, directory: LogDir) -> str:
    # The blank at the end is Kafka's.
    return (
        f"Successfully started moving log directory to {directory} for replica {replica.name}"
        f" with broker {replica.broker} "
    )


def _gone(failure: Exception) -> bool:
    """Whether a reassignment ended by itself between our looking and our cancelling."""
    return isinstance(failure, Refused) and failure.error == Error.NO_REASSIGNMENT_IN_PROGRESS


def _reason(failure: Exception) -> str:
    return failure.detail if isinstance(failure, Refused) and failure.detail else str(failure)


def _s(many: Sized) -> str:
    return "" if len(many) == 1 else "s"
