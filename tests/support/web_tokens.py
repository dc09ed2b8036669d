"""An OAuth provider of the tests: signs tokens, and publishes its keys in a file."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

SECRET = "a secret that both sides would have to know"
ISSUER, AUDIENCE = "https://provider.test", "kafka"


class TokenProvider:
    """Two keys, of RSA and of an elliptic curve."""

    def __init__(self, prefix: str = "") -> None:
        self._rsa = rsa.generate_private_key(65537, 2048)
        self._curve = ec.generate_private_key(ec.SECP256R1())
        self._prefix = prefix

    def keys(self) -> str:
        """Its JSON Web Key Set."""
        own = RSAAlgorithm.to_jwk(self._rsa.public_key(), as_dict=True)
        curve = ECAlgorithm.to_jwk(self._curve.public_key(), as_dict=True)
        return json.dumps(
            {
                "keys": [
                    {**own, "kid": f"{self._prefix}rsa", "use": "sig"},
                    {**curve, "kid": f"{self._prefix}curve"},
                ]
            }
        )

    def publish(self, path: Path) -> str:
        """Write the keys to a file; its address."""
        path.write_text(self.keys())
        return path.as_uri()

    def token(self, user: str = "ann", life: float = 600, **claims: Any) -> str:
        """A token; a claim that is None is left out, `alg` and `kid` are the header's."""
        now = time.time()
        algorithm = claims.pop("alg", "RS256")
        kid = claims.pop("kid", f"{self._prefix}rsa")
        said = {
            "sub": user, "iat": int(now), "exp": int(now + life), "iss": ISSUER, "aud": AUDIENCE,
            **claims,
        }  # fmt: skip
        return jwt.encode(
            {name: value for name, value in said.items() if value is not None},
            self._key_of(algorithm),
            algorithm=algorithm,
            headers={} if kid is None else {"kid": kid},
        )

    def _key_of(self, algorithm: str) -> Any:
        return {"RS256": self._rsa, "ES256": self._curve, "none": None}.get(algorithm, SECRET)


def first_message(token: str, authzid: str = "") -> bytes:
    """A client's message with a token."""
    head = f"n,{f'a={authzid}' if authzid else ''},"
    return f"{head}\x01auth=Bearer {token}\x01\x01".encode()
