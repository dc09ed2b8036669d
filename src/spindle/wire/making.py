"""What the generated readers make of bytes that are no class of their own: ranges, old records."""

from __future__ import annotations

from spindle.model import metadata_records as r
from spindle.model.ids import DirectoryId, NodeId, VersionRange


def feature(name: str, low: int, high: int) -> tuple[str, VersionRange]:
    """A feature with the levels that a node supports."""
    return name, VersionRange(low, high)


def fence(broker_id: NodeId, broker_epoch: int) -> r.BrokerRegistrationChange:
    """What a FenceBroker record means; written before metadata.version 3.3-IV2 alone."""
    return r.BrokerRegistrationChange(broker_id=broker_id, broker_epoch=broker_epoch, fenced=1)


def unfence(broker_id: NodeId, broker_epoch: int) -> r.BrokerRegistrationChange:
    """What an UnfenceBroker record means; written before metadata.version 3.3-IV2 alone."""
    return r.BrokerRegistrationChange(broker_id=broker_id, broker_epoch=broker_epoch, fenced=-1)


def quota_part(type: str, name: str | None) -> tuple[str, str | None]:
    """A part of the entity that a quota is for."""
    return type, name


def bare_id(id: NodeId, _directory: DirectoryId | None = None) -> int:
    """A voter in a LeaderChange: we keep its id alone."""
    return id
