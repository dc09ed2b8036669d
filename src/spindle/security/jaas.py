"""One line of `sasl.jaas.config` as a value: the login module's class and its options.

    org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";

Pure. Called by `mechanisms`; no error quotes the line, because it holds passwords.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from spindle.model.errors import Unusable

SETTING: Final = "sasl.jaas.config"
_FLAGS: Final = ("required", "requisite", "sufficient", "optional")
_TOKEN: Final = re.compile(
    r"""\s+ | //[^\n]* | /\*.*?\*/
    | (?P<quoted> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
    | (?P<sign> [=;] )
    | (?P<word> [^\s=;"']+ )""",
    re.X | re.S,
)
_EXAMPLE: Final = (
    "write it as Kafka does: org.apache.kafka.common.security.scram.ScramLoginModule required "
    'username="NAME" password="...";'
)


@dataclass(frozen=True, slots=True)
class LoginModule:
    """What a line says. `name`: the last part of the class's name."""

    name: str
    options: Mapping[str, str] = field(repr=False)


def parse_jaas(text: str, setting: str = SETTING) -> LoginModule:
    """The one login module of a setting; Unusable says what is wrong, without the values."""
    tokens = _tokens(text, setting)
    if len(tokens) < 3 or tokens[-1] != ";" or tokens[1].lower() not in _FLAGS:
        raise Unusable(f"{setting} is no login module with a flag and options: {_EXAMPLE}")
    inner = tokens[2:-1]
    if ";" in inner:
        raise Unusable(f"{setting} has more than one login module: name the one that is meant")
    names, signs, values = inner[0::3], inner[1::3], inner[2::3]
    if len(inner) % 3 or any(sign != "=" for sign in signs):
        raise Unusable(f'{setting}: each option is written name="value": {_EXAMPLE}')
    return LoginModule(
        tokens[0].rpartition(".")[2],
        {name: _plain(value) for name, value in zip(names, values, strict=True)},
    )


def _tokens(text: str, setting: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unusable(f"{setting}: a quotation mark has no other: {_EXAMPLE}")
        if match.lastgroup is not None:
            found.append(match.group())
        at = match.end()
    return found


def _plain(value: str) -> str:
    """Without its quotes."""
    if value[:1] in ('"', "'"):
        return re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.S)
    return value
