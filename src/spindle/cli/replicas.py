"""`spindle replicas`: replicas that are bad while their disk is well, and what to do about them.

spindle replicas -b localhost:9092
spindle replicas repair -b localhost:9092 1 orders-3
spindle replicas accept-loss -b localhost:9092 1 orders-3
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Final

import typer

from spindle.cli import accepting, render, roll
from spindle.cli.connecting import NOT_NAMED, AsJson, Bootstrap, BrokerList, TimeLimit, with_admin
from spindle.cli.exits import End
from spindle.cli.reassign.reassignment_plan import parse_brokers
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.client.results import KeptBadCopy, ReplicaHealth
from spindle.model.errors import Unusable
from spindle.model.ids import NodeId, TopicPartition
from spindle.planning.amounts import counted

app = typer.Typer(add_completion=False, rich_markup_mode=None)

Broker = Annotated[int, typer.Argument(metavar="BROKER", help="The id of the broker that has it.")]
Partition = Annotated[
    str, typer.Argument(metavar="TOPIC-PARTITION", help="The replica, e.g. orders-3.")
]
_FOREIGN: Final = (
    "it is not a broker of Spindle's, and tells nothing of damaged replicas: `spindle forensics`"
    " reads its log directories"
)
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


@dataclass(frozen=True, slots=True)
class ObservedReplicas:
    """The reports of the brokers; the brokers that could not be asked, and why."""

    brokers: dict[NodeId, tuple[ReplicaHealth, ...]]
    silent: dict[NodeId, Exception]


@app.callback(invoke_without_command=True)
def replicas(
    context: typer.Context,
    bootstrap_server: Bootstrap = NOT_NAMED,
    broker_list: BrokerList = "",
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Show replicas that are offline on good disks, bad copies set aside, and the scrubbers.

    If another broker has the replica, it heals: its bad copy is set aside, and it is fetched
    again. If no other broker has it, it waits for `repair` or `accept-loss`. Exit code 1: a
    replica is offline; 6: a broker is down or could not be asked.
    """
    if context.invoked_subcommand is not None:
        return
    if bootstrap_server == NOT_NAMED:
        raise typer.BadParameter("name a broker of the cluster: -b host:port", param_hint="-b")

    async def work(admin: AdminClient) -> ObservedReplicas:
        return await _ask(admin, parse_brokers(broker_list))

    seen = with_admin(bootstrap_server, work, timeout=request_timeout)
    if as_json:
        print(json.dumps(document(seen)))
    else:
        _show(seen)
    for broker, failure in seen.silent.items():
        render.warn(f"broker {broker} was left out: {failure}")
    if any(d.offline for found in seen.brokers.values() for d in found):
        raise typer.Exit(End.FAILED)
    if seen.silent:
        raise typer.Exit(End.UNKNOWN)


