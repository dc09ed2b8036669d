"""`kafka-log-dirs`, `kafka-reassign-partitions`, `kafka-storage`: Kafka's flags, lines, exit codes.

For scripts written against Apache Kafka's own tools (K113-21, K113-22, K858-01). Here is only the
command line; the work is that of `spindle log-dirs`, `spindle reassign` and `spindle storage`.
Where they differ on purpose: a wrong command line gets one line with a short usage, an error
has no stack trace, a silent broker does not hide the others, and --help succeeds.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random
from typing import Final

from spindle.cli import render
from spindle.cli.app import readers_may_leave
from spindle.cli.connecting import read_text
from spindle.cli.kafka_lines import (
    TROUBLE,
    OptionLine,
    VerbLine,
    connected,
    option_line,
    parse,
)
from spindle.cli.log_dirs import DescribedLogDirs, ask, document, names, narrowed
from spindle.cli.reassign import limits
from spindle.cli.reassign import reassigning as running
from spindle.cli.reassign.reassignment_plan import (
    ReassignmentPlan,
    parse_brokers,
    parse_plan,
    parse_topics,
)
from spindle.cli.roll import UnknownBrokers, existing
from spindle.client.admin import AdminClient

_ACTIONS: Final = ("generate", "execute", "verify", "cancel", "list")
_REQUIRED: Final = {
    "generate": ("topics-to-move-json-file", "broker-list"),
    "execute": ("reassignment-json-file",),
    "verify": ("reassignment-json-file",),
    "cancel": ("reassignment-json-file",),
    "list": (),
}
_ALLOWED: Final = {
    "generate": {"topics-to-move-json-file", "broker-list", "disable-rack-aware"},
    "execute": {
        "reassignment-json-file",
        "additional",
        "throttle",
        "replica-alter-log-dirs-throttle",
        "timeout",
        "disallow-replication-factor-change",
    },
    "verify": {"reassignment-json-file", "preserve-throttles"},
    "cancel": {
        "reassignment-json-file",
        "preserve-throttles",
        "timeout",
        "bootstrap-controller",
    },
    "list": {"bootstrap-controller"},
}


@readers_may_leave()
def log_dirs(arguments: Sequence[str] | None = None) -> None:
    """`kafka-log-dirs`: the brokers' directories as one line of JSON."""
    parser = option_line("kafka-log-dirs", "query log directory usage on the specified brokers")
    parser.add_argument("--bootstrap-server", metavar="HOST:PORT,...")
    parser.add_argument("--describe", action="store_true", help="describe log directories")
    parser.add_argument("--broker-list", default="", metavar="1,2", help="default: all brokers")
    parser.add_argument("--topic-list", default="", metavar="a,b", help="default: all topics")
    parser.add_argument("--log-dirs", default="", metavar="/d1,/d2", help="default: all")
    given = parse(parser, arguments)
    for option in ("bootstrap_server", "describe"):
        if not getattr(given, option):
            parser.error(f'Missing required argument "[{option.replace("_", "-")}]"')
    try:
        found = connected(given, lambda admin: _describe(admin, given))
    except UnknownBrokers as unknown:
        print(f"ERROR: {unknown}", file=sys.stderr)
        raise SystemExit(1) from None
    except BrokenPipeError:
        raise  # The reader has gone, which is no trouble.
    except TROUBLE as trouble:
        print(trouble, file=sys.stderr)
        raise SystemExit(1) from None
    found = narrowed(found, names(given.topic_list), names(given.log_dirs))
    print(json.dumps(document(found), separators=(",", ":"), ensure_ascii=False))
    for broker, failure in found.silent.items():
        print(f"broker {broker} was left out: {failure}", file=sys.stderr)
    if found.silent:
        raise SystemExit(1)


async def _describe(admin: AdminClient, given: argparse.Namespace) -> DescribedLogDirs:
    named = dict.fromkeys(names(given.broker_list))  # Twice is once, as for Kafka's tool.
    brokers = await existing(admin, parse_brokers(",".join(named)))
    print("Querying brokers for log directories information", flush=True)
    found = await ask(admin, brokers)
    print(f"Received log directory information from brokers {','.join(map(str, found.brokers))}")
    return found


