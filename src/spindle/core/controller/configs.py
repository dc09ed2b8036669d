"""Dynamic settings of topics and brokers: AlterConfigs and IncrementalAlterConfigs (KIP-339).

The tables in `model.config` say which settings exist and what is right. Settings of brokers are
only recorded here; the brokers apply them when they see the records. Called by the handlers of the
two APIs, and by `topics` for the settings of a new topic.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from spindle.core.controller.elections import Outcome, elect_leaderless
from spindle.core.controller.state import Decision, Draft, State
from spindle.model import records as r
from spindle.model.config import NODE_SETTINGS, TOPIC_SETTINGS, Setting, read_setting
from spindle.model.errors import Error, Refusal, Unusable
from spindle.model.ids import PartitionId
from spindle.model.image import BROKER_RESOURCE, TOPIC_RESOURCE

LISTS: Final = frozenset(
    (
        "cleanup.policy",
        "log.cleanup.policy",
        "cordoned.log.dirs",
        "leader.replication.throttled.replicas",
        "follower.replication.throttled.replicas",
    )
)
"""Settings to which APPEND and SUBTRACT apply."""

_THROTTLED: Final = re.compile(r"\*|\d+:\d+(,\d+:\d+)*")
_UNCLEAN: Final = "unclean.leader.election.enable"
_MIN_ISR: Final = "min.insync.replicas"


class Operation(IntEnum):
    """What is done to a setting, by its number on the wire."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


@dataclass(frozen=True, slots=True)
class Resource:
    """What has settings: type 2 a topic, 4 a broker ("" for all of them)."""

    type: int
    name: str

    def __str__(self) -> str:
        kind = {TOPIC_RESOURCE: "topic", BROKER_RESOURCE: "broker"}.get(self.type, "resource")
        return f"{kind} {self.name}" if self.name else f"all {kind}s"


@dataclass(frozen=True, slots=True)
class Alteration:
    """One setting of a request: (name, operation, value)."""

    name: str
    operation: int
    value: str | None


@dataclass(frozen=True, slots=True)
class Effective:
    """A setting as it applies. `source` by its number on the wire: 1 the topic's own, 3 the
    brokers' shared dynamic one, 4 our file, 5 the default.
    """

    name: str
    value: str
    source: int


def effective(draft: Draft, own: Mapping[str, str | None]) -> tuple[Effective, ...]:
    """All settings of a topic that has these of its own."""
    shared = draft.config(BROKER_RESOURCE, "")
    given = draft.state.settings.given
    found = []
    for name, (fallback, setting) in TOPIC_SETTINGS.items():
        value, source = own.get(name), 1
        if value is None and fallback is not None and fallback in shared:
            value, source = shared[fallback], 3
        if value is None and fallback is not None and fallback in given:
            value, source = given[fallback], 4
        if value is None:
            value, source = setting.default or "", 5
        found.append(Effective(name, value, source))
    return tuple(found)


# --- the two requests ---------------------------------------------------------------------------


def alter_incrementally(
    state: State,
    asked: Sequence[tuple[Resource, Sequence[Alteration]]],
    validate_only: bool = False,
) -> Decision[list[tuple[Resource, Outcome]]]:
    """Change single settings; each resource as a whole or not at all."""
    draft = Draft(state)
    outcomes = []
    for resource, alterations in asked:
        try:
            _check_once(resource, [other for other, _ in asked])
            _check_resource(draft, resource)
            wanted = _altered(draft, resource, alterations)
            _write(draft, resource, wanted)
            outcomes.append((resource, Outcome()))
        except Refusal as refusal:
            outcomes.append((resource, Outcome(refusal.error, refusal.message)))
    return _decided(draft, outcomes, validate_only)


