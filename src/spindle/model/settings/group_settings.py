"""The settings that a consumer group may have for itself (KIP-848); others are the broker's."""

from __future__ import annotations

from typing import Final

from spindle.model.errors import Unusable
from spindle.model.settings.setting import Kind, Setting

S = Setting
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
# fmt: on
GROUP_SETTINGS: Final = {s.name: s for s in _CONSUMER}
_OTHER_KINDS: Final = ("share.", "streams.")


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