@readers_may_leave()
def reassign_partitions(arguments: Sequence[str] | None = None) -> None:
    """`kafka-reassign-partitions`: generate, execute, verify, cancel, list."""
    parser = _reassign_parser()
    given = parse(parser, arguments)
    action = _check_reassign(parser, given)
    try:
        connected(given, _reassign_work(action, given))
    except BrokenPipeError:
        raise  # The reader has gone, which is no trouble.
    except TROUBLE as trouble:
        # Kafka's tool prints this on stdout, where scripts look for it.
        print(f"Error: {trouble}")
        raise SystemExit(1) from None


@readers_may_leave()
def storage(arguments: Sequence[str] | None = None) -> None:
    """`kafka-storage`: format, info, ids, and what releases and features bring."""
    from spindle.cli.storage import releases
    from spindle.cli.storage import storage_format as storage_run

    given = _storage_parser().parse_args(arguments)
    try:
        match given.verb:
            case "random-uuid":
                print(storage_run.random_id())
            case "version-mapping":
                releases.say_mapping(given.release_version, print)
            case "feature-dependencies":
                releases.say_dependencies(given.feature, print)
            case "info":
                raise SystemExit(storage_run.info(given.config, print))
            case _:
                storage_run.format_node(
                    given.config,
                    given.cluster_id,
                    print,
                    ignore_formatted=given.ignore_formatted,
                    wishes=storage_run.StorageOptions(
                        release=given.release_version,
                        features=tuple(given.feature),
                        scram=tuple(given.add_scram),
                        standalone=given.standalone,
                        no_initial_controllers=given.no_initial_controllers,
                        initial_controllers=given.initial_controllers,
                    ),
                )
    except BrokenPipeError:
        raise  # The reader has gone, which is no trouble.
    except TROUBLE as trouble:
        print(trouble, file=sys.stderr)
        raise SystemExit(1) from None


def _storage_parser() -> VerbLine:
    parser = VerbLine(prog="kafka-storage", description="The Kafka storage tool.")
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=VerbLine)
    info = verbs.add_parser("info", help="tell about the log directories of this node")
    form = verbs.add_parser("format", help="format the log directories of this node")
    mapping = verbs.add_parser("version-mapping", help="tell the features' levels of a release")
    needs = verbs.add_parser("feature-dependencies", help="tell what a feature's level needs")
    verbs.add_parser("random-uuid", help="print a random id")
    for verb in (info, form):
        verb.add_argument("--config", "-c", required=True, type=Path)
    form.add_argument("--cluster-id", "-t", required=True)
    form.add_argument("--ignore-formatted", "-g", action="store_true")
    form.add_argument("--feature", "-f", action="append", default=[])
    form.add_argument("--add-scram", "-S", action="append", default=[])
    voters = form.add_mutually_exclusive_group()
    voters.add_argument("--standalone", "-s", action="store_true")
    voters.add_argument("--no-initial-controllers", "-N", action="store_true")
    voters.add_argument("--initial-controllers", "-I")
    for verb in (form, mapping):
        verb.add_argument("--release-version", "-r")
    needs.add_argument("--feature", "-f", action="append", required=True)
    return parser


# -- kafka-reassign-partitions -------------------------------------------------------------------


def _reassign_parser() -> OptionLine:
    parser = option_line("kafka-reassign-partitions", "move topic partitions between replicas")
    parser.add_argument("--bootstrap-server", metavar="HOST:PORT,...")
    parser.add_argument("--bootstrap-controller", metavar="HOST:PORT,...", help="list, cancel")
    for action in _ACTIONS:
        parser.add_argument(f"--{action}", action="store_true")
    parser.add_argument("--reassignment-json-file", metavar="FILE")
    parser.add_argument("--topics-to-move-json-file", metavar="FILE")
    parser.add_argument("--broker-list", metavar="1,2")
    parser.add_argument("--disable-rack-aware", action="store_true")
    parser.add_argument("--throttle", type=int, metavar="BYTES/S", help="between brokers")
    parser.add_argument(
        "--replica-alter-log-dirs-throttle", type=int, metavar="BYTES/S", help="between directories"
    )
    parser.add_argument("--timeout", type=int, metavar="MS", help="default: 10000")
    parser.add_argument("--additional", action="store_true")
    parser.add_argument("--preserve-throttles", action="store_true")
    parser.add_argument("--disallow-replication-factor-change", action="store_true")
    return parser


