"""Dynamic settings of topics and brokers: AlterConfigs and IncrementalAlterConfigs (KIP-339).

The tables in `model.settings` say which settings exist and what is right. Settings of brokers are
only recorded here; the brokers apply them when they see the records. Called by the handlers of the
two APIs, and by `topics` for the settings of a new topic.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from spindle.core.controller.config_resources import (
    Alteration,
    ConfigOperation,
    ConfigResource,
    check_once,
    check_resource,
    check_type,
    check_values,
    distinct,
)
from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.core.controller.elections import ElectionOutcome, elect_leaderless
from spindle.core.controller.group_bounds import check_bounds
from spindle.model import cordons
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal, Unusable
from spindle.model.ids import PartitionId
from spindle.model.image import (
    BROKER_RESOURCE,
    CLIENT_METRICS_RESOURCE,
    GROUP_RESOURCE,
    TOPIC_RESOURCE,
)
from spindle.model.settings.client_metrics_settings import (
    check_client_metrics,
)
from spindle.model.settings.group_settings import GROUP_SETTINGS, check_group
from spindle.model.settings.scrutiny import INTERNAL_TOPICS, check_node, check_topic
from spindle.model.settings.setting import Kind, Update
from spindle.model.settings.table import NODE_SETTINGS, TOPIC_SETTINGS, node_setting

_UNCLEAN: Final = "unclean.leader.election.enable"
_MIN_ISR: Final = "min.insync.replicas"
_STORES: Final = re.compile(r"ssl\.(keystore\.|truststore\.|key\.password)")
"""What changes at run time for one listener alone."""


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
    for name, setting in TOPIC_SETTINGS.items():
        value, source, fallback = own.get(name), 1, setting.broker
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
    state: ControllerState,
    asked: Sequence[tuple[ConfigResource, Sequence[Alteration]]],
    validate_only: bool = False,
    direct: bool = False,
    named: Mapping[ConfigResource, int] | None = None,
) -> ControllerResult[list[tuple[ConfigResource, ElectionOutcome]]]:
    """Change single settings; each resource as a whole or not at all.

    `direct`: the client asks the controller itself, and no broker has looked at the values.
    `named`: how often the request that these are some of names each resource; None: these are all.
    """
    draft = Draft(state)
    outcomes = []
    if named is None:
        named = Counter(resource for resource, _ in asked)
    for resource, alterations in asked:
        try:
            settings = _checked(draft, resource, alterations, named, direct)
            wanted = _altered(draft, resource, settings)
            _check_cordons(draft, resource, wanted, direct)
            _write(draft, resource, wanted)
            outcomes.append((resource, ElectionOutcome()))
        except Refusal as refusal:
            outcomes.append((resource, ElectionOutcome(refusal.error, refusal.message)))
    return _decided(draft, outcomes, validate_only)


def alter_wholly(
    state: ControllerState,
    asked: Sequence[tuple[ConfigResource, Sequence[Alteration]]],
    validate_only: bool = False,
    direct: bool = False,
    named: Mapping[ConfigResource, int] | None = None,
) -> ControllerResult[list[tuple[ConfigResource, ElectionOutcome]]]:
    """Replace all settings of each resource (the older API): what is not named is dropped."""
    draft = Draft(state)
    outcomes = []
    if named is None:
        named = Counter(resource for resource, _ in asked)
    for resource, alterations in asked:
        try:
            settings = _checked(draft, resource, alterations, named, direct)
            wanted = dict.fromkeys(draft.config(resource.type, resource.name))
            wanted.update(_altered(draft, resource, settings))
            _check_cordons(draft, resource, wanted, direct)
            _write(draft, resource, wanted)
            outcomes.append((resource, ElectionOutcome()))
        except Refusal as refusal:
            outcomes.append((resource, ElectionOutcome(refusal.error, refusal.message)))
    return _decided(draft, outcomes, validate_only)


def new_topic_records(
    draft: Draft, topic: str, settings: Mapping[str, str | None]
) -> list[r.DynamicConfig]:
    """The records for a new topic's settings. Refusal INVALID_CONFIG; drafts nothing."""
    found = []
    without = [name for name, value in settings.items() if value is None]
    if without:
        raise Refusal(
            Error.INVALID_CONFIG, f"Null value not supported for topic configs: {','.join(without)}"
        )
    for name, value in settings.items():
        assert value is not None
        check_value(ConfigResource(TOPIC_RESOURCE, topic), name, value)
        found.append(
            r.DynamicConfig(
                resource_type=TOPIC_RESOURCE, resource_name=topic, key=name, value=value
            )
        )
    return found


