"""The ACLs of a cluster, by id, and the ways to find those that speak of a resource.

Part of the cluster's image, which alone changes it. Used by the controller, which adds and removes
ACLs, and by `core.authorizer`, which asks for each request: so all is found by key, in as many
steps as there are different lengths of prefixes, and never by looking at all ACLs.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from spindle.model.acl import WILDCARD, AclBinding, AclFilter, AclResourceType, PatternType
from spindle.model.metadata_records import AccessControlEntry

Rules: TypeAlias = dict[str, Counter[AclBinding]]
"""The rules of one pattern by their principal, and how many ACLs say the same."""


class AclTable:
    """All ACLs."""

    def __init__(self, entries: Mapping[uuid.UUID, AccessControlEntry] | None = None) -> None:
        self.entries: dict[uuid.UUID, AccessControlEntry] = dict(entries or {})
        self.changes = 0
        """Rises with each change."""
        self._index: _Index | None = None

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, acl: AclBinding) -> bool:
        """Whether a rule is among them."""
        rules = self._indexed.rules(acl)
        return rules is not None and acl in rules.get(acl.principal, ())

    def add(self, entry: AccessControlEntry) -> None:
        """One more ACL, or another one in the place of the one with this id."""
        if entry.id in self.entries:
            self.remove(entry.id)
        self.entries[entry.id] = entry
        self.changes += 1
        if self._index is not None:
            self._index.add(entry.binding)

    def remove(self, id: uuid.UUID) -> None:
        """An ACL is gone; an id that is not there is a broken log: KeyError."""
        entry = self.entries.pop(id)
        self.changes += 1
        if self._index is not None:
            self._index.remove(entry.binding)

    def copy(self) -> AclTable:
        """A table that can be changed without changing this one."""
        return AclTable(self.entries)

    def found(self, wanted: AclFilter) -> Iterator[tuple[uuid.UUID, AclBinding]]:
        """The ACLs that a filter means, with their ids."""
        for id, entry in self.entries.items():
            acl = entry.binding
            if wanted.matches(acl):
                yield id, acl

    def about(self, kind: AclResourceType, name: str) -> Iterator[Rules]:
        """The rules of all patterns that a resource falls under."""
        return self._indexed.about(kind, name)

    def of_type(self, kind: AclResourceType) -> Iterator[Rules]:
        """The rules of all patterns of a type of resources."""
        return self._indexed.of_type(kind)

    @property
    def _indexed(self) -> _Index:
        if self._index is None:  # Copies for snapshots are never asked.
            self._index = _Index()
            for entry in self.entries.values():
                self._index.add(entry.binding)
        return self._index


class _Index:
    """Rules by the type, the kind and the name of their patterns."""

    def __init__(self) -> None:
        self._literal: dict[AclResourceType, dict[str, Rules]] = {}
        self._prefixed: dict[AclResourceType, dict[str, Rules]] = {}
        self._lengths: dict[AclResourceType, Counter[int]] = {}
        """How many prefixes have so many characters."""

    def rules(self, acl: AclBinding) -> Rules | None:
        return self._patterns(acl).get(acl.resource_name)

    def add(self, acl: AclBinding) -> None:
        patterns, name = self._patterns(acl), acl.resource_name
        if name not in patterns:
            patterns[name] = {}
            if acl.pattern_type is PatternType.PREFIXED:
                self._lengths.setdefault(acl.resource_type, Counter())[len(name)] += 1
        patterns[name].setdefault(acl.principal, Counter())[acl] += 1

    def remove(self, acl: AclBinding) -> None:
        patterns, name = self._patterns(acl), acl.resource_name
        rules = patterns[name]
        same = rules[acl.principal]
        same[acl] -= 1
        if same[acl]:
            return
        del same[acl]
        if not same:
            del rules[acl.principal]
        if not rules:
            del patterns[name]
            if acl.pattern_type is PatternType.PREFIXED:
                lengths = self._lengths[acl.resource_type]
                lengths[len(name)] -= 1
                if not lengths[len(name)]:
                    del lengths[len(name)]

    def about(self, kind: AclResourceType, name: str) -> Iterator[Rules]:
        literal = self._literal.get(kind, {})
        for exact in {name, WILDCARD}:
            if (rules := literal.get(exact)) is not None:
                yield rules
        prefixed = self._prefixed.get(kind, {})
        for length in self._lengths.get(kind, ()):
            if length <= len(name) and (rules := prefixed.get(name[:length])) is not None:
                yield rules

    def of_type(self, kind: AclResourceType) -> Iterator[Rules]:
        yield from self._literal.get(kind, {}).values()
        yield from self._prefixed.get(kind, {}).values()

    def _patterns(self, acl: AclBinding) -> dict[str, Rules]:
        prefixed = acl.pattern_type is PatternType.PREFIXED
        return (self._prefixed if prefixed else self._literal).setdefault(acl.resource_type, {})