@app.command()
def repair(
    bootstrap_server: Bootstrap,
    broker: Broker,
    partition: Partition,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Fetch a damaged replica again, or serve it if it is whole and no other broker has it.

    For a replica whose healing has failed several times, and for one whose files were restored.
    """
    _order(bootstrap_server, broker, partition, False, as_json, request_timeout)


@app.command("accept-loss")
def accept_loss(
    bootstrap_server: Bootstrap,
    broker: Annotated[
        int | None, typer.Argument(metavar="BROKER", help="The broker. With --all: only this one.")
    ] = None,
    partition: Annotated[
        str | None, typer.Argument(metavar="TOPIC-PARTITION", help="The replica, e.g. orders-3.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Each damaged replica that no other broker has.")
    ] = False,
    log_dir: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="With --all: only this directory.")
    ] = None,
    yes: Yes = False,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Serve the good part of a damaged replica that no other broker has; the rest is lost.

    Good batches are kept with their offsets; damaged segments are set aside as they are, for
    `spindle forensics`. Refused while another broker has the records. With --all it lists what
    would be lost, asks once, and continues past replicas that fail. Exit code 1: one of them
    failed; 4: none waits for it; 6: a broker is down or could not be asked.
    """
    if everything:
        if partition is not None:
            raise typer.BadParameter("name a replica, or give --all", param_hint="--all")
        _accept_all(bootstrap_server, broker, log_dir, yes, as_json, request_timeout)
        return
    if broker is None or partition is None:
        raise typer.BadParameter("name BROKER and TOPIC-PARTITION, or give --all")
    if log_dir is not None:
        raise typer.BadParameter("goes with --all", param_hint="--log-dir")
    if not yes:
        name = parse_partition(partition)

        async def work(admin: AdminClient) -> str:
            return await _what_is_damaged(admin, broker, name)

        render.note(with_admin(bootstrap_server, work, timeout=request_timeout))
        typer.confirm(f"Give up the damaged records of {partition} on broker {broker}?", abort=True)
    _order(bootstrap_server, broker, partition, True, as_json, request_timeout)


def _accept_all(
    bootstrap: Bootstrap,
    broker: NodeId | None,
    directory: str | None,
    yes: bool,
    as_json: bool,
    timeout: float,
) -> None:
    async def look(admin: AdminClient) -> ObservedReplicas:
        return await _ask(admin, [] if broker is None else [broker])

    seen = with_admin(bootstrap, look, timeout=timeout)
    for silent, failure in seen.silent.items():
        render.warn(f"broker {silent} was left out: {failure}")
    wanted = accepting.losses(seen.brokers, directory)
    for loss in wanted:
        render.note(f"{loss.name} on broker {loss.broker} in {loss.directory}: {loss.reason}")
    if wanted and not yes:
        those = counted(len(wanted), "replica")
        typer.confirm(f"Give up the damaged records of {those}?", abort=True, err=True)

    async def work(admin: AdminClient) -> list[accepting.Ended]:
        return await accepting.accept(admin, wanted)

    ended = with_admin(bootstrap, work, timeout=timeout) if wanted else []
    _tell_ended(ended, seen.silent, as_json)
    if any(end.failed for end in ended):
        raise typer.Exit(End.FAILED)
    if seen.silent:
        raise typer.Exit(End.UNKNOWN)
    if not ended:
        raise typer.Exit(End.NOTHING)


def _tell_ended(
    ended: Sequence[accepting.Ended], silent: Mapping[NodeId, Exception], as_json: bool
) -> None:
    if as_json:
        rows = [
            {
                "broker": end.loss.broker,
                "replica": str(end.loss.name),
                "outcome": end.outcome,
                "failed": end.failed,
            }
            for end in ended
        ]
        left = {str(b): str(why) for b, why in silent.items()}
        print(json.dumps({"replicas": rows, "silentBrokers": left}))
        return
    for end in ended:
        tell = render.warn if end.failed else render.say
        tell(f"{end.loss.name} on broker {end.loss.broker}: {end.outcome}")
    failed = sum(end.failed for end in ended)
    if ended:
        render.say(f"{counted(len(ended) - failed, 'loss', 'losses')} accepted, {failed} failed")
    else:
        render.say("no replica waits for its loss to be accepted")


async def _what_is_damaged(admin: AdminClient, broker: NodeId, name: TopicPartition) -> str:
    """The losses to confirm, before the question; Unusable if there are none."""
    await roll.existing(admin, [broker])
    with _of_spindles(broker):
        found = await admin.describe_bad_replicas([broker])[broker]
    for directory in found:
        for bad in directory.offline:
            if bad.name == name:
                return f"{name} on broker {broker} in {directory.path}: {bad.reason}; {bad.outlook}"
    raise Unusable(f"{name} on broker {broker} is not offline: there is no loss to accept")


def _order(
    bootstrap: Bootstrap, broker: NodeId, text: str, loss: bool, as_json: bool, timeout: float
) -> None:
    name = parse_partition(text)

    async def work(admin: AdminClient) -> str:
        await roll.existing(admin, [broker])
        return await ordered(admin, broker, name, loss)

    words = with_admin(bootstrap, work, timeout=timeout)
    if as_json:
        print(json.dumps({"broker": broker, "replica": str(name), "outcome": words}))
    else:
        render.say(f"{name} on broker {broker}: {words}")


def parse_partition(text: str) -> TopicPartition:
    """`orders-3` as a partition; Unusable says what would be right."""
    topic, dash, number = text.rpartition("-")
    if not dash or not topic or not (number.isascii() and number.isdigit()):
        raise Unusable(f"{text!r} is no TOPIC-PARTITION: write the topic, a dash, a number")
    return TopicPartition(topic, int(number))


async def _ask(admin: AdminClient, brokers: Sequence[NodeId]) -> ObservedReplicas:
    called = await roll.call(admin, brokers)
    settled = await admin.describe_bad_replicas(called.live).settled()
    silent = {b: why_silent(d) for b, d in settled.items() if isinstance(d, Exception)}
    return ObservedReplicas(
        {b: d for b, d in settled.items() if not isinstance(d, Exception)},
        dict(sorted({**called.down, **silent}.items())),
    )


async def ordered(admin: AdminClient, broker: NodeId, name: TopicPartition, loss: bool) -> str:
    """What came of an order to repair a replica, or to accept its loss."""
    with _of_spindles(broker):
        return await admin.repair_replica(broker, name, accept_loss=loss)


def why_silent(failure: Exception) -> Exception:
    """What is said of a broker that did not tell of its replicas."""
    if roll.is_unserved(failure):
        return roll.ForeignBroker(_FOREIGN)
    return roll.of_known(failure)


@contextmanager
def _of_spindles(broker: NodeId) -> Iterator[None]:
    """Unusable says so where the broker is another program's."""
    try:
        yield
    except Refused as refused:
        if not roll.is_unserved(refused):
            raise
        raise roll.ForeignBroker(f"broker {broker}: {_FOREIGN}") from None


def document(seen: ObservedReplicas) -> dict[str, object]:
    """The document for scripts."""

    def directory(broker: NodeId, found: ReplicaHealth) -> dict[str, object]:
        return {
            "broker": broker,
            "logDir": found.path,
            "scrub": {
                "rounds": found.scrub_rounds,
                "lastRoundMs": found.scrub_ended_ms,
                "scrubbedBytes": found.scrubbed_bytes,
                "totalBytes": found.scrub_total_bytes,
            },
            "offline": [
                {
                    "replica": str(bad.name),
                    "damaged": bad.damaged,
                    "reason": bad.reason,
                    "outlook": bad.outlook,
                }
                for bad in found.offline
            ],
            "badCopies": [copied(copy) for copy in found.bad_copies],
            "gaps": [
                {"replica": str(gap.name), "firstOffset": gap.first, "nextOffset": gap.next}
                for gap in found.gaps
            ],
        }

    def copied(copy: KeptBadCopy) -> dict[str, object]:
        return {
            "name": copy.name,
            "bytes": copy.size,
            "sinceMs": copy.since_ms,
            "reason": copy.reason,
        }

    return {
        "logDirs": [directory(b, d) for b, found in seen.brokers.items() for d in found],
        "silentBrokers": {str(b): str(failure) for b, failure in seen.silent.items()},
    }


def _show(seen: ObservedReplicas) -> None:
    pairs = [(str(b), d) for b, found in seen.brokers.items() for d in found]
    scrubbers = [
        [
            broker,
            d.path,
            _share(d),
            str(d.scrub_rounds),
            _when(d.scrub_ended_ms),
        ]
        for broker, d in pairs
    ]
    scrubbers += roll.silent_rows(seen.silent, 5)
    render.table("Scrubbers", ["broker", "directory", "round", "rounds", "complete"], scrubbers)
    copies = [
        [broker, f"{d.path}/{c.name}", render.size(c.size), _when(c.since_ms), c.reason]
        for broker, d in pairs
        for c in d.bad_copies
    ]
    if copies:
        render.table("Bad copies set aside", ["broker", "where", "size", "since", "why"], copies)
    gaps = [
        [broker, d.path, str(gap.name), f"{gap.first} to {gap.next - 1}"]
        for broker, d in pairs
        for gap in d.gaps
    ]
    if gaps:
        columns = ["broker", "directory", "replica", "offsets"]
        render.table("Missing by compaction or by a power cut", columns, gaps)
    offline = [
        [broker, d.path, str(bad.name), bad.reason, bad.outlook]
        for broker, d in pairs
        for bad in d.offline
    ]
    if offline:
        columns = ["broker", "directory", "replica", "why", "what happens next"]
        render.table("Offline on good disks", columns, offline)
    elif seen.silent:
        render.say("no replica is offline on a good disk of the brokers that answered")
    else:
        render.say("no replica is offline on a good disk")


def _share(found: ReplicaHealth) -> str:
    if found.scrub_total_bytes <= 0:
        return "-"
    return f"{min(100, 100 * found.scrubbed_bytes // found.scrub_total_bytes)} %"


def _when(ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ms / 1000)) if ms else "never"
