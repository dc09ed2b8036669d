"""`kafka-metadata-quorum`: which controllers vote in the quorum, and how far each has come.

Kafka's sub-commands, lines and exit codes (KIP-836, KIP-853); `--json` is ours. An error names the
exception as Kafka's tool does and, in the next line, what to do. Decides nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, NoReturn

from spindle.cli.app import readers_may_leave
from spindle.cli.kafka_lines import TROUBLE, VerbLine, connected
from spindle.cli.log_dirs import java_name
from spindle.client.admin import AdminClient
from spindle.client.failures import Refused
from spindle.client.results import QuorumDescription, QuorumMember
from spindle.model.errors import Corrupt, Error, Unusable
from spindle.model.ids import ZERO_ID, DirectoryId, Endpoint, NodeId, id_from_text, id_to_text
from spindle.security.properties_file import read_properties
from spindle.storage import meta

_COLUMNS: Final = (
    "NodeId",
    "DirectoryId",
    "LogEndOffset",
    "Lag",
    "LastFetchTimestamp",
    "LastCaughtUpTimestamp",
    "Status",
)
_NO_CONTROLLER: Final = "Is this a valid controller configuration file?"
_WAYS_OUT: Final[Mapping[Error, str]] = {
    Error.DUPLICATE_VOTER: "it votes already, perhaps with the directory of a lost disk: see"
    " describe --replication, and remove that one with remove-controller",
    Error.VOTER_NOT_FOUND: "describe --replication shows the voters with their directory ids; the"
    " last voter cannot be removed",
    Error.REQUEST_TIMED_OUT: "a controller that is added must run and have caught up"
    " (describe --replication), and the change before must be committed; then try again",
    Error.UNSUPPORTED_VERSION: "the voters are those of controller.quorum.voters: make the quorum"
    " a dynamic one with kafka-features upgrade --feature kraft.version=1",
    Error.INVALID_REQUEST: "the new controller must know the quorum's kraft.version and have the"
    " same first name in controller.listener.names as the others",
}


@readers_may_leave()
def metadata_quorum(arguments: Sequence[str] | None = None) -> None:
    """`kafka-metadata-quorum`: describe, add-controller, remove-controller."""
    given = _parser().parse_args(arguments)
    try:
        match given.verb:
            case "describe":
                _describe(given)
            case "add-controller":
                _add(given)
            case _:
                _remove(given)
    except BrokenPipeError:
        raise  # The reader has gone, which is no trouble.
    except Refused as refused:
        _fail(refused)
    except TROUBLE as trouble:
        print(trouble, file=sys.stderr)
        raise SystemExit(1) from None


def _parser() -> VerbLine:
    parser = VerbLine(
        prog="kafka-metadata-quorum",
        description="This tool describes kraft metadata quorum status.",
    )
    servers = parser.add_mutually_exclusive_group(required=True)
    servers.add_argument("--bootstrap-server", metavar="HOST:PORT,...")
    servers.add_argument("--bootstrap-controller", metavar="HOST:PORT,...")
    parser.add_argument(
        "--command-config",
        type=Path,
        metavar="FILE",
        help="client properties; for add-controller those of the new controller",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, parser_class=VerbLine)
    describe = verbs.add_parser("describe", help="tell about the quorum")
    describe.add_argument("--status", action="store_true", help="a short summary")
    describe.add_argument("--replication", action="store_true", help="how far each has come")
    describe.add_argument("--human-readable", action="store_true", help="times as an age")
    add = verbs.add_parser("add-controller", help="give a controller a vote")
    remove = verbs.add_parser("remove-controller", help="take a controller's vote")
    remove.add_argument("--controller-id", "-i", type=int, required=True)
    remove.add_argument("--controller-directory-id", "-d", required=True)
    for verb in (add, remove):
        verb.add_argument("--dry-run", action="store_true", help="only tell what would be done")
    for verb in (describe, add, remove):
        verb.add_argument("--json", action="store_true", help="JSON on stdout, for scripts")
    return parser


def _fail(refused: Refused) -> NoReturn:
    words = refused.detail or str(refused)
    print(f"{java_name(refused.error)}: {words}", file=sys.stderr)
    only_added = refused.error is Error.INVALID_REQUEST and not refused.api.startswith("Add")
    if not only_added and (way_out := _WAYS_OUT.get(refused.error)):
        print(way_out, file=sys.stderr)
    raise SystemExit(1) from None


# -- describe ------------------------------------------------------------------------------------


def _describe(given: argparse.Namespace) -> None:
    if given.status and given.replication:
        raise Unusable(
            "Only one of --status or --replication should be specified with describe sub-command"
        )
    if not given.status and not given.replication:
        raise Unusable(
            "One of --status or --replication must be specified with describe sub-command"
        )
    if given.status and given.human_readable:
        raise Unusable("The option --human-readable is only supported along with --replication")

    async def ask(admin: AdminClient) -> tuple[str, QuorumDescription]:
        cluster = await admin.describe_cluster()
        return cluster.cluster_id, await admin.describe_metadata_quorum()

    cluster_id, quorum = connected(given, ask)
    if given.json:
        print(json.dumps(document(cluster_id, quorum)))
    elif given.status:
        print("\n".join(status_lines(cluster_id, quorum)))
    else:
        now_ms = time.time_ns() // 1_000_000 if given.human_readable else None
        print("\n".join(replication_lines(quorum, now_ms)))


def document(cluster_id: str, quorum: QuorumDescription) -> dict[str, object]:
    """Both of Kafka's views as one document; times in ms since 1970, -1: unknown."""
    end = _leader(quorum).log_end_offset
    return {
        "version": 1,
        "clusterId": cluster_id,
        "leaderId": quorum.leader_id,
        "leaderEpoch": quorum.leader_epoch,
        "highWatermark": quorum.high_watermark,
        "replicas": [
            {
                "id": member.node_id,
                "directoryId": _directory_text(member),
                "endpoints": [_url(e) for e in quorum.endpoints.get(member.node_id, ())],
                "logEndOffset": member.log_end_offset,
                "lag": end - member.log_end_offset,
                "lastFetchTimestamp": member.last_fetch_ms,
                "lastCaughtUpTimestamp": member.last_caught_up_ms,
                "status": status,
            }
            for member, status in _members(quorum)
        ],
    }


