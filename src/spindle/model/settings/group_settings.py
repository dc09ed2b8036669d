"""The settings that a consumer group (KIP-848) or a share group (KIP-932) may have for itself."""

from __future__ import annotations

import re
from typing import Final

from spindle.model.errors import Unusable
from spindle.model.settings.setting import Kind, Setting, Value

S = Setting
BY_DURATION: Final = "by_duration:"
_DURATION: Final = re.compile(
    r"P(?:(\d+)D)?(?:T(?=[\d.])(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{0,9})?)S)?)?", re.IGNORECASE
)


def reset_seconds(text: str) -> float:
    """The seconds that share.auto.offset.reset=by_duration:... names; ValueError."""
    found = _DURATION.fullmatch(text.removeprefix(BY_DURATION))
    if found is None or not any(found.groups()):
        raise ValueError(f"{text!r} names no duration in ISO 8601 that is not negative")
    days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _check_reset(value: Value) -> None:
    text = str(value)
    if text.startswith(BY_DURATION):
        reset_seconds(text)
    elif text not in ("earliest", "latest"):
        raise ValueError("it is earliest, latest or by_duration:P...")


# fmt: off
_CONSUMER: Final = (
    S("consumer.session.timeout.ms", Kind.INT, "45000",
      "The milliseconds without a heartbeat after which a member leaves the group.",
      least=1, broker="group.consumer.session.timeout.ms"),
    S("consumer.heartbeat.interval.ms", Kind.INT, "5000",
      "The milliseconds between two heartbeats of a member.",
      least=1, broker="group.consumer.heartbeat.interval.ms"),
    S("consumer.assignment.interval.ms", Kind.INT, "1000",
      "The milliseconds between two assignments of the group.",
      least=0, broker="group.consumer.assignment.interval.ms"),
)
_SHARE: Final = (
    S("share.session.timeout.ms", Kind.INT, "45000",
      "The milliseconds without a heartbeat after which a member leaves the group.",
      least=1, broker="group.share.session.timeout.ms"),
    S("share.heartbeat.interval.ms", Kind.INT, "5000",
      "The milliseconds between two heartbeats of a member.",
      least=1, broker="group.share.heartbeat.interval.ms"),
    S("share.assignment.interval.ms", Kind.INT, "1000",
      "The milliseconds between two assignments of the group.",
      least=0, broker="group.share.assignment.interval.ms"),
    S("share.record.lock.duration.ms", Kind.INT, "30000",
      "The milliseconds for which a member locks a record.",
      least=1000, broker="group.share.record.lock.duration.ms"),
    S("share.delivery.count.limit", Kind.INT, "5",
      "The deliveries after which a record is given up.",
      least=2, broker="group.share.delivery.count.limit"),
    S("share.partition.max.record.locks", Kind.INT, "2000",
      "The records of a partition that the group locks at most.",
      least=100, broker="group.share.partition.max.record.locks"),
    S("share.auto.offset.reset", Kind.STRING, "latest",
      "Where the group begins: earliest, latest, or by_duration:P... (ISO 8601) before now.",
      check=_check_reset),
    S("share.isolation.level", Kind.STRING, "read_uncommitted",
      "Whether records of transactions that are undecided or aborted are delivered.",
      allowed=("read_committed", "read_uncommitted")),
    S("share.renew.acknowledge.enable", Kind.BOOLEAN, "true",
      "Members may ask for more time for a record."),
)
# fmt: on
GROUP_SETTINGS: Final = {s.name: s for s in (*_CONSUMER, *_SHARE)}
_OTHER_KINDS: Final = ("streams.",)


def check_group(name: str, text: str) -> None:
    """Unusable where a group has no such setting, or it cannot have this value."""
    setting = GROUP_SETTINGS.get(name)
    if setting is not None:
        setting.read(text)
    elif name.startswith(_OTHER_KINDS):
        kind = name.split(".")[0]
        raise Unusable(f"{name} is a setting of {kind} groups, which Spindle does not have")
    else:
        raise Unusable(f"Unknown group config name: {name}")
