"""`ssl.principal.mapping.rules`: from a certificate's distinguished name to a short one (KIP-371).

Rules are tried in order: `RULE:pattern/replacement/` with `L` or `U` for lower or upper case, or
`DEFAULT`, the name as it is. Pure. Called by `listener_tls`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from spindle.model.errors import Unusable
from spindle.model.kafka_principal import ANONYMOUS, USER, KafkaPrincipal
from spindle.security.distinguished_names import subject_of

SETTING: Final = "ssl.principal.mapping.rules"
_RULE: Final = r"(DEFAULT)|RULE:((?:\\.|[^\\/])*)/((?:\\.|[^\\/])*)/([LU]?).*?|.*?"
_SPLITTER: Final = re.compile(rf"\s*(?P<rule>{_RULE})\s*(?:,\s*|$)")
_PARSER: Final = re.compile(_RULE)
_REFERENCE: Final = re.compile(r"\\(?P<literal>.)|\$(?P<digits>\d+)|\\$|\$", re.S)


class SslPrincipalMapper:
    """The rules of one listener."""

    def __init__(self, rules: str) -> None:
        """Unusable where a rule cannot be read."""
        self._rules = [
            rule for found in _SPLITTER.finditer(rules.strip()) if (rule := _rule(found["rule"]))
        ]

    def name_of(self, distinguished: str) -> str | None:
        """The short name by the first rule that fits; None where none does."""
        found = (rule.apply(distinguished) for rule in self._rules)
        return next((name for name in found if name is not None), None)

    def principal_of(self, certificate: bytes | None) -> KafkaPrincipal | None:
        """A client's principal by its certificate (DER): ANONYMOUS without one.

        None where no rule fits, or the certificate's name cannot be read: it is not let in.
        """
        if certificate is None:
            return ANONYMOUS
        try:
            name = self.name_of(subject_of(certificate))
        except ValueError:
            return None
        return None if name is None else KafkaPrincipal(USER, name)


class _MappingRule:
    """One rule. Without a pattern the name stays as it is."""

    def __init__(self, pattern: str | None, replacement: str, case: str) -> None:
        self._pattern = None if pattern is None else re.compile(pattern)
        groups = 0 if self._pattern is None else self._pattern.groups
        self._pieces = list(_pieces(replacement, groups))
        self._case = case

    def apply(self, name: str) -> str | None:
        """The short name; None where the rule is not for this one."""
        if self._pattern is None:
            return name
        if self._pattern.fullmatch(name) is None:
            return None
        short = self._replaced_in(self._pattern, name)
        return {"L": short.lower(), "U": short.upper()}.get(self._case, short)

    def _replaced_in(self, pattern: re.Pattern[str], name: str) -> str:
        """Every match replaced; as in Java, the next one is sought behind an empty one."""
        done, at, found = 0, 0, []
        while at <= len(name) and (match := pattern.search(name, at)) is not None:
            found += [name[done : match.start()], self._replaced(match)]
            done = match.end()
            at = done if match[0] else done + 1
        return "".join(found) + name[done:]

    def _replaced(self, match: re.Match[str]) -> str:
        pieces = (match[piece] if isinstance(piece, int) else piece for piece in self._pieces)
        return "".join(piece or "" for piece in pieces)


def _rule(text: str) -> _MappingRule | None:
    """One rule from its text; None for an empty one, which is ignored."""
    match = _PARSER.match(text)
    if match is None or match.end() != len(text):
        raise Unusable(
            f"{SETTING}: {text!r} is no rule: write RULE:pattern/replacement/ (with L or U behind"
            " it for lower or upper case), or DEFAULT"
        )
    if match[1] is not None:
        return _MappingRule(None, "", "")
    if match[2] is None:
        return None
    try:
        return _MappingRule(match[2], match[3], match[4])
    except (re.error, ValueError) as error:
        raise Unusable(f"{SETTING}: {text!r} is no rule: {error}") from None


def _pieces(replacement: str, groups: int) -> Iterator[str | int]:
    """Texts, and numbers of groups of the pattern. As in Java, `\\` makes what follows plain.

    A reference to a group that the pattern lacks is plain text, unless the pattern has no groups.
    """
    at = 0
    for match in _REFERENCE.finditer(replacement):
        yield replacement[at : match.start()]
        at = match.end()
        if (literal := match["literal"]) is not None:
            yield literal
        elif (digits := match["digits"]) is not None:
            yield from _reference(digits, groups)
        else:
            raise ValueError(f"the replacement has a {match[0]!r} that begins nothing")
    yield replacement[at:]


def _reference(digits: str, groups: int) -> Iterator[str | int]:
    """As many digits count as there is a group for; the others are text."""
    known = [n for n in range(1, len(digits) + 1) if int(digits[:n]) <= groups]
    if not known and groups == 0:
        raise ValueError(f"the replacement has ${digits}, and the pattern has no groups")
    if not known:
        yield f"${digits}"
        return
    yield int(digits[: known[-1]])
    yield digits[known[-1] :]