def _decided(
    draft: Draft, outcomes: list[tuple[ConfigResource, ElectionOutcome]], validate_only: bool
) -> ControllerResult[list[tuple[ConfigResource, ElectionOutcome]]]:
    if validate_only:
        draft.records.clear()
        return draft.decision(outcomes)
    changed = [record for record in draft.records if isinstance(record, r.DynamicConfig)]
    if draft.state.elr_enabled:
        _forget_eligible(draft, [c for c in changed if c.key == _MIN_ISR])
    if any(c.key == _UNCLEAN and c.value == "true" for c in changed):
        # An operator gives up records to have partitions back: now, not at the next check.
        elect_leaderless(draft)
    return draft.decision(outcomes, atomic=False)


def _forget_eligible(draft: Draft, changed: Sequence[r.DynamicConfig]) -> None:
    """Under another min.insync.replicas a small ISR may go on alone: leavers are behind then.

    Apache Kafka clears the whole topic (ClearElr) and may leave a partition without a replica that
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


def _checked(
    draft: Draft,
    resource: ConfigResource,
    alterations: Sequence[Alteration],
    named: Mapping[ConfigResource, int],
    direct: bool,
) -> list[Alteration]:
    """The alterations of a resource, each setting once. Refusal where none of it can be."""
    if direct:
        check_type(resource, direct)
    check_once(resource, named, direct)
    settings = distinct(alterations, direct)
    check_type(resource, direct)
    check_resource(draft, resource)
    return settings


def check_value(resource: ConfigResource, name: str, value: str) -> None:
    """Refusal where a resource has no such setting, may not change it, or not to this value."""
    of_broker = resource.type == BROKER_RESOURCE
    try:
        if of_broker:
            _check_dynamic(resource, name)
            check_node(name, value)
        elif resource.type == GROUP_RESOURCE:
            check_group(name, value)
        elif resource.type == CLIENT_METRICS_RESOURCE:
            check_client_metrics(name, value)
        elif resource.name not in INTERNAL_TOPICS:
            check_topic(name, value)
        elif name in TOPIC_SETTINGS:
            # What Spindle refuses may be meant for others' coordinators; all read its value.
            TOPIC_SETTINGS[name].read(value)
    except Unusable as unusable:
        # Kafka's brokers look at their own settings before the controller does.
        error = Error.INVALID_REQUEST if of_broker else Error.INVALID_CONFIG
        raise Refusal(error, str(unusable)) from None


def _check_dynamic(resource: ConfigResource, name: str) -> None:
    """Refusal in Kafka's words where a setting is not dynamic, or not for all brokers at once."""
    setting = node_setting(name)
    if setting is None:
        return
    if _STORES.match(name):
        text = (
            "These security configs can be dynamically updated only per-listener using the "
            f"listener prefix: [{name}]"
        )
        raise Refusal(Error.INVALID_REQUEST, text)
    if setting.update is Update.NO:
        text = f"Cannot update these configs dynamically: [{name}]"
        raise Refusal(Error.INVALID_REQUEST, text)
    if setting.update is Update.BROKER and not resource.name:
        text = "Cannot update these configs at default cluster level, broker id must be specified"
        raise Refusal(Error.INVALID_REQUEST, f"{text}: [{name}]")


def _altered(
    draft: Draft, resource: ConfigResource, alterations: Sequence[Alteration]
) -> dict[str, str | None]:
    """The settings that alterations touch, with the values that they give them."""
    current = draft.config(resource.type, resource.name)
    wanted: dict[str, str | None] = {}
    for alteration in alterations:
        name, value = alteration.name, alteration.value
        if alteration.removes:
            wanted[name] = None
        elif alteration.operation == ConfigOperation.SET:
            wanted[name] = value
        elif alteration.operation in (ConfigOperation.APPEND, ConfigOperation.SUBTRACT):
            wanted[name] = _listed(draft, resource, alteration, current.get(name))
        else:
            raise Refusal(
                Error.INVALID_REQUEST, f"{name}: there is no operation {alteration.operation}"
            )
    return wanted


_TABLES: Final = {
    TOPIC_RESOURCE: TOPIC_SETTINGS,
    BROKER_RESOURCE: NODE_SETTINGS,
    GROUP_RESOURCE: GROUP_SETTINGS,
}


def _listed(
    draft: Draft, resource: ConfigResource, alteration: Alteration, current: str | None
) -> str:
    name = alteration.name
    table = _TABLES.get(resource.type, {})
    if name not in table or table[name].kind is not Kind.LIST:
        raise Refusal(
            Error.INVALID_CONFIG,
            f"Can't {ConfigOperation(alteration.operation).name} to key {name} because its type is"
            " not LIST.",
        )
    check_values((alteration,))
    appends = alteration.operation == ConfigOperation.APPEND
    if appends and table[name].allowed and _lacks_words(alteration.value or ""):
        error = Error.INVALID_CONFIG
        if resource.type == BROKER_RESOURCE:
            error = Error.INVALID_REQUEST
        raise Refusal(error, f"Configuration '{name}' values must not be empty.")
    if current is None:
        current = _default(draft, resource, name)
    return ",".join(listed(alteration.operation, parts(current), parts(alteration.value)))


