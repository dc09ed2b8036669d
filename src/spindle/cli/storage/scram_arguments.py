"""`--add-scram` of `storage format`: users that may log in from the first moment (KIP-900).

    SCRAM-SHA-256=[name=alice,password=...]
    SCRAM-SHA-512=[name="alice",iterations=8192,salt="BASE64",saltedpassword="BASE64"]

The syntax and the refusals are Apache Kafka's; `@FILE` stands for the lines of a file, so that a
secret need not be an argument, which other users of a machine can read. No refusal shows a secret.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from spindle.model.errors import Unusable
from spindle.model.metadata_records import UserScramCredential
from spindle.model.scram import ITERATIONS_LEAST, ITERATIONS_MOST, SCRAM_BY_NAME, ScramMechanism

SALT_BYTES: Final = 32
_KNOWN: Final = frozenset(("name", "salt", "iterations", "password", "saltedpassword"))


def scram_records(arguments: Sequence[str]) -> list[UserScramCredential]:
    """The records that a metadata log begins with; Unusable says what is wrong with one."""
    return [_record(argument) for given in arguments for argument in _lines(given)]


def _lines(given: str) -> Iterator[str]:
    if not given.startswith("@"):
        yield given.strip()
        return
    try:
        text = Path(given[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Unusable(f"--add-scram {given}: {why}") from None
    yield from filter(None, (line.strip() for line in text.splitlines()))


def _record(argument: str) -> UserScramCredential:
    title, equals, rest = argument.partition("=")
    if not equals:
        raise Unusable("Failed to find equals sign in SCRAM argument: write MECHANISM=[name=...]")
    mechanism = SCRAM_BY_NAME.get(title)
    if mechanism is None:
        raise Unusable(f"The add-scram mechanism {title} is not supported.")
    if not rest.startswith("["):
        raise Unusable("Expected configuration string to start with [")
    if not rest.endswith("]"):
        raise Unusable("Expected configuration string to end with ]")
    parts = dict(_part(part) for part in rest[1:-1].split(","))
    name = parts.get("name")
    if name is None:
        raise Unusable("You must supply 'name' to add-scram")
    iterations = _iterations(parts.get("iterations"), title)
    salt = _decoded("salt", parts["salt"]) if "salt" in parts else None
    salted = _given_salted(parts)
    # As in Kafka: what a password makes needless is unknown beside it.
    unknown = sorted(parts.keys() - (_KNOWN - {"saltedpassword"} if salted is None else _KNOWN))
    if unknown:
        raise Unusable(f"Unknown SCRAM configurations: {', '.join(unknown)}")
    salt = salt if salt is not None else secrets.token_bytes(SALT_BYTES)
    if salted is None:
        salted = mechanism.salted(parts["password"], salt, iterations)
    return _of(name, mechanism, salt, salted, iterations)


def _of(
    name: str, mechanism: ScramMechanism, salt: bytes, salted: bytes, iterations: int
) -> UserScramCredential:
    keys = mechanism.keys(salted)
    return UserScramCredential(
        name=name,
        mechanism=mechanism,
        salt=salt,
        stored_key=keys.stored,
        server_key=keys.server,
        iterations=iterations,
    )


def _part(part: str) -> tuple[str, str]:
    name, equals, value = part.partition("=")
    if not equals:
        raise Unusable("No equals sign found in SCRAM component: write name=value,name=value")
    if len(value) >= 2 and value.startswith('"') and value.endswith('"'):
        value = value[1:-1]
    return name, value


def _given_salted(parts: dict[str, str]) -> bytes | None:
    """The salted password where it is given in the password's place."""
    if "password" in parts:
        return None
    if "saltedpassword" not in parts:
        raise Unusable("You must supply one of 'password' or 'saltedpassword' to add-scram")
    if "salt" not in parts:
        raise Unusable("You must supply 'salt' with 'saltedpassword' to add-scram")
    return _decoded("saltedPassword", parts["saltedpassword"])


def _iterations(text: str | None, title: str) -> int:
    if text is None:
        return ITERATIONS_LEAST
    try:
        count = int(text)
    except ValueError:
        raise Unusable(f"Failed to parse iterations count: {text}") from None
    if count < ITERATIONS_LEAST:
        raise Unusable(
            f"The 'iterations' value must be >= {ITERATIONS_LEAST} for add-scram using {title}"
        )
    if count > ITERATIONS_MOST:
        raise Unusable(
            f"The 'iterations' value must be <= {ITERATIONS_MOST} for add-scram using {title}"
        )
    return count


def _decoded(what: str, text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Unusable(f"Failed to decode given {what}: it is not base64") from None
