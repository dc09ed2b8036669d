"""`kafka-share-groups`: list, describe, delete share groups, and move or delete their offsets.

Kafka's options and tables (KIP-932); `--json` is ours. Where it differs on purpose: an error ends
it with 1, has no stack trace, and rows are sorted. Decides nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NoReturn

from spindle.cli.app import readers_may_leave
from spindle.cli.kafka_lines import TROUBLE, OptionLine, connected, option_line, parse
from spindle.cli.kafka_share_lines import (
    deleted_topic_lines,
    listing_lines,
    member_lines,
    members_document,
    offset_lines,
    offsets_document,
    reset_lines,
    state_document,
    state_lines,
)
from spindle.cli.log_dirs import java_name
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.client.share_group_results import ShareGroupDescription
from spindle.model.errors import Error, Unusable
from spindle.model.ids import NodeId, TopicPartition

_ACTIONS: Final = ("list", "describe", "delete", "reset-offsets", "delete-offsets")
_STATES: Final = {"empty": "Empty", "stable": "Stable", "dead": "Dead"}
_VIEWS: Final = ("members", "offsets", "state")
_SCENARIOS: Final = ("to-datetime", "to-earliest", "to-latest")
_NO_GROUP: Final = "java.lang.IllegalArgumentException"
_NOT_EMPTY: Final = "org.apache.kafka.common.errors.GroupNotEmptyException"
_OF_GROUPS: Final = frozenset(
    {
        Error.INVALID_GROUP_ID,
        Error.GROUP_ID_NOT_FOUND,
        Error.GROUP_AUTHORIZATION_FAILED,
        Error.NON_EMPTY_GROUP,
    }
)
"""Errors that Kafka's tool says once, before those of the topics."""
_EXAMPLES: Final = """\
examples:
  kafka-share-groups --bootstrap-server HOST:PORT --list --state
  kafka-share-groups --bootstrap-server HOST:PORT --describe --group orders
  kafka-share-groups --bootstrap-server HOST:PORT --describe --all-groups --members --verbose
  kafka-share-groups --bootstrap-server HOST:PORT --reset-offsets --group orders --topic t:0,1 \\
      --to-earliest --dry-run
  kafka-share-groups --bootstrap-server HOST:PORT --delete-offsets --group orders --topic t
  kafka-share-groups --bootstrap-server HOST:PORT --delete --group orders
"""


class WrongWord(Unusable):
    """A value on the line that no option takes."""


@readers_may_leave()
def share_groups(arguments: Sequence[str] | None = None) -> None:
    """`kafka-share-groups`: list, describe, delete, reset-offsets, delete-offsets."""
    parser = _parser()
    given = parse(parser, arguments)
    action = _checked(parser, given)
    work = {
        "list": _list,
        "describe": _describe,
        "delete": _delete,
        "reset-offsets": _reset,
        "delete-offsets": _delete_offsets,
    }[action]
    try:
        done = connected(given, lambda admin: work(admin, given))
    except BrokenPipeError:
        raise  # The reader has gone, which is no trouble.
    except WrongWord as wrong:
        parser.error(str(wrong))
    except Refused as refused:
        words = refused.detail or str(refused)
        _fail(f"Executing share group command failed due to {java_name(refused.error)}: {words}")
    except TROUBLE as trouble:
        _fail(f"Executing share group command failed due to {trouble}")
    if not done:
        raise SystemExit(1)


def _fail(words: str) -> NoReturn:
    print(f"\nError: {words}")
    raise SystemExit(1) from None


# -- the line ------------------------------------------------------------------------------------


