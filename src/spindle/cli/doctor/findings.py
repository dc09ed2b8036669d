"""What was seen of a cluster, and what is to be said about it. Pure: values in, findings out.

Each check is a function of `Examination`. A check that could not see what it needs says so
(UNKNOWN): it never reports health that it did not see. Called by `examining` and the command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from spindle.client.results import (
    LogDirDescription,
    QuorumDescription,
    Reassignment,
    TopicDescription,
)
from spindle.model.acl import AclOperation
from spindle.model.ids import NodeId, TopicPartition
from spindle.pipeline.known_faults import NEWEST, Release, faults
from spindle.planning.amounts import amount, counted, listed
from spindle.planning.devices import Room, devices

FULL: Final = 0.95
"""From this share of its capacity on a directory is as good as full: plans fill none further."""
FILLING: Final = 0.85
"""From this share on a directory is worth a look."""
UNEVEN: Final = 0.2
"""Two directories of a broker differ much when their shares differ by this."""
VOTER_LAG_MS: Final = 10_000


class Level(IntEnum):
    """How bad a finding is, least first."""

    OK = 0
    NOTE = 1
    UNKNOWN = 2
    WARNING = 3
    CRITICAL = 4


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about the cluster; `way_out` is what to do about it, empty where it is well."""

    level: Level
    check: str
    text: str
    way_out: str = ""


@dataclass(frozen=True, slots=True)
class Examination:
    """What a client sees of a cluster in one look; an exception is what it could not see."""

    brokers: Sequence[NodeId]
    """Those that are live."""
    down: Mapping[NodeId, Exception]
    """Those that the cluster knows and that are not live."""
    directories: Mapping[NodeId, Sequence[LogDirDescription] | Exception]
    topics: Mapping[str, TopicDescription] | Exception
    reassignments: Mapping[TopicPartition, Reassignment] | Exception
    throttles: Mapping[NodeId, Sequence[str] | Exception]
    """Of each broker, the throttles that are set on it: "NAME=RATE"."""
    rights: frozenset[AclOperation] | Exception | None
    quorum: QuorumDescription | Exception | None = None
    """None where the cluster has no quorum of controllers (ZooKeeper)."""
    now_ms: int = 0
    releases: Mapping[NodeId, tuple[Release, Release]] = field(default_factory=dict)
    """The oldest and the newest release that each broker may be."""

    def seen(self) -> dict[NodeId, Sequence[LogDirDescription]]:
        """The directories of the brokers that answered."""
        found = self.directories.items()
        return {b: dirs for b, dirs in found if not isinstance(dirs, Exception)}

    @property
    def moving(self) -> bool:
        """Whether anything is copied now, or may be."""
        copies = any(d.future for dirs in self.seen().values() for d in dirs)
        return copies or isinstance(self.reassignments, Exception) or bool(self.reassignments)


Check = Callable[[Examination], Iterator[Finding]]


def diagnose(seen: Examination) -> list[Finding]:
    """The findings of all checks, the worst first."""
    found = [finding for check in CHECKS for finding in check(seen)]
    return sorted(found, key=lambda finding: -finding.level)


def of_brokers(seen: Examination) -> Iterator[Finding]:
    """Brokers that are down, or live and silent."""
    for broker, why in seen.down.items():
        yield Finding(
            Level.CRITICAL,
            "brokers",
            f"broker {broker} is not live: {why}",
            "Look at its log and start it again. If it is gone for good, reassign its replicas.",
        )
    silent = {b: why for b, why in seen.directories.items() if isinstance(why, Exception)}
    for broker, why in silent.items():
        yield Finding(
            Level.UNKNOWN,
            "brokers",
            f"broker {broker} did not describe its log directories: {why}",
            "Check from this machine that the address it advertises is reachable, and that the"
            " user has Describe on Cluster.",
        )
    if not seen.down and not silent:
        yield Finding(Level.OK, "brokers", f"{counted(len(seen.brokers), 'broker')} answered")


def of_releases(seen: Examination) -> Iterator[Finding]:
    """Brokers of different releases, and the faults that theirs may have in moves."""
    releases = set(seen.releases.values())
    for fault in faults(releases, within=True, between=True):
        first, last = _release(fault.first), _release(fault.last)
        yield Finding(
            Level.NOTE,
            "versions",
            f"brokers may have {fault.name} (Apache Kafka {first} to {last}): {fault.what}",
            f"Before you move replicas: {fault.way_out}",
        )
    if len(releases) > 1:
        each = ", ".join(
            f"broker {b}: {_release(first)}" + (f" to {_release(last)}" if last > first else "")
            for b, (first, last) in sorted(seen.releases.items())
        )
        yield Finding(
            Level.NOTE,
            "versions",
            f"the brokers serve APIs of different releases ({each})",
            "Finish the rolling upgrade before you move replicas.",
        )


