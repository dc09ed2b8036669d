"""Feature levels of the cluster: UpdateFeatures (KIP-584), and controllers' registrations.

Called by the handlers of UpdateFeatures and ControllerRegistration, and by `node.controller`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

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
)
from spindle.model.ids import VersionRange


class UpgradeType(IntEnum):
    """Which way a level may go, by its number on the wire."""

    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


@dataclass(frozen=True, slots=True)
class FeatureUpdate:
    """One feature of a request; level 0 removes it."""

    name: str
    level: int
    upgrade: int = UpgradeType.UPGRADE


def update_features(
    state: ControllerState, updates: Sequence[FeatureUpdate], validate_only: bool = False
) -> ControllerResult[None]:
    """All of these levels or none. Refusals INVALID_REQUEST, INVALID_UPDATE_VERSION."""
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
    name, level = update.name, update.level
    if name == KRAFT_VERSION:
        raise Refusal(Error.INVALID_UPDATE_VERSION, f"{name} is not among the records of features")
    _check_levels(state, update, current)
    if name == METADATA_VERSION and level < current:
        raise Refusal(
            Error.INVALID_UPDATE_VERSION,
            f"{name} cannot become {level}: it is {current}, and metadata written at that level"
            " would be lost",
        )


def _check_levels(state: ControllerState, update: FeatureUpdate, current: int) -> None:
    name, level = update.name, update.level

    def refuse(why: str, error: Error = Error.INVALID_UPDATE_VERSION) -> Refusal:
        return Refusal(error, f"{name} cannot become {level}: {why}")

    if update.upgrade not in tuple(UpgradeType):
        raise refuse(f"there is no upgrade type {update.upgrade}", Error.INVALID_REQUEST)
    if name not in SERVED:
        raise refuse("the controller does not know how to change this feature")
    served = SERVED[name]
    if level != current and level and not served.min <= level <= served.max:
        raise refuse(f"the controller supports {served.min} to {served.max}")
    for kind, number, features in _nodes(state):
        offered = dict(features).get(name, VersionRange(0, 0))
        if level and not offered.min <= level <= offered.max:
            raise refuse(f"{kind} {number} supports {offered.min} to {offered.max}")
    if level > current and update.upgrade != UpgradeType.UPGRADE:
        raise refuse(f"it is {current}: that would be an upgrade, and a downgrade was asked for")
    if level < current and update.upgrade == UpgradeType.UPGRADE:
        raise refuse(f"it is {current}: that would be a downgrade, and an upgrade was asked for")


def check_quorum_version(state: ControllerState, update: FeatureUpdate, current: int) -> None:
    """Refusal where kraft.version, which is `current`, may not become that; no record says it.

    The quorum itself knows whether its voters support it. INVALID_UPDATE_VERSION, INVALID_REQUEST.
    """
    _check_levels(state, update, current)
    if update.level < current:
        raise Refusal(
            Error.INVALID_UPDATE_VERSION,
            f"{update.name} cannot become {update.level}: it is {current}, and a quorum that has"
            " its voters in its log keeps them there",
        )


def _nodes(state: ControllerState) -> list[tuple[str, int, tuple[tuple[str, VersionRange], ...]]]:
    image = state.image
    return [
        *(("broker", n, b.features) for n, b in image.brokers.items()),
        *(("controller", n, c.features) for n, c in image.controllers.items()),
    ]


def _check_together(state: ControllerState, levels: dict[str, int]) -> None:
    if levels.get(ELR_VERSION, 0) and levels.get(METADATA_VERSION, 0) < ELIGIBLE_LEADER_REPLICAS:
        raise Refusal(
            Error.INVALID_UPDATE_VERSION,
            f"{ELR_VERSION} needs {METADATA_VERSION} {ELIGIBLE_LEADER_REPLICAS} or above",
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
