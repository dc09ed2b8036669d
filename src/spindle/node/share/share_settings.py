"""What holds for a share group at the leaders of its partitions: its own, or a broker's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from spindle.core.share.share_partition import ShareLimits
from spindle.model.errors import Unusable
from spindle.model.image import GROUP_RESOURCE
from spindle.model.settings.group_settings import GROUP_SETTINGS
from spindle.model.settings.setting import Value
from spindle.node.broker_context import BrokerContext


class ShareSettings(NamedTuple):
    """The settings of one group."""

    limits: ShareLimits
    reset: str
    """share.auto.offset.reset"""
    committed: bool
    """Nothing of undecided or aborted transactions is delivered."""
    renews: bool
    """Members may ask for more time."""


def share_settings(context: BrokerContext, group_id: str) -> ShareSettings:
    """A group's settings as they are now."""
    own, settings = context.image.config(GROUP_RESOURCE, group_id), context.settings
    limits = ShareLimits(
        deliveries=_within(
            settings.whole("group.share.min.delivery.count.limit"),
            _own(own, "share.delivery.count.limit"),
            settings.whole("group.share.delivery.count.limit"),
            settings.whole("group.share.max.delivery.count.limit"),
        ),
        locks=_within(
            settings.whole("group.share.min.partition.max.record.locks"),
            _own(own, "share.partition.max.record.locks"),
            settings.whole("group.share.partition.max.record.locks"),
            settings.whole("group.share.max.partition.max.record.locks"),
        ),
        lock_seconds=_within(
            settings.whole("group.share.min.record.lock.duration.ms"),
            _own(own, "share.record.lock.duration.ms"),
            settings.whole("group.share.record.lock.duration.ms"),
            settings.whole("group.share.max.record.lock.duration.ms"),
        )
        / 1000,
    )
    return ShareSettings(
        limits,
        str(_own(own, "share.auto.offset.reset") or "latest"),
        _own(own, "share.isolation.level") == "read_committed",
        _own(own, "share.renew.acknowledge.enable") is not False,
    )


def _within(least: int, own: Value | None, shared: int, most: int) -> int:
    """A group's own value within the broker's bounds, else the broker's value."""
    return max(least, min(own, most)) if isinstance(own, int) else shared


def _own(own: Mapping[str, str], name: str) -> Value | None:
    text = own.get(name)
    if text is None:
        return None
    try:
        return GROUP_SETTINGS[name].read(text)
    except Unusable:
        return None  # A controller of another kind took it; the broker's own value counts.