def _parser() -> OptionLine:
    parser = option_line(
        "kafka-share-groups", "list, describe, reset and delete share groups", _EXAMPLES
    )
    parser.add_argument("--bootstrap-server", metavar="HOST:PORT,...")
    for action in _ACTIONS:
        parser.add_argument(f"--{action}", action="store_true")
    parser.add_argument("--group", action="append", metavar="GROUP", help="may be repeated")
    parser.add_argument("--all-groups", action="store_true")
    parser.add_argument(
        "--topic", action="append", metavar="TOPIC[:0,1]", help="partitions with --reset-offsets"
    )
    parser.add_argument("--all-topics", action="store_true", help="all that the group has")
    parser.add_argument("--members", action="store_true", help="describe: the members")
    parser.add_argument("--offsets", action="store_true", help="describe: how far (the default)")
    parser.add_argument(
        "--state", nargs="?", const="", metavar="STATES", help="list: Empty,Stable,Dead"
    )
    parser.add_argument("--verbose", action="store_true", help="describe: more columns")
    parser.add_argument("--dry-run", action="store_true", help="reset-offsets: only show them")
    parser.add_argument("--execute", action="store_true", help="reset-offsets: do it")
    parser.add_argument(
        "--to-datetime", metavar="YYYY-MM-DDThh:mm:ss.sss", help="UTC, or with a zone: +02:00"
    )
    parser.add_argument("--to-earliest", action="store_true")
    parser.add_argument("--to-latest", action="store_true")
    parser.add_argument("--timeout", type=int, default=30_000, metavar="MS")
    parser.add_argument("--json", action="store_true", help="JSON on stdout, for scripts")
    return parser


def _checked(parser: OptionLine, given: argparse.Namespace) -> str:
    """The action of a line that makes sense, in the words of Kafka's tool where it does not."""
    options = {name.replace("_", "-"): value for name, value in vars(given).items()}
    has = {name for name, value in options.items() if value not in (None, False)}
    if "bootstrap-server" not in has:
        parser.error('Missing required argument "[bootstrap-server]"')
    for action, check in _CHECKS.items():
        if action in has and (wrong := check(has, given)):
            parser.error(f"Option [{action}] {wrong}")
    if wrong := _clash(has):
        parser.error(wrong)
    asked = [action for action in _ACTIONS if action in has]
    if len(asked) != 1:
        choices = ", ".join(f"--{action}" for action in _ACTIONS)
        parser.error(f"Command must include exactly one action: {choices}.")
    if asked[0] in ("reset-offsets", "delete-offsets") and len(given.group) != 1:
        parser.error(f"Option [{asked[0]}] takes one group")
    return asked[0]


def _clash(has: set[str]) -> str | None:
    """Options that do not go together."""
    for option in ("members", "offsets", "verbose", "state"):
        if option in has and not {"describe", *(("list",) if option == "state" else ())} & has:
            return f"Option(s) [{option}] are unavailable given other options on the command line"
    pairs = (
        ("group", {"all-groups", "list"}),
        ("topic", {"list", "describe"}),
        *((one, {*_SCENARIOS} - {one}) for one in _SCENARIOS),
    )
    for option, others in pairs:
        if option in has and (other := sorted(others & has)):
            return f'Option "[{option}]" can\'t be used with option "[{other[0]}]"'
    return None


def _check_describe(has: set[str], given: argparse.Namespace) -> str | None:
    if not {"group", "all-groups"} & has:
        return "takes one of these options: [all-groups], [group]"
    if len({*_VIEWS} & has) > 1:
        return "takes at most one of these options: [members], [offsets], [state]"
    if given.state:
        return "does not take a value for [state]"
    return None


def _check_delete(has: set[str], given: argparse.Namespace) -> str | None:
    if not {"group", "all-groups"} & has:
        return "takes the options [group] or [all-groups]"
    if {"group", "all-groups"} <= has:
        return "takes either [group] or [all-groups], not both."
    return "does not take the option: [topic]" if "topic" in has else None


def _check_reset(has: set[str], given: argparse.Namespace) -> str | None:
    if {"dry-run", "execute"} <= has:
        return "only accepts one of [execute] and [dry-run]"
    if not {"dry-run", "execute"} & has:
        return "takes the option: [execute] or [dry-run]"
    if "group" not in has:
        return "takes the option: [group]"
    if not {"topic", "all-topics"} & has:
        return "takes one of these options: [all-topics], [topic]"
    if not {*_SCENARIOS} & has:
        return "takes one of these options: [to-datetime], [to-earliest], [to-latest]"
    return None


def _check_delete_offsets(has: set[str], given: argparse.Namespace) -> str | None:
    if not {"group", "topic"} <= has:
        return "takes the following options: [group], [topic]"
    return None


_CHECKS: Final = {
    "describe": _check_describe,
    "delete": _check_delete,
    "reset-offsets": _check_reset,
    "delete-offsets": _check_delete_offsets,
}