def _release(release: Release) -> str:
    return "newer" if release == NEWEST else ".".join(map(str, release))


def of_rights(seen: Examination) -> Iterator[Finding]:
    """What the user of this client may not do, and which commands need it."""
    if isinstance(seen.rights, Exception) or seen.rights is None:
        why = f": {seen.rights}" if seen.rights else " (brokers before 2.3 do not say)"
        yield Finding(Level.UNKNOWN, "rights", f"what the user may do is not known{why}")
        return
    lacking = {name: needs - seen.rights for name, needs in RIGHTS.items() if needs - seen.rights}
    for name, operations in lacking.items():
        rights = ", ".join(sorted(map(str, operations)))
        yield Finding(
            Level.WARNING,
            "rights",
            f"the user lacks {rights} on Cluster, which {name} need",
            "Have an administrator add it with kafka-acls --add --cluster"
            + "".join(f" --operation {operation}" for operation in sorted(map(str, operations))),
        )
    if not lacking:
        yield Finding(Level.OK, "rights", "the user has the rights on Cluster for every command")
    if isinstance(seen.topics, Exception):
        return
    hidden = sorted(
        {n.topic for dirs in seen.seen().values() for d in dirs for n in d.current}
        - set(seen.topics)
    )
    if hidden:
        yield Finding(
            Level.WARNING,
            "rights",
            f"brokers hold replicas of {listed(hidden)}, which the user may not see",
            "Give the user Describe on these topics: plans leave them out otherwise.",
        )


def of_directories(seen: Examination) -> Iterator[Finding]:
    """Directories that are offline, cordoned, full or unevenly full."""
    checked = 0
    for broker, directories in seen.seen().items():
        for d in directories:
            checked += 1
            yield from _of_directory(broker, d)
        yield from _unevenness(broker, directories)
        yield from _shared(broker, directories)
    offline = any(not d.online for dirs in seen.seen().values() for d in dirs)
    if checked and not offline:
        yield Finding(
            Level.OK, "disks", f"{counted(checked, 'log directory', 'log directories')} online"
        )


def _of_directory(broker: NodeId, d: LogDirDescription) -> Iterator[Finding]:
    name = f"broker {broker} {d.path}"
    if not d.online:
        yield Finding(
            Level.CRITICAL,
            "disks",
            f"{name} is offline ({d.error.name})",
            "Read the broker's log for the cause. Then replace the disk, or take it out of"
            " log.dirs, and restart the broker: until then Apache Kafka refuses moves between its"
            " other directories. For Spindle's brokers `spindle disks` and docs/disks.md have the"
            " steps.",
        )
        return
    if d.cordoned:
        yield Finding(
            Level.NOTE,
            "disks",
            f"{name} is cordoned: it gets no new replicas",
            f"`spindle disks uncordon {broker} {d.path}` ends that.",
        )
    if d.total and d.usable is not None and (used := 1 - d.usable / d.total) >= FILLING:
        yield Finding(
            Level.CRITICAL if used >= FULL else Level.WARNING,
            "disks",
            f"{name} is {used:.0%} full: {amount(d.usable)} of {amount(d.total)} are free",
            "`spindle balance plan` moves replicas away; `spindle balance forecast` says when"
            " the others fill.",
        )


def _unevenness(broker: NodeId, directories: Sequence[LogDirDescription]) -> Iterator[Finding]:
    shares = {
        d.path: 1 - d.usable / d.total
        for d in directories
        if d.online and d.total and d.usable is not None
    }
    if len(shares) < 2:
        return
    least, most = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    if shares[most] - shares[least] >= UNEVEN:
        yield Finding(
            Level.WARNING,
            "disks",
            f"broker {broker} fills its disks unevenly: {most} is {shares[most]:.0%} full,"
            f" {least} {shares[least]:.0%}",
            "`spindle balance plan` evens them out.",
        )


def _shared(broker: NodeId, directories: Sequence[LogDirDescription]) -> Iterator[Finding]:
    rooms = [
        Room(d.path, d.total, d.usable, sum(log.size for log in d.current.values()))
        for d in directories
        if d.online and d.usable is not None
    ]
    for together in devices(rooms):
        if len(together) > 1:
            yield Finding(
                Level.NOTE,
                "disks",
                f"{listed([room.path for room in together])} of broker {broker} seem to lie on one"
                " file system: they fail and fill together",
                "Give each log directory a disk of its own.",
            )