def status_lines(cluster_id: str, quorum: QuorumDescription) -> list[str]:
    """`describe --status`, line by line."""
    leader = _leader(quorum)
    last = min(quorum.voters, key=lambda voter: voter.log_end_offset, default=leader)
    late = -1
    if last == leader:
        late = 0
    elif leader.last_caught_up_ms >= 0 and last.last_caught_up_ms >= 0:
        late = leader.last_caught_up_ms - last.last_caught_up_ms
    values = {
        "ClusterId": cluster_id,
        "LeaderId": quorum.leader_id,
        "LeaderEpoch": quorum.leader_epoch,
        "HighWatermark": quorum.high_watermark,
        "MaxFollowerLag": leader.log_end_offset - last.log_end_offset,
        "MaxFollowerLagTimeMs": late,
        "CurrentVoters": _listed(quorum, quorum.voters),
        "CurrentObservers": _listed(quorum, quorum.observers),
    }
    return [f"{name + ':':<24}{value}" for name, value in values.items()]


def replication_lines(quorum: QuorumDescription, now_ms: int | None = None) -> list[str]:
    """`describe --replication`, line by line; with the time of now, times are ages."""
    end = _leader(quorum).log_end_offset
    rows = [_COLUMNS] + [
        (
            str(member.node_id),
            _directory_text(member),
            str(member.log_end_offset),
            str(end - member.log_end_offset),
            _time_text(member.last_fetch_ms, now_ms),
            _time_text(member.last_caught_up_ms, now_ms),
            status,
        )
        for member, status in _members(quorum)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "".join(f"{cell:<{width}}\t" for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]


def _members(quorum: QuorumDescription) -> Iterable[tuple[QuorumMember, str]]:
    leader = _leader(quorum)
    yield leader, "Leader"
    for voter in quorum.voters:
        if voter != leader:
            yield voter, "Follower"
    for observer in quorum.observers:
        if observer != leader:
            yield observer, "Observer"


def _leader(quorum: QuorumDescription) -> QuorumMember:
    """Its entry; a leader whose vote was just removed is none of the voters."""
    for member in (*quorum.voters, *quorum.observers):
        if member.node_id == quorum.leader_id:
            return member
    raise Unusable("The quorum has no leader at this moment: an election is under way, try again")


def _time_text(at_ms: int, now_ms: int | None) -> str:
    if now_ms is None or at_ms < 0:
        return str(at_ms)
    if at_ms > now_ms:
        raise Unusable(
            f"The clock of this machine ({now_ms} ms) is behind that of the leader ({at_ms} ms):"
            " leave out --human-readable, or set the clocks"
        )
    return f"{now_ms - at_ms} ms ago"


def _listed(quorum: QuorumDescription, members: Iterable[QuorumMember]) -> str:
    return f"[{', '.join(_member_text(quorum, member) for member in members)}]"


def _member_text(quorum: QuorumDescription, member: QuorumMember) -> str:
    parts = [f'"id": {member.node_id}']
    if member.directory_id not in (None, ZERO_ID):
        parts.append(f'"directoryId": "{_directory_text(member)}"')
    if endpoints := quorum.endpoints.get(member.node_id):
        parts.append(f'"endpoints": [{", ".join(json.dumps(_url(e)) for e in endpoints)}]')
    return f"{{{', '.join(parts)}}}"


def _directory_text(member: QuorumMember) -> str:
    return id_to_text(member.directory_id or ZERO_ID)


def _url(endpoint: Endpoint) -> str:
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return f"{endpoint.name}://{host}:{endpoint.port}"


# -- changes -------------------------------------------------------------------------------------


def _add(given: argparse.Namespace) -> None:
    if given.command_config is None:
        raise Unusable(
            "You must supply the configuration file of the controller you are adding when using"
            " add-controller."
        )
    properties = read_properties(given.command_config)
    node_id = _controller_id(properties)
    directory = _directory(_metadata_directory(properties))
    endpoints = _endpoints(properties)
    if not given.dry_run:
        connected(
            given,
            lambda admin: admin.add_raft_voter(node_id, directory, endpoints),
            of_a_node=True,
        )
    urls = [_url(endpoint) for endpoint in endpoints]
    if given.json:
        _print_change("add", node_id, directory, given.dry_run, endpoints=urls)
        return
    done = "DRY RUN of adding" if given.dry_run else "Added"
    print(
        f"{done} controller {node_id} with directory id {id_to_text(directory)} and endpoints:"
        f" {', '.join(urls)}"
    )


def _remove(given: argparse.Namespace) -> None:
    node_id = given.controller_id
    if node_id < 0:
        raise Unusable(f"Invalid negative --controller-id: {node_id}")
    try:
        directory = id_from_text(given.controller_directory_id)
    except ValueError as error:
        raise Unusable(f"Failed to parse --controller-directory-id: {error}") from None
    if not given.dry_run:
        connected(given, lambda admin: admin.remove_raft_voter(node_id, directory))
    if given.json:
        _print_change("remove", node_id, directory, given.dry_run)
        return
    done = "DRY RUN of removing " if given.dry_run else "Removed "
    print(f"{done} KRaft controller {node_id} with directory id {id_to_text(directory)}")


def _print_change(
    change: str, node_id: NodeId, directory: DirectoryId, dry_run: bool, **more: object
) -> None:
    told = {"version": 1, "change": change, "id": node_id, "directoryId": id_to_text(directory)}
    print(json.dumps({**told, **more, "dryRun": dry_run}))


# -- the properties of a controller that is added --------------------------------------------------


def _controller_id(properties: Mapping[str, str]) -> NodeId:
    text = properties.get("node.id")
    if text is None:
        raise Unusable(f"node.id not found in configuration file. {_NO_CONTROLLER}")
    try:
        node_id = int(text)
    except ValueError:
        raise Unusable(f"node.id={text!r} is not a number. {_NO_CONTROLLER}") from None
    if node_id < 0:
        raise Unusable(f"node.id was negative in configuration file. {_NO_CONTROLLER}")
    if "controller" not in properties.get("process.roles", ""):
        raise Unusable(
            f"process.roles did not contain 'controller' in configuration file. {_NO_CONTROLLER}"
        )
    return node_id


def _metadata_directory(properties: Mapping[str, str]) -> str:
    named = properties.get("metadata.log.dir") or properties.get("log.dirs", "")
    first = named.partition(",")[0].strip()
    if not first:
        raise Unusable(f"Neither metadata.log.dir nor log.dirs were found. {_NO_CONTROLLER}")
    return first


def _directory(path: str) -> DirectoryId:
    file = Path(meta.path_of(path))
    try:
        found = meta.decode(file.read_bytes()).directory_id
    except OSError as error:
        raise Unusable(
            f"Unable to read meta.properties from {path}: {error.strerror}: format it with"
            " kafka-storage format, and run this command on the new controller's machine"
        ) from None
    except Corrupt as error:
        raise Unusable(f"{file}: {error}") from None
    if found is None:
        raise Unusable(f"No directory id found in {path}: start the controller once, it adds one")
    return found


def _endpoints(properties: Mapping[str, str]) -> list[Endpoint]:
    known: dict[str, Endpoint] = {}
    for setting in ("listeners", "advertised.listeners"):
        for text in filter(None, map(str.strip, properties.get(setting, "").split(","))):
            endpoint = _endpoint(text, setting)
            known[endpoint.name] = endpoint
    names = properties.get("controller.listener.names")
    if names is None:
        raise Unusable(f"controller.listener.names was not found. {_NO_CONTROLLER}")
    found = []
    for name in (name.strip().upper() for name in names.split(",")):
        if name not in known:
            raise Unusable(f"Cannot find information about controller listener name: {name}")
        found.append(known[name])
    return list(dict.fromkeys(found))


def _endpoint(text: str, setting: str) -> Endpoint:
    name, _, rest = text.partition("://")
    host, _, port = rest.rpartition(":")
    if not name or not port.isdigit():
        raise Unusable(f"{setting}: {text!r} is no listener: write NAME://HOST:PORT")
    return Endpoint(name.upper(), host.strip("[]") or "localhost", int(port))