# -- list and describe ---------------------------------------------------------------------------


def _seconds(given: argparse.Namespace) -> float:
    return max(float(given.timeout) / 1000, 0.001)


async def _list(admin: AdminClient, given: argparse.Namespace) -> bool:
    found = await admin.list_share_groups(
        states=_states(given.state or ""), timeout=_seconds(given)
    )
    if given.json:
        print(json.dumps([{"group": g.group_id, "state": g.state} for g in found]))
    elif given.state is None:
        print("".join(f"{group.group_id}\n" for group in found), end="")
    else:
        print("\n".join(listing_lines(found)))
    return True


def _states(text: str) -> list[str]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if any(word.lower() not in _STATES for word in words):
        valid = ", ".join(_STATES.values())
        raise WrongWord(f"Invalid state list '{text}'. Valid states are: {valid}")
    return [_STATES[word.lower()] for word in words]


async def _describe(admin: AdminClient, given: argparse.Namespace) -> bool:
    names: Sequence[str] = given.group or ()
    if given.all_groups:
        names = [g.group_id for g in await admin.list_share_groups(timeout=_seconds(given))]
    groups = await admin.describe_share_groups(sorted(names), timeout=_seconds(given)).all()
    if given.members or given.state is not None:
        _show_groups(groups.values(), given)
        return True
    told = []
    for name in groups:
        offsets = await admin.list_share_group_offsets(name, timeout=_seconds(given))
        if given.json:
            told.append(offsets_document(name, offsets))
        else:
            print("\n".join(offset_lines(name, offsets, verbose=given.verbose)))
    if given.json:
        print(json.dumps(told))
    return True


def _show_groups(groups: Iterable[ShareGroupDescription], given: argparse.Namespace) -> None:
    if given.json:
        document = members_document if given.members else state_document
        print(json.dumps([document(group) for group in groups]))
        return
    lines = member_lines if given.members else state_lines
    for group in groups:
        if group.state == "Empty":
            print(f"\nShare group '{group.group_id}' has no active members.", file=sys.stderr)
        if group.members or not given.members:
            print("\n".join(lines(group, verbose=given.verbose)))


# -- delete --------------------------------------------------------------------------------------


async def _delete(admin: AdminClient, given: argparse.Namespace) -> bool:
    known = {g.group_id: g for g in await admin.list_share_groups(timeout=_seconds(given))}
    names = list(dict.fromkeys(known if given.all_groups else given.group))
    failed: dict[str, str] = {}
    for name in names:
        if name not in known:
            failed[name] = f"{_NO_GROUP}: Group '{name}' is not a share group."
        elif known[name].state != "Empty":
            failed[name] = f"{_NOT_EMPTY}: Share group '{name}' is not EMPTY."
    left = [name for name in names if name not in failed]
    settled = await admin.delete_share_groups(left, timeout=_seconds(given)).settled()
    failed |= {name: str(end) for name, end in settled.items() if isinstance(end, Exception)}
    done = [name for name in left if name not in failed]
    if given.json:
        print(json.dumps({"deleted": done, "failed": failed}))
    elif failed:
        print("\nError: Deletion of some share groups failed:")
        for name, words in failed.items():
            print(f"* Group '{name}' could not be deleted due to: {words}")
        if done:
            print(f"\nThese share groups were deleted successfully: {_quoted(done)}")
    else:
        print(f"Deletion of requested share groups ({_quoted(done)}) was successful.")
    return not failed


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


# -- offsets -------------------------------------------------------------------------------------


async def _delete_offsets(admin: AdminClient, given: argparse.Namespace) -> bool:
    (group,) = given.group
    topics = sorted(set(given.topic))
    settled = await admin.delete_share_group_offsets(
        group, topics, timeout=_seconds(given)
    ).settled()
    ends = {topic: end for topic, end in settled.items() if isinstance(end, Exception)}
    failed = {topic: _words(end) for topic, end in ends.items()}
    whole = [e for e in ends.values() if isinstance(e, Refused) and e.error in _OF_GROUPS]
    if whole and not given.json:
        print(f"\nError: {_words(whole[0])}")
    if given.json:
        done = [topic for topic in topics if topic not in failed]
        print(json.dumps({"group": group, "deleted": done, "failed": failed}))
    else:
        print("\n".join(deleted_topic_lines({t: failed.get(t) for t in topics})))
    return not failed


