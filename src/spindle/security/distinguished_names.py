"""The subject of a certificate as Java writes it: what ACLs and mapping rules are written for.

`X500Principal.getName()`, that is RFC 2253: the last part first, nine short names, any other kind
of part by its number with its value in hexadecimal. Pure. Called by `ssl_principal_mapper`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from asn1crypto.x509 import Certificate, NameTypeAndValue

KEYWORDS: Final = {
    "2.5.4.3": "CN",
    "2.5.4.6": "C",
    "2.5.4.7": "L",
    "2.5.4.8": "ST",
    "2.5.4.9": "STREET",
    "2.5.4.10": "O",
    "2.5.4.11": "OU",
    "0.9.2342.19200300.100.1.1": "UID",
    "0.9.2342.19200300.100.1.25": "DC",
}
_ESCAPED: Final = frozenset(',=+<>#;"\\')
REMEMBERED: Final = 1024
"""Certificates whose names are remembered: clients come again and again."""


@lru_cache(REMEMBERED)
def subject_of(certificate: bytes) -> str:
    """The subject's distinguished name of a certificate in DER; ValueError where it is none."""
    parts = Certificate.load(certificate).subject.chosen
    return ",".join("+".join(map(_part, _ordered(part))) for part in reversed(list(parts)))


def _ordered(part: object) -> list[NameTypeAndValue]:
    """The attributes of one part, as they stand in the certificate."""
    assert hasattr(part, "__iter__")
    return list(part)


def _part(attribute: NameTypeAndValue) -> str:
    number = attribute["type"].dotted
    keyword = KEYWORDS.get(number)
    value = attribute["value"]
    text = value.native
    if keyword is None or not isinstance(text, str):
        return f"{number}=#{value.dump().hex()}"
    return f"{keyword}={_escaped(text)}"


def _escaped(text: str) -> str:
    """RFC 2253, 2.4, with Java's choice of characters."""
    inner = text.strip(" ")
    before = len(text) - len(text.lstrip(" ")) if inner else len(text)
    after = len(text) - before - len(inner)
    plain = "".join("\\00" if c == "\0" else f"\\{c}" if c in _ESCAPED else c for c in inner)
    return "\\ " * before + plain + "\\ " * after