def of_replicas(seen: Examination) -> Iterator[Finding]:
    """Partitions without a leader, and partitions that lack replicas in sync."""
    if isinstance(seen.topics, Exception):
        why = f"the partitions could not be listed: {seen.topics}"
        yield Finding(Level.UNKNOWN, "replicas", why)
        return
    partitions = {
        TopicPartition(name, p.partition): p
        for name, topic in seen.topics.items()
        for p in topic.partitions
    }
    leaderless = [str(name) for name, p in partitions.items() if p.leader < 0]
    behind = [
        str(name)
        for name, p in partitions.items()
        if p.leader >= 0 and set(p.replicas) - set(p.isr)
    ]
    if leaderless:
        yield Finding(
            Level.CRITICAL,
            "replicas",
            f"{counted(len(leaderless), 'partition')} without a leader: {listed(leaderless)}",
            "Bring back a broker or disk that has a replica in sync.",
        )
    if behind:
        yield Finding(
            Level.WARNING,
            "replicas",
            f"{counted(len(behind), 'partition')} with replicas out of sync: {listed(behind)}",
            "Wait until they have caught up before you move replicas of these partitions; those in"
            " an offline directory do so once it is replaced.",
        )
    if not leaderless and not behind:
        whole = f"{counted(len(partitions), 'partition')} led, all replicas in sync"
        if not partitions:
            whole = "there are no partitions that the user may see"
        yield Finding(Level.OK, "replicas", whole)


def of_moves(seen: Examination) -> Iterator[Finding]:
    """Reassignments and moves in progress, and throttles that were left behind."""
    if isinstance(seen.reassignments, Exception):
        why = f"reassignments could not be listed: {seen.reassignments}"
        yield Finding(Level.UNKNOWN, "moves", why)
    elif seen.reassignments:
        count = counted(len(seen.reassignments), "reassignment")
        yield Finding(
            Level.NOTE, "moves", f"{count} in progress", "`spindle reassign list` shows them."
        )
    copies = sum(len(d.future) for dirs in seen.seen().values() for d in dirs)
    if copies:
        count = counted(copies, "move")
        yield Finding(
            Level.NOTE,
            "moves",
            f"{count} between log directories in progress",
            "`spindle log-dirs` shows their progress.",
        )
    for broker, names in seen.throttles.items():
        if isinstance(names, Exception):
            why = f"the throttles of broker {broker} are not known: {names}"
            yield Finding(Level.UNKNOWN, "moves", why)
        elif names and not seen.moving:
            yield Finding(
                Level.WARNING,
                "moves",
                f"broker {broker} is throttled ({', '.join(names)}) although nothing moves: a"
                " follower that has to catch up is slowed down",
                f"If no one set it on purpose: kafka-configs --alter --entity-type brokers"
                f" --entity-name {broker} --delete-config "
                + ",".join(name.partition("=")[0] for name in names),
            )


def of_quorum(seen: Examination) -> Iterator[Finding]:
    """Voters of the controllers' quorum that are behind."""
    quorum = seen.quorum
    if quorum is None:
        return
    if isinstance(quorum, Exception):
        yield Finding(Level.UNKNOWN, "quorum", f"the quorum could not be described: {quorum}")
        return
    late = [
        str(voter.node_id)
        for voter in quorum.voters
        if voter.node_id != quorum.leader_id
        and seen.now_ms - voter.last_caught_up_ms > VOTER_LAG_MS
    ]
    if late:
        yield Finding(
            Level.CRITICAL if 2 * len(late) >= len(quorum.voters) else Level.WARNING,
            "quorum",
            f"{counted(len(late), 'voter')} of {len(quorum.voters)} not caught up with the active"
            f" controller for {VOTER_LAG_MS // 1000} s: {listed(late)}",
            "Look at the logs of these controllers and at the network between them.",
        )
    else:
        told = f"{counted(len(quorum.voters), 'voter')} caught up, node {quorum.leader_id} leads"
        yield Finding(Level.OK, "quorum", told)


CHECKS: Final[Sequence[Check]] = (
    of_brokers, of_releases, of_rights, of_directories, of_replicas, of_moves, of_quorum,
)  # fmt: skip

_O = AclOperation
RIGHTS: Final[Mapping[str, frozenset[AclOperation]]] = {
    "`spindle log-dirs`, `disks`, `replicas`, `reassign list` and `balance plan`": frozenset(
        {_O.DESCRIBE}
    ),
    "`spindle reassign execute`, `balance apply` and `disks offline`": frozenset({_O.ALTER}),
    "a throttle of `spindle reassign execute` or `balance apply`, and `disks cordon`": frozenset(
        {_O.DESCRIBE_CONFIGS, _O.ALTER_CONFIGS}
    ),
}
"""Operations on Cluster that commands need (V-08). On topics: Describe for all of them, and
DescribeConfigs and AlterConfigs for a throttle between brokers."""
