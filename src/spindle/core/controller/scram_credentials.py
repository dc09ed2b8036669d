"""Credentials of SCRAM: AlterUserScramCredentials (KIP-554), with Apache Kafka's words.

Called by the handler of that API. The salted password that a client sends is forgotten here: the
records have the keys that follow from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from spindle.core.controller.controller_state import (
    ControllerResult,
    ControllerState,
    Draft,
)
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import SCRAM
from spindle.model.scram import ITERATIONS_LEAST, ITERATIONS_MOST, ScramMechanism, scram_of

CHANGES_MAX: Final = 1_000
"""Changes of one request: keys are derived for each, while all other requests wait (S-08)."""


@dataclass(frozen=True, slots=True)
class ScramDeletion:
    """A credential that is to go."""

    user: str
    mechanism: int


@dataclass(frozen=True, slots=True)
class ScramUpsertion:
    """A credential that is to be made, or to take another's place."""

    user: str
    mechanism: int
    iterations: int
    salt: bytes = field(repr=False)
    salted_password: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AlteredUser:
    """What became of one user's change."""

    user: str
    error: Error = Error.NONE
    message: str | None = None


def check_count(changes: int) -> None:
    """Refusal POLICY_VIOLATION where a request asks for too many changes."""
    if changes > CHANGES_MAX:
        raise Refusal(
            Error.POLICY_VIOLATION,
            f"{changes} credentials in one request are too many: {CHANGES_MAX} are changed at once",
        )


def alter(
    state: ControllerState,
    deletions: Sequence[ScramDeletion],
    upsertions: Sequence[ScramUpsertion],
) -> ControllerResult[list[AlteredUser]]:
    """Change credentials, each user's at most once; the others go on where one is refused."""
    changes: list[ScramDeletion | ScramUpsertion] = [*deletions, *upsertions]
    wanted: dict[str, ScramDeletion | ScramUpsertion] = {}
    refused: dict[str, AlteredUser] = {}
    for change in changes:
        if change.user in refused:
            continue
        try:
            if wanted.pop(change.user, None) is not None:
                raise Refusal(
                    Error.DUPLICATE_RESOURCE,
                    "A user credential cannot be altered twice in the same request",
                )
            _check(state, change)
            wanted[change.user] = change
        except Refusal as refusal:
            refused[change.user] = AlteredUser(change.user, refusal.error, refusal.message)
    draft = Draft(state)
    for change in wanted.values():
        draft.add(_record(change))
    return draft.decision([*map(AlteredUser, wanted), *refused.values()])


def _check(state: ControllerState, change: ScramDeletion | ScramUpsertion) -> None:
    if state.metadata_version < SCRAM:
        raise Refusal(
            Error.UNSUPPORTED_VERSION, "The current metadata.version does not support SCRAM"
        )
    if not change.user:
        raise Refusal(Error.UNACCEPTABLE_CREDENTIAL, "Username must not be empty")
    if scram_of(change.mechanism) is None:
        raise Refusal(Error.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
    if isinstance(change, ScramDeletion):
        if (change.user, change.mechanism) not in state.image.scram:
            raise Refusal(
                Error.RESOURCE_NOT_FOUND, "Attempt to delete a user credential that does not exist"
            )
    elif change.iterations < ITERATIONS_LEAST:
        raise Refusal(Error.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
    elif change.iterations > ITERATIONS_MOST:
        raise Refusal(Error.UNACCEPTABLE_CREDENTIAL, "Too many iterations")


def _record(change: ScramDeletion | ScramUpsertion) -> r.MetadataRecord:
    if isinstance(change, ScramDeletion):
        return r.RemoveUserScramCredential(name=change.user, mechanism=change.mechanism)
    mechanism = ScramMechanism(change.mechanism)
    keys = mechanism.keys(change.salted_password)
    return r.UserScramCredential(
        name=change.user,
        mechanism=mechanism,
        salt=change.salt,
        stored_key=keys.stored,
        server_key=keys.server,
        iterations=change.iterations,
    )
