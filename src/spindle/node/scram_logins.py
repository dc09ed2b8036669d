"""What clients log in by with SCRAM: users of the metadata, and delegation tokens (KIP-48).

A token logs in as if it were a user. Its password has 512 bits by chance, and none the less clients
want it salted 4,096 times: two milliseconds at the first login by a token on a node, and kept after
that. Called by `sasl_listener`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from spindle.model.image import ClusterImage
from spindle.model.kafka_principal import KafkaPrincipal
from spindle.model.metadata_records import UserScramCredential
from spindle.model.outbox import Rng
from spindle.model.scram import ITERATIONS_LEAST, ScramMechanism
from spindle.model.token_key import TokenKey, password_of
from spindle.security.sasl_server import TokenLogin

SALT_BYTES: Final = 16
KEPT_MAX: Final = 10_000
"""Credentials that are kept; beyond that those of tokens that are gone are forgotten."""


class ScramLogins:
    """Of one node."""

    def __init__(self, image: Callable[[], ClusterImage], key: TokenKey | None, rng: Rng) -> None:
        """`image`: the committed metadata. `key`: None where the node has no tokens."""
        self._image = image
        self._key = key
        self._rng = rng
        self._kept: dict[tuple[str, ScramMechanism], UserScramCredential] = {}

    def of_user(self, mechanism: ScramMechanism, user: str) -> UserScramCredential | None:
        """What a user proves; None: there is no such user."""
        return self._image().scram.get((user, mechanism))

    def of_token(self, mechanism: ScramMechanism, token_id: str) -> TokenLogin | None:
        """What a client proves that has a token; None: there is no such token."""
        tokens = self._image().access.tokens
        token = tokens.get(token_id)
        if token is None or self._key is None:
            return None
        credential = self._kept.get((token_id, mechanism))
        if credential is None:
            if len(self._kept) >= KEPT_MAX:
                self._kept = {name: each for name, each in self._kept.items() if name[0] in tokens}
            credential = self._credential(mechanism, token_id, self._key.proof(token_id))
            self._kept[token_id, mechanism] = credential
        owner = KafkaPrincipal.parse(token.owner).name
        return TokenLogin(credential, owner, token.expiration_timestamp / 1000)

    def _credential(
        self, mechanism: ScramMechanism, token_id: str, proof: bytes
    ) -> UserScramCredential:
        salt = self._rng.getrandbits(8 * SALT_BYTES).to_bytes(SALT_BYTES, "big")
        keys = mechanism.keys(mechanism.salted(password_of(proof), salt, ITERATIONS_LEAST))
        return UserScramCredential(
            name=token_id,
            mechanism=mechanism,
            salt=salt,
            stored_key=keys.stored,
            server_key=keys.server,
            iterations=ITERATIONS_LEAST,
        )
