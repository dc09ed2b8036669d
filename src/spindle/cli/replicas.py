"""`spindle replicas`: replicas that are bad while their disk is well, and what to do about them.

spindle replicas -b localhost:9092
spindle replicas repair -b localhost:9092 1 orders-3
spindle replicas accept-loss -b localhost:9092 1 orders-3
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from spindle.cli import render
from spindle.cli.connecting import AsJson, Bootstrap, TimeLimit, with_admin
from spindle.cli.log_dirs import existing
from spindle.cli.reassign.plan import parse_brokers
from spindle.client.admin import AdminClient
from spindle.client.results import KeptBadCopy, ReplicaHealth
from spindle.model.errors import Unusable
from spindle.model.ids import NodeId, TopicPartition

app = typer.Typer(add_completion=False, rich_markup_mode=None)

Server = Annotated[
    str, typer.Option("--bootstrap-server", "-b", help="host:port of brokers, comma-separated.")
]
Broker = Annotated[int, typer.Argument(metavar="BROKER", help="The id of the broker that has it.")]
Partition = Annotated[
    str, typer.Argument(metavar="TOPIC-PARTITION", help="The replica, e.g. orders-3.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask whether it is meant.")]


@dataclass(frozen=True, slots=True)
class Seen:
    """What the brokers told; those that could not be asked, and why."""

    brokers: dict[NodeId, tuple[ReplicaHealth, ...]]
    silent: dict[NodeId, Exception]


@app.callback(invoke_without_command=True)
def replicas(
    context: typer.Context,
    bootstrap_server: Server = "",
    broker_list: Annotated[str, typer.Option(help="Only these brokers, e.g. 1,2.")] = "",
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Show replicas that are offline on good disks, bad copies set aside, and the scrubbers.

    A replica that others have heals by itself: its bad copy is set aside, and it is fetched anew.
    One that nobody else has waits for `repair` or `accept-loss`. Exit code 1 when a replica is
    offline, or a broker could not be asked.
    """
    if context.invoked_subcommand is not None:
        return
    if not bootstrap_server:
        raise typer.BadParameter("say where the cluster is: -b host:port", param_hint="-b")

    async def work(admin: AdminClient) -> Seen:
        return await _ask(admin, parse_brokers(broker_list))

    seen = with_admin(bootstrap_server, work, timeout=request_timeout)
    if as_json:
        print(json.dumps(document(seen)))
    else:
        _show(seen)
    for broker, failure in seen.silent.items():
        render.warn(f"broker {broker} was left out: {failure}")
    if seen.silent or any(d.offline for found in seen.brokers.values() for d in found):
        raise typer.Exit(1)


@app.command()
def repair(
    bootstrap_server: Bootstrap,
    broker: Broker,
    partition: Partition,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Try a damaged replica again: fetch it anew, or take it up as it is where nobody else has it.

    For a replica that was given up after several attempts, and for one whose files are well again.
    """
    _order(bootstrap_server, broker, partition, False, as_json, request_timeout)


@app.command("accept-loss")
def accept_loss(
    bootstrap_server: Bootstrap,
    broker: Broker,
    partition: Partition,
    yes: Yes = False,
    as_json: AsJson = False,
    request_timeout: TimeLimit = 30.0,
) -> None:
    """Serve what is good of a damaged replica that nobody else has; the rest is lost.

    Good batches are kept with their offsets; damaged segments are set aside as they are, for
    `spindle forensics`. Refused while another broker has the records.
    """
    if not yes:
        typer.confirm(f"Give up the damaged records of {partition} on broker {broker}?", abort=True)
    _order(bootstrap_server, broker, partition, True, as_json, request_timeout)


def _order(
    bootstrap: str, broker: NodeId, text: str, loss: bool, as_json: bool, timeout: float
) -> None:
    name = parse_partition(text)

    async def work(admin: AdminClient) -> str:
        await existing(admin, [broker])
        return await admin.repair_replica(broker, name, accept_loss=loss)

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


async def _ask(admin: AdminClient, brokers: Sequence[NodeId]) -> Seen:
    settled = await admin.describe_bad_replicas(await existing(admin, brokers)).settled()
    return Seen(
        {b: d for b, d in settled.items() if not isinstance(d, Exception)},
        {b: d for b, d in settled.items() if isinstance(d, Exception)},
    )


def document(seen: Seen) -> dict[str, Any]:
    """The document for scripts."""

    def directory(broker: NodeId, found: ReplicaHealth) -> dict[str, Any]:
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
        }

    def copied(copy: KeptBadCopy) -> dict[str, Any]:
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


def _show(seen: Seen) -> None:
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
    render.table("Scrubbers", ["broker", "directory", "round", "rounds", "complete"], scrubbers)
    copies = [
        [broker, f"{d.path}/{c.name}", render.size(c.size), _when(c.since_ms), c.reason]
        for broker, d in pairs
        for c in d.bad_copies
    ]
    if copies:
        render.table("Bad copies set aside", ["broker", "where", "size", "since", "why"], copies)
    offline = [
        [broker, d.path, str(bad.name), bad.reason, bad.outlook]
        for broker, d in pairs
        for bad in d.offline
    ]
    if offline:
        columns = ["broker", "directory", "replica", "why", "what happens next"]
        render.table("Offline on good disks", columns, offline)
    else:
        render.say("no replica is offline on a good disk")


def _share(found: ReplicaHealth) -> str:
    if found.scrub_total_bytes <= 0:
        return "-"
    return f"{min(100, 100 * found.scrubbed_bytes // found.scrub_total_bytes)} %"


def _when(ms: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(ms / 1000)) if ms else "never"