def _lacks_words(text: str) -> bool:
    """Whether an entry to append has no word. Commas at the end are nothing, as in Java."""
    entries = text.rstrip(",")
    return not (text and not entries) and not all(e.strip() for e in entries.split(","))


def _default(draft: Draft, resource: ConfigResource, name: str) -> str:
    settings = draft.state.settings
    if resource.type == BROKER_RESOURCE:
        return (settings.text(name) if name in NODE_SETTINGS else None) or ""
    setting = _TABLES[resource.type][name]
    return (settings.text(setting.broker) if setting.broker else setting.default) or ""


def _write(draft: Draft, resource: ConfigResource, wanted: Mapping[str, str | None]) -> None:
    """Draft one record for each setting that becomes another; all are checked before."""
    current = draft.config(resource.type, resource.name)
    for name, value in wanted.items():
        if value is not None:
            check_value(resource, name, value)
    if resource.type == GROUP_RESOURCE:
        whole = {**current, **wanted}
        own = {name: value for name, value in whole.items() if value is not None}
        check_bounds(own, draft.state.settings)
    for name, value in wanted.items():
        _check_isr_floor(draft, resource, name, value)
    for name, value in wanted.items():
        if current.get(name) != value:
            draft.add(
                r.DynamicConfig(
                    resource_type=resource.type, resource_name=resource.name, key=name, value=value
                )
            )


def _check_cordons(
    draft: Draft, resource: ConfigResource, wanted: Mapping[str, str | None], direct: bool
) -> None:
    """The controller does not know a broker's paths: it only lets cordons be lifted (KIP-1066).

    A cluster whose metadata cannot speak of cordons takes none.
    """
    if resource.type != BROKER_RESOURCE or cordons.SETTING not in wanted:
        return
    if not draft.state.cordons_supported:
        raise Refusal(
            Error.INVALID_CONFIG,
            f"The {cordons.SETTING} configuration value cannot be set because it requires"
            " metadata.version >= 4.3-IV0",
        )
    if not direct:
        return
    current = parts(draft.config(resource.type, resource.name).get(cordons.SETTING))
    if not set(parts(wanted.get(cordons.SETTING))) <= set(current):
        raise Refusal(
            Error.INVALID_CONFIG,
            f"When updating {cordons.SETTING} via controllers,  the new value must be a subset of"
            " the current configuration value.",
        )


def parts(text: str | None) -> list[str]:
    """The entries of a list, as the text of a setting."""
    return [part.strip() for part in (text or "").split(",") if part.strip()]


def listed(operation: int, current: Sequence[str], given: Sequence[str]) -> list[str]:
    """A list after APPEND or SUBTRACT."""
    if operation == ConfigOperation.APPEND:
        return [*current, *(p for p in dict.fromkeys(given) if p not in current)]
    return [p for p in current if p not in given]


# --- eligible leader replicas (KIP-966) ---------------------------------------------------------


def _check_isr_floor(draft: Draft, resource: ConfigResource, name: str, value: str | None) -> None:
    """Eligibility rests on one min.insync.replicas for a topic, which the controller knows."""
    if name != _MIN_ISR or resource.type != BROKER_RESOURCE or not draft.state.elr_enabled:
        return
    if resource.name:
        raise Refusal(
            Error.INVALID_CONFIG,
            "Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
        )
    if value is None:
        raise Refusal(
            Error.INVALID_CONFIG,
            "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.",
        )


def isr_floor(draft: Draft) -> None:
    """Draft what makes it safe to enable KIP-966: one min.insync.replicas, the same everywhere.

    The brokers' shared setting becomes this controller's own where there is none; those of single
    brokers go.
    """
    for (type, name), settings in list(draft.state.image.configs.items()):
        if type == BROKER_RESOURCE and name and _MIN_ISR in settings:
            draft.add(_min_isr(name, None))
    if _MIN_ISR not in draft.config(BROKER_RESOURCE, ""):
        draft.add(_min_isr("", draft.state.settings.text(_MIN_ISR)))


def _min_isr(broker: str, value: str | None) -> r.DynamicConfig:
    return r.DynamicConfig(
        resource_type=BROKER_RESOURCE, resource_name=broker, key=_MIN_ISR, value=value
    )