def alter_wholly(
    state: State,
    asked: Sequence[tuple[Resource, Mapping[str, str | None]]],
    validate_only: bool = False,
) -> Decision[list[tuple[Resource, Outcome]]]:
    """Replace all settings of each resource (the older API): what is not named is dropped."""
    draft = Draft(state)
    outcomes = []
    for resource, settings in asked:
        try:
            _check_once(resource, [other for other, _ in asked])
            _check_resource(draft, resource)
            wanted: dict[str, str | None] = dict.fromkeys(
                draft.config(resource.type, resource.name)
            )
            for name, value in settings.items():
                if value is None:
                    raise Refusal(Error.INVALID_REQUEST, f"{resource}: {name} has no value")
                wanted[name] = value
            _write(draft, resource, wanted)
            outcomes.append((resource, Outcome()))
        except Refusal as refusal:
            outcomes.append((resource, Outcome(refusal.error, refusal.message)))
    return _decided(draft, outcomes, validate_only)


def new_topic_records(
    draft: Draft, topic: str, settings: Mapping[str, str | None]
) -> list[r.Config]:
    """The records for a new topic's settings. Refusal INVALID_CONFIG; drafts nothing."""
    found = []
    for name, value in settings.items():
        if value is None:
            raise Refusal(Error.INVALID_CONFIG, f"{name} of topic {topic} has no value")
        check_value(Resource(TOPIC_RESOURCE, topic), name, value)
        found.append(
            r.Config(resource_type=TOPIC_RESOURCE, resource_name=topic, key=name, value=value)
        )
    return found


def _decided(
    draft: Draft, outcomes: list[tuple[Resource, Outcome]], validate_only: bool
) -> Decision[list[tuple[Resource, Outcome]]]:
    if validate_only:
        draft.records.clear()
        return draft.decision(outcomes)
    changed = [record for record in draft.records if isinstance(record, r.Config)]
    if draft.state.elr_enabled:
        _forget_eligible(draft, [c for c in changed if c.key == _MIN_ISR])
    if any(c.key == _UNCLEAN and c.value == "true" for c in changed):
        # Somebody gives up records to have partitions back: now, not at the next check.
        elect_leaderless(draft)
    return draft.decision(outcomes, atomic=False)


def _forget_eligible(draft: Draft, changed: Sequence[r.Config]) -> None:
    """Under another min.insync.replicas a small ISR may go on alone: who left is behind then.

    Apache Kafka clears the whole topic (ClearElr) and may leave a partition without anybody who
    could lead. Where the ISR is empty nothing is written, so its eligible leaders stay.
    """
    names = {c.resource_name for c in changed if c.resource_type == TOPIC_RESOURCE}
    everywhere = any(c.resource_type == BROKER_RESOURCE for c in changed)
    if not names and not everywhere:
        return
    for topic, partition in draft.state.image.partitions():
        if partition.elr and partition.isr and (everywhere or topic.name in names):
            id = PartitionId(topic.topic_id, partition.partition_id)
            change = r.PartitionChange(partition_id=id.partition, topic_id=id.topic_id, elr=())
            draft.add_change(id, partition, change)


# --- checks -------------------------------------------------------------------------------------


def _check_once(resource: Resource, all_resources: Sequence[Resource]) -> None:
    if all_resources.count(resource) > 1:
        raise Refusal(Error.INVALID_REQUEST, f"the request names {resource} twice")


def _check_resource(draft: Draft, resource: Resource) -> None:
    if resource.type == TOPIC_RESOURCE:
        if not resource.name:
            raise Refusal(Error.INVALID_REQUEST, "topics have no default settings of their own")
        if draft.state.image.topic(resource.name) is None:
            raise Refusal(Error.UNKNOWN_TOPIC_OR_PARTITION, f"there is no topic {resource.name}")
    elif resource.type == BROKER_RESOURCE:
        if not resource.name:
            return
        if not resource.name.isdigit():
            raise Refusal(Error.INVALID_REQUEST, f"{resource.name!r} is not a broker's number")
        number = int(resource.name)
        if draft.broker(number) is None and number not in draft.state.image.controllers:
            raise Refusal(Error.BROKER_ID_NOT_REGISTERED, f"there is no broker {number}")
    else:
        raise Refusal(
            Error.INVALID_REQUEST,
            f"resources of type {resource.type} have no settings here: topics (2), brokers (4) do",
        )


