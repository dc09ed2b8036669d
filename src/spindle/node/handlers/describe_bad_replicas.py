"""DescribeBadReplicas (30590, ours: KIP-589), versions 0 to 1, broker listener.

Behaviour: for each log directory how far its scrubber is, the damaged logs that were set aside, and
the replicas that are offline although it serves, with what is going to be done about each. From
version 1 on also offsets that are missing in logs that serve, and may be lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.model.errors import Error
from spindle.model.ids import LogDir
from spindle.node.logdirs.placement_registry import Stage
from spindle.node.request_context import RequestContext
from spindle.wire.messages import describe_bad_replicas_response as told
from spindle.wire.messages.describe_bad_replicas_request import DescribeBadReplicasRequest
from spindle.wire.messages.describe_bad_replicas_response import DescribeBadReplicasResponse

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(
    broker: Broker,
    request: DescribeBadReplicasRequest,
    context: RequestContext[DescribeBadReplicasResponse],
) -> DescribeBadReplicasResponse:
    """Tell of all directories."""
    return DescribeBadReplicasResponse(
        log_dirs=tuple(_directory(broker, path) for path in broker.logs.directories.all)
    )


def _directory(broker: Broker, path: LogDir) -> told.LogDir:
    logs = broker.logs
    scrub = logs.scrubbing.progress(path)
    serves = logs.directories.is_online(path)
    offline = [
        place
        for place in logs.places.all.values()
        if serves and place.directory == path and place.stage is Stage.OFFLINE
    ]
    return told.LogDir(
        log_dir=path,
        scrub_rounds=scrub.rounds,
        scrub_ended_ms=scrub.ended_ms,
        scrubbed_bytes=scrub.seen,
        scrub_total_bytes=logs.places.bytes_in(path) if scrub.place is not None else scrub.seen,
        bad_copies=tuple(
            told.BadCopy(name=c.name, size=c.size, since_ms=c.since_ms, reason=c.why)
            for c in logs.repairs.bad_copies.in_directory(path)
        ),
        replicas=tuple(
            told.Replica(
                topic=place.name.topic,
                partition_index=place.name.partition,
                reason=place.why,
                is_damaged=place.damaged,
                outlook=logs.repairs.outlook(place),
            )
            for place in offline
        ),
        gaps=tuple(
            told.Gap(
                topic=name.topic,
                partition_index=name.partition,
                first_offset=first,
                next_offset=after,
            )
            for name, (first, after) in logs.places.doubtful_in(path)
        ),
    )


def refuse(
    request: DescribeBadReplicasRequest,
    context: RequestContext[DescribeBadReplicasResponse],
    error: Error,
    message: str,
) -> DescribeBadReplicasResponse:
    """Nothing but the error."""
    return DescribeBadReplicasResponse(error_code=error)