def _check_reassign(parser: OptionLine, given: argparse.Namespace) -> str:
    options = {name.replace("_", "-"): value for name, value in vars(given).items()}
    actions = [action for action in _ACTIONS if options[action]]
    if not options["bootstrap-server"] and not options["bootstrap-controller"]:
        parser.error("Please specify either --bootstrap-server or --bootstrap-controller")
    if options["bootstrap-server"] and options["bootstrap-controller"]:
        parser.error("Please don't specify both --bootstrap-server and --bootstrap-controller")
    if len(actions) != 1:
        choices = ", ".join(f"--{action}" for action in _ACTIONS)
        parser.error(f"Command must include exactly one action: {choices}")
    (action,) = actions
    for option in _REQUIRED[action]:
        if not options[option]:
            parser.error(f'Missing required argument "[{option}]"')
    common = {"bootstrap-server", "command-config", "version", *_ACTIONS}
    for option, value in options.items():
        if value not in (None, False) and option not in common | _ALLOWED[action]:
            parser.error(f'Option "[{option}]" can\'t be used with action "[{action}]"')
    return action


def _reassign_work(
    action: str, given: argparse.Namespace
) -> Callable[[AdminClient], Awaitable[object]]:
    if action == "generate":
        topics = parse_topics(read_text(Path(given.topics_to_move_json_file)))
        brokers = parse_brokers(given.broker_list)
        return lambda admin: _generate(admin, topics, brokers, not given.disable_rack_aware)
    if action == "list":
        return lambda admin: running.list_active(admin, print)
    plan = parse_plan(read_text(Path(given.reassignment_json_file)))
    work = _plan_work(action, given, plan)

    async def settled(admin: AdminClient) -> None:
        if not given.bootstrap_controller:
            await running.settle(admin, plan, render.note)
        await work(admin)

    return settled


def _plan_work(
    action: str, given: argparse.Namespace, plan: ReassignmentPlan
) -> Callable[[AdminClient], Awaitable[object]]:
    timeout_ms = running.DIRECTORY_TIMEOUT_MS if given.timeout is None else given.timeout
    keep = given.preserve_throttles
    if action == "verify":
        return lambda admin: _verify(admin, plan, keep)
    if action == "cancel":
        return lambda admin: _cancel(admin, plan, keep, timeout_ms)
    options = running.ReassignOptions(
        additional=given.additional,
        throttle=_rate(given.throttle),
        move_throttle=_rate(given.replica_alter_log_dirs_throttle),
        timeout_ms=timeout_ms,
        allow_replication_factor_change=not given.disallow_replication_factor_change,
    )
    return lambda admin: running.execute(admin, plan, options, print)


async def _verify(admin: AdminClient, plan: ReassignmentPlan, keep: bool) -> None:
    found = await running.verify(admin, plan, print, preserve_throttles=keep)
    if not found.active and not keep:
        await running.check_named(admin, plan)


async def _cancel(admin: AdminClient, plan: ReassignmentPlan, keep: bool, timeout_ms: int) -> None:
    lift = None if keep else limits.clear
    await running.cancel(admin, plan, print, lift=lift, timeout_ms=timeout_ms)
    if not keep:
        await running.check_named(admin, plan)


async def _generate(
    admin: AdminClient, topics: list[str], brokers: list[int], rack_aware: bool
) -> None:
    current, proposed = await running.generate(
        admin, topics, brokers, Random(), rack_aware=rack_aware
    )
    print(f"Current partition replica assignment\n{current}\n")
    print(f"Proposed partition reassignment configuration\n{proposed}")


def _rate(value: int | None) -> int | None:
    """Kafka's tool takes -1 for no throttle."""
    return None if value is None or value < 0 else value
