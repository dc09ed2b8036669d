"""Feature levels of the cluster: UpdateFeatures (KIP-584), and controllers' registrations.

Called by the handlers of UpdateFeatures and ControllerRegistration, and by `node.controller`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spindle.core.controller.configs import isr_floor
from spindle.core.controller.controller_state import ControllerResult, ControllerState, Draft
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import (
    CONTROLLER_REGISTRATION,
    ELIGIBLE_LEADER_REPLICAS,
    ELR_VERSION,
    KRAFT_VERSION,
    METADATA_TRANSACTIONS,
    METADATA_VERSION,
    SERVED,
    SUPPORTED,
    UpgradeType,
    keeps_records,
)
from spindle.model.ids import VersionRange


@dataclass(frozen=True, slots=True)
class FeatureUpdate:
    """One feature of a request; level 0 removes it."""

    name: str
    level: int
    upgrade: int = UpgradeType.UPGRADE


def update_features(
    state: ControllerState, updates: Sequence[FeatureUpdate], validate_only: bool = False
) -> ControllerResult[None]:
    """All of these levels or none. Refusals INVALID_REQUEST, INVALID_UPDATE_VERSION.

    metadata.version goes down as far as its records are the same, as in Apache Kafka.
    """
    draft = Draft(state)
    named = Counter(update.name for update in updates)
    for update in updates:
        if not update.name or named[update.name] > 1:
            raise Refusal(
                Error.INVALID_REQUEST, f"feature {update.name!r} is named twice, or empty"
            )
        current = state.image.features.get(update.name, 0)
        _check(state, update, current)
        if update.level != current:
            draft.add(r.FeatureLevel(name=update.name, level=update.level))
            if update.name == ELR_VERSION and not current:
                isr_floor(draft)
    _check_together(state, {**state.image.features, **{u.name: u.level for u in updates}})
    if validate_only:
        draft.records.clear()
    return draft.decision(None)


def _check(state: ControllerState, update: FeatureUpdate, current: int) -> None:
    if update.name == KRAFT_VERSION:
        raise _invalid(update, "It is not among the records of features.")
    _check_levels(state, update, current)
    if update.name == METADATA_VERSION and not keeps_records(current, update.level):
        why = (
            "Unsafe metadata downgrade is not supported in this version."
            if update.upgrade == UpgradeType.UNSAFE_DOWNGRADE
            else "Refusing to perform the requested downgrade because it might delete metadata"
            " information."
        )
        raise Refusal(
            Error.INVALID_UPDATE_VERSION,
            f"Unsupported metadata.version downgrade from {current} to {update.level}. {why}",
        )


def _check_levels(state: ControllerState, update: FeatureUpdate, current: int) -> None:
    level = update.level
    if update.upgrade not in tuple(UpgradeType):
        raise _invalid(update, "The controller does not support the given upgrade type.")
    if level < 0:
        raise _invalid(update, "A feature version cannot be less than 0.")
    for node, served in _offers(state, update.name):
        if not served.min <= level <= served.max:
            raise _invalid(update, f"{node} {_only(served)}")
    if update.name not in SUPPORTED:
        raise _invalid(update, f"Feature {update.name} not found.")
    if level < current and update.upgrade == UpgradeType.UPGRADE:
        raise _invalid(
            update,
            "Can't downgrade the version of this feature without setting the upgrade type to either"
            " safe or unsafe downgrade.",
        )
    if level > current and update.upgrade != UpgradeType.UPGRADE:
        raise _invalid(update, "Can't downgrade to a newer version.")


def _invalid(update: FeatureUpdate, why: str) -> Refusal:
    return Refusal(
        Error.INVALID_UPDATE_VERSION,
        f"Invalid update version {update.level} for feature {update.name}. {why}",
    )


def _only(served: VersionRange) -> str:
    """What a node supports, in Apache Kafka's words."""
    if not served.max:
        return "does not support this feature."
    range = served.min if served.min == served.max else f"{served.min}-{served.max}"
    return f"only supports versions {range}"


def check_quorum_version(state: ControllerState, update: FeatureUpdate, current: int) -> None:
    """Refusal where kraft.version, which is `current`, may not become that; no record says it.

    The quorum itself knows whether its voters support it. INVALID_UPDATE_VERSION.
    """
    _check_levels(state, update, current)
    if update.level < current:
        raise _invalid(update, "Can't downgrade the version of this feature.")


def _offers(state: ControllerState, name: str) -> Iterator[tuple[str, VersionRange]]:
    """Which levels of a feature the nodes of the cluster support; this one is the first."""
    me, none = state.settings.find_whole("node.id"), VersionRange(0, 0)
    yield f"Local controller {me}", SERVED.get(name, none)
    for id, broker in state.image.brokers.items():
        yield f"Broker {id}", dict(broker.features).get(name, none)
    for id, controller in state.image.controllers.items():
        if id != me:
            yield f"Controller {id}", dict(controller.features).get(name, none)


def _check_together(state: ControllerState, levels: dict[str, int]) -> None:
    if levels.get(ELR_VERSION, 0) and levels.get(METADATA_VERSION, 0) < ELIGIBLE_LEADER_REPLICAS:
        raise Refusal(
            Error.INVALID_UPDATE_VERSION,
            f"Invalid update version {levels[ELR_VERSION]} for feature {ELR_VERSION}. {ELR_VERSION}"
            f" could not be set to {levels[ELR_VERSION]} because it depends on {METADATA_VERSION}"
            f" level {ELIGIBLE_LEADER_REPLICAS}",
        )


def begin(
    state: ControllerState, formatted: Sequence[r.MetadataRecord]
) -> tuple[r.MetadataRecord, ...]:
    """What an empty metadata log begins with: the records of its format, and what they call for."""
    draft = Draft(state)
    for record in formatted:
        draft.add(record)
    finalized = {f.name: f.level for f in formatted if isinstance(f, r.FeatureLevel)}
    if finalized.get(ELR_VERSION, 0):
        isr_floor(draft)
    if finalized.get(METADATA_VERSION, 0) < METADATA_TRANSACTIONS:
        return tuple(draft.records)
    first = r.BeginTransaction(name="Bootstrap records")
    return (first, *draft.records, r.EndTransaction())


def register_controller(
    state: ControllerState, registration: r.RegisterController
) -> ControllerResult[None]:
    """A controller presents itself. Refusal UNSUPPORTED_VERSION below metadata.version 15."""
    if state.metadata_version < CONTROLLER_REGISTRATION:
        raise Refusal(
            Error.UNSUPPORTED_VERSION,
            f"{METADATA_VERSION} {state.metadata_version} knows no controller registrations",
        )
    draft = Draft(state)
    if state.image.controllers.get(registration.controller_id) != registration:
        draft.add(registration)
    return draft.decision(None)
