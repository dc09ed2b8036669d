"""Each name of a properties file is honoured, refused, or named in a warning (N-01)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Final

from spindle.model.errors import Unusable
from spindle.model.settings.setting import Setting, Status
from spindle.model.settings.table import (
    NODE_SETTINGS,
    OF_LISTENER,
    TOPIC_SETTINGS,
    node_setting,
)

INTERNAL_TOPICS: Final = frozenset(
    ("__consumer_offsets", "__transaction_state", "__share_group_state")
)
"""Their settings are the coordinators' own affair: Apache Kafka's, too, in a mixed cluster."""
_ACCESS: Final = re.compile(
    r"(ssl|sasl|security|authorizer|principal|delegation)\..*"
    r"|(plain|scram-sha-256|scram-sha-512|oauthbearer|gssapi)\..*"
    r"|quota\.(producer|consumer)\.default"
)
"""Names beyond the table about the right to connect and the rights of a client."""
_VITAL: Final = re.compile(
    r"(log|metadata)\.(retention|roll|cleanup|flush|dirs?\b)|.*\.retention\.|log\.segment\."
    r"|(advertised\.)?listeners$|process\.roles|node\.id|min\.insync|unclean\.|ssl\.|sasl\."
    r"|security\.|authorizer\.|listener\.security"
)
"""What decides which records are kept, durability, or the right to connect: a name that is nearly
one of these is taken for a slip of the pen, not for a plugin's own."""
_TIERED: Final = (
    "Tiered Storage functionality is disabled in the broker. "
    "Topic cannot be configured with remote log storage."
)
"""Kafka's words to a client."""
_NEAR: Final = 0.9
_SIMILAR: Final = 0.75


def examine(given: Mapping[str, str]) -> list[str]:
    """What the operator should know about a node's settings, one line each.

    Unusable where a value is wrong, or where a setting that is refused has another value than its
    default, or a name is nearly that of a setting which must not be ignored.
    """
    idle: dict[str, list[str]] = {}
    unknown = []
    for name, text in given.items():
        setting, own = node_setting(name), OF_LISTENER.fullmatch(name)
        if setting is None and own is not None and own[2] in NODE_SETTINGS:
            _of_listener(name, NODE_SETTINGS[own[2]])
            idle.setdefault("Spindle has them for the whole node only.", []).append(name)
            continue
        if setting is None:
            if not name.startswith("config.providers."):
                unknown.append(_unknown(name))
            continue
        setting.read(text)
        if setting.status is Status.REFUSED and not setting.is_default(text):
            raise refusal(setting, text, name)
        if setting.status is Status.NO_EFFECT:
            idle.setdefault(setting.why, []).append(name)
    told = [f"{', '.join(names)}: no effect here. {why}" for why, names in idle.items()]
    return told + ([f"unknown settings, ignored: {', '.join(unknown)}"] if unknown else [])


def refusal(setting: Setting, text: str, name: str = "") -> Unusable:
    """Why a setting cannot have this value."""
    shown = "" if setting.sensitive else f"={text.strip()}"
    default = "leave it out" if not setting.default else f"leave it out or at {setting.default}"
    return Unusable(f"{name or setting.name}{shown}: {setting.why} Way out: {default}")


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The known name that is most like this one; None where none is."""
    found = get_close_matches(name, list(names), 1, _SIMILAR)
    return found[0] if found else None


def check_node(name: str, text: str) -> None:
    """Unusable where nodes have this setting, but not with this value, or no such setting."""
    setting = node_setting(name)
    if setting is None:
        _unknown(name)
        return  # Brokers keep names that they do not know, for plugins' sake, and say so.
    setting.read(text)
    if setting.status is Status.REFUSED and not setting.is_default(text):
        raise refusal(setting, text)


def check_topic(name: str, text: str) -> None:
    """Unusable where topics have no such setting, or not with this value."""
    setting = TOPIC_SETTINGS.get(name)
    if setting is None:
        raise Unusable(f"Unknown topic config name: {name}")
    setting.read(text)
    if setting.status is Status.REFUSED and not setting.is_default(text):
        raise Unusable(_TIERED) if name == "remote.storage.enable" else refusal(setting, text)


def look_at_topic(own: Mapping[str, str]) -> Iterator[str]:
    """What of a topic's settings decides nothing here, and why."""
    for name, text in own.items():
        try:
            check_topic(name, text)
        except Unusable as unusable:
            yield str(unusable)
            continue
        setting = TOPIC_SETTINGS[name]
        if setting.status is Status.NO_EFFECT and not setting.is_default(text):
            yield f"{name}: {setting.why}"


def _of_listener(name: str, setting: Setting) -> None:
    if _ACCESS.fullmatch(setting.name):
        why = setting.why or "Spindle has it for the whole node only."
        raise Unusable(f"{name}: {why} Way out: leave it out")


def _unknown(name: str) -> str:
    own = OF_LISTENER.fullmatch(name)
    if _ACCESS.fullmatch(name) or (own is not None and _ACCESS.search(own[2])):
        why = "Spindle has no such setting of security"
        raise Unusable(f"{name}: {why}. Way out: leave it out")
    meant = nearest(name, NODE_SETTINGS)
    if meant is None:
        return name
    if _VITAL.match(meant) and get_close_matches(name, [meant], 1, _NEAR):
        raise Unusable(f"there is no setting {name}: did you mean {meant}?")
    return f"{name} (did you mean {meant}?)"
