"""DescribeLogDirStates (30114, ours), version 0, broker listener.

Behaviour: every configured directory in the order of `log.dirs`, offline ones too: its state in one
word (healthy, slow, full, hung, failed, offline, opening), why, what is in it, what has befallen
it since the broker started (B-13). Replicas that are offline count where their log was last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.node.logdirs.directories import ConfiguredLogDir
from spindle.node.logdirs.orders import NAMED_MAX, replicas_are
from spindle.node.logdirs.placement_registry import LocalReplica, Stage
from spindle.node.request_context import RequestContext
from spindle.wire.messages.describe_log_dir_states_request import DescribeLogDirStatesRequest
from spindle.wire.messages.describe_log_dir_states_response import (
    DescribeLogDirStatesResponse,
    Event,
    LogDirState,
)

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: DescribeLogDirStatesRequest,
    context: RequestContext[DescribeLogDirStatesResponse],
) -> DescribeLogDirStatesResponse:
    """Tell of all directories."""
    return DescribeLogDirStatesResponse(
        log_dirs=tuple(_state(broker, d) for d in broker.logs.directories.all.values())
    )


def _state(broker: Broker, directory: ConfiguredLogDir) -> LogDirState:
    logs, path, usage = broker.logs, directory.path, directory.usage
    hosted = [broker.replicas.partitions.find(id) for id in logs.places.current(path)]
    places = logs.places.all
    offline = [p for p in places.values() if p.directory == path and p.stage is Stage.OFFLINE]
    leaving = [places[m.id] for m in logs.moves.under_way.all() if m.id in places]
    return LogDirState(
        log_dir=path,
        directory_id=directory.id,
        state=logs.directories.state(path),
        reason=directory.health.why or _damaged(offline),
        is_cordoned=logs.directories.is_cordoned(path),
        total_bytes=usage.total,
        usable_bytes=usage.usable,
        replicas=len(hosted),
        replica_bytes=sum(h.size for h in hosted if h is not None),
        offline_replicas=len(offline),
        moves_in=sum(1 for _ in logs.futures(path)),
        moves_out=sum(place.directory == path for place in leaving),
        stray_bytes=sum(logs.places.purging.strays[path].values()),
        kept_bytes=logs.moves.kept.bytes_in(path),
        call_seconds=logs.directories.paces.latency(path),
        events=tuple(Event(at_ms=at, text=text) for at, text in directory.history),
    )


def _damaged(offline: list[LocalReplica]) -> str:
    """What is wrong with an online directory of which some replicas are not."""
    bad = sorted(str(place.name) for place in offline if place.damaged)
    more = f" and {len(bad) - NAMED_MAX} more" if len(bad) > NAMED_MAX else ""
    return f"{replicas_are(len(bad))} damaged: {', '.join(bad[:NAMED_MAX])}{more}" if bad else ""


def refuse(
    request: DescribeLogDirStatesRequest,
    context: RequestContext[DescribeLogDirStatesResponse],
    error: Error,
    message: str,
) -> DescribeLogDirStatesResponse:
    """Nothing but the error."""
    return DescribeLogDirStatesResponse(error_code=error)