def check_value(resource: Resource, name: str, value: str) -> None:
    """Refusal where a resource has no such setting, may not change it, or not to this value."""
    if resource.type == TOPIC_RESOURCE:
        if name not in TOPIC_SETTINGS:
            raise Refusal(Error.INVALID_CONFIG, f"topics have no setting {name!r}")
        setting = TOPIC_SETTINGS[name][1]
    else:
        known = NODE_SETTINGS.get(name)
        if known is None:
            return  # brokers keep settings that they do not know, for plugins' sake
        if not known.dynamic:
            raise Refusal(
                Error.INVALID_REQUEST, f"{name} cannot change while brokers run: edit their files"
            )
        setting = known
    _read(setting, value)
    throttled = name.endswith(".replication.throttled.replicas") and value
    if throttled and not _THROTTLED.fullmatch(value.replace(" ", "")):
        raise Refusal(Error.INVALID_CONFIG, f"{name}={value!r}: write partition:broker,... or *")


def _read(setting: Setting, value: str) -> None:
    try:
        read_setting(setting, value)
    except Unusable as unusable:
        raise Refusal(Error.INVALID_CONFIG, str(unusable)) from None


def _altered(
    draft: Draft, resource: Resource, alterations: Sequence[Alteration]
) -> dict[str, str | None]:
    """The settings that alterations touch, with the values that they give them."""
    current = draft.config(resource.type, resource.name)
    wanted: dict[str, str | None] = {}
    for alteration in alterations:
        name, value = alteration.name, alteration.value
        if not name:
            raise Refusal(Error.INVALID_REQUEST, f"{resource}: a setting without a name")
        if name in wanted:
            raise Refusal(Error.INVALID_REQUEST, f"{resource}: {name} is named twice")
        if alteration.operation == Operation.DELETE:
            wanted[name] = None
            continue
        if value is None:
            raise Refusal(Error.INVALID_REQUEST, f"{resource}: {name} has no value")
        if alteration.operation == Operation.SET:
            wanted[name] = value
        elif alteration.operation in (Operation.APPEND, Operation.SUBTRACT):
            wanted[name] = _listed(draft, resource, alteration, current.get(name))
        else:
            raise Refusal(
                Error.INVALID_REQUEST, f"{name}: there is no operation {alteration.operation}"
            )
    return wanted


def _listed(draft: Draft, resource: Resource, alteration: Alteration, current: str | None) -> str:
    name = alteration.name
    if name not in LISTS:
        raise Refusal(
            Error.INVALID_CONFIG, f"{name} is no list: nothing can be appended or subtracted"
        )
    if current is None:
        current = _default(draft, resource, name)
    parts = [part.strip() for part in current.split(",") if part.strip()]
    given = [part.strip() for part in (alteration.value or "").split(",") if part.strip()]
    if alteration.operation == Operation.APPEND:
        parts += [part for part in dict.fromkeys(given) if part not in parts]
    else:
        parts = [part for part in parts if part not in given]
    return ",".join(parts)


def _default(draft: Draft, resource: Resource, name: str) -> str:
    settings = draft.state.settings
    if resource.type == BROKER_RESOURCE:
        return (settings.text(name) if name in NODE_SETTINGS else None) or ""
    fallback, setting = TOPIC_SETTINGS[name]
    return (settings.text(fallback) if fallback else setting.default) or ""


def _write(draft: Draft, resource: Resource, wanted: Mapping[str, str | None]) -> None:
    """Draft one record for each setting that becomes another; all are checked before."""
    current = draft.config(resource.type, resource.name)
    for name, value in wanted.items():
        if value is not None:
            check_value(resource, name, value)
    for name, value in wanted.items():
        if current.get(name) != value:
            draft.add(
                r.Config(
                    resource_type=resource.type,
                    resource_name=resource.name,
                    key=name,
                    value=value,
                )
            )