def _words(end: Exception) -> str:
    return end.detail if isinstance(end, Refused) and end.detail else str(end)


async def _reset(admin: AdminClient, given: argparse.Namespace) -> bool:
    (group,) = given.group
    await _check_empty(admin, group, given)
    leaders = await _chosen(admin, given)
    offsets = dict(sorted((await _wanted(admin, given, leaders)).items()))
    if given.execute:
        await admin.alter_share_group_offsets(group, offsets, timeout=_seconds(given)).all()
    if given.json:
        print(json.dumps({"group": group, "executed": given.execute, "offsets": [
            {"topic": p.topic, "partition": p.partition, "newOffset": offset}
            for p, offset in offsets.items()
        ]}))  # fmt: skip
    else:
        print("\n".join(reset_lines(group, offsets)))
    return True


async def _check_empty(admin: AdminClient, group: str, given: argparse.Namespace) -> None:
    try:
        told = await admin.describe_share_groups([group], timeout=_seconds(given))[group]
    except Refused as refused:
        if refused.error is not Error.GROUP_ID_NOT_FOUND:
            raise
        return  # It is made by its offsets.
    if told.state not in ("Empty", "Dead"):
        print(f"ERROR: Share group '{group}' is not empty.", file=sys.stderr)
        raise SystemExit(1)


async def _chosen(admin: AdminClient, given: argparse.Namespace) -> Mapping[TopicPartition, NodeId]:
    """The partitions that a line names, with their leaders."""
    timeout = _seconds(given)
    named: dict[TopicPartition, None] = {}
    whole: list[str] = []
    for word in given.topic or ():
        topic, colon, numbers = word.partition(":")
        if colon:
            named |= dict.fromkeys(TopicPartition(topic, n) for n in _numbers(word, numbers))
        else:
            whole.append(topic)
    if given.all_topics and not given.topic:
        found = await admin.list_share_group_offsets(given.group[0], timeout=timeout)
        named |= dict.fromkeys(found)
    topics = {*whole, *(p.topic for p in named)}
    described = await admin.describe_topics(sorted(topics), timeout=timeout).all()
    leaders = {
        TopicPartition(name, part.partition): part.leader
        for name, topic in described.items()
        for part in topic.partitions
    }
    wanted = [*named, *(p for p in leaders if p.topic in whole)]
    if missing := [str(p) for p in wanted if p not in leaders]:
        raise Unusable(f'The partitions "{",".join(missing)}" do not exist')
    if leaderless := [str(p) for p in wanted if leaders[p] < 0]:
        raise Unusable(f'The partitions "{",".join(leaderless)}" have no leader')
    return {p: leaders[p] for p in wanted}


def _numbers(word: str, numbers: str) -> list[int]:
    try:
        return [int(number) for number in numbers.split(",")]
    except ValueError:
        raise WrongWord(f"Invalid partition in topic arg '{word}': write TOPIC:0,1") from None


async def _wanted(
    admin: AdminClient, given: argparse.Namespace, leaders: Mapping[TopicPartition, NodeId]
) -> dict[TopicPartition, int]:
    timeout = _seconds(given)
    ranges = await admin.list_offsets(leaders, timeout=timeout).all()
    if given.to_earliest:
        return {p: found.start for p, found in ranges.items()}
    if given.to_latest:
        return {p: found.end for p, found in ranges.items()}
    moment = _moment(given.to_datetime)
    found = await admin.list_offsets_since(leaders, moment, timeout=timeout).all()
    for p, offset in found.items():
        if offset is None and not given.json:
            print(
                f"\nWarn: Partition {p.partition} from topic {p.topic} is empty. "
                "Falling back to latest known offset."
            )
    return {p: ranges[p].end if offset is None else offset for p, offset in found.items()}


def _moment(text: str) -> int:
    """A time in ms; without a zone it is UTC, as Kafka's tool reads it."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise Unusable(f"'{text}' is no time: write YYYY-MM-DDThh:mm:ss.sss") from None
    if read.tzinfo is None:
        read = read.replace(tzinfo=UTC)
    return int(read.timestamp() * 1000)
