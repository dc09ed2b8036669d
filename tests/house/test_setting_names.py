"""Every setting that our code asks for exists and has the type that is asked for; and every one
that counts as honoured is asked for somewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.support import trees

from spindle.model.settings.setting import Kind, Setting, Status
from spindle.model.settings.table import NODE_SETTINGS, TOPIC_SETTINGS

SOURCES = Path(__file__).parents[2] / "src" / "spindle"
NUMBERS = {Kind.INT, Kind.SHORT, Kind.LONG}
KINDS = {
    "flag": {Kind.BOOLEAN},
    "whole": NUMBERS,
    "find_whole": NUMBERS,
    "seconds": NUMBERS,
    "number": {Kind.DOUBLE},
    "word": {Kind.STRING, Kind.CLASS, Kind.PASSWORD},
    "find_word": {Kind.STRING, Kind.CLASS, Kind.PASSWORD},
    "names": {Kind.LIST},
}
UNSET = {"find_whole", "find_word", "names"}
"""Accessors of what may be unset."""


class Asked(NamedTuple):
    """What the code asks of its settings."""

    calls: list[tuple[str, str, str]]
    """(accessor, setting, where) of every call with a literal name that has a dot."""
    texts: set[str]
    """All texts outside of the tables of settings."""


@cache
def asked() -> Asked:
    """Read once, for all tests of this file."""
    found = Asked([], set())
    for path in SOURCES.rglob("*.py"):
        in_table = path.relative_to(SOURCES).parts[:2] == ("model", "settings")
        for node in trees.nodes(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                found.calls.extend(_asked_by(node, path))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not in_table:
                found.texts.add(node.value)
    return found


def _asked_by(call: ast.Call, path: Path) -> Iterator[tuple[str, str, str]]:
    if isinstance(call.func, ast.Attribute) and call.func.attr in KINDS and call.args:
        name = call.args[0]
        text = name.value if isinstance(name, ast.Constant) else None
        if isinstance(text, str) and "." in text:
            yield call.func.attr, text, f"{path.name}:{call.lineno}"


def rows(name: str) -> list[Setting]:
    return [table[name] for table in (NODE_SETTINGS, TOPIC_SETTINGS) if name in table]


@pytest.mark.spec("N-01")
def test_every_setting_that_is_asked_for_exists_with_this_type() -> None:
    calls = asked().calls
    assert len(calls) > 80
    wrong = [
        call
        for call in calls
        if not any(
            row.kind in KINDS[call[0]]
            and row.status is not Status.NO_EFFECT
            and (row.default is not None or row.unset or call[0] in UNSET)
            for row in rows(call[1])
        )
    ]
    assert not wrong


@pytest.mark.spec("N-01")
def test_every_setting_that_is_honoured_is_read_somewhere() -> None:
    through = {row.broker for row in TOPIC_SETTINGS.values() if row.status is Status.HONOURED}
    through |= {other for row in NODE_SETTINGS.values() for other, _ in row.unset}
    honoured = [
        row.name
        for row in (*NODE_SETTINGS.values(), *TOPIC_SETTINGS.values())
        if row.status is Status.HONOURED
    ]
    assert [name for name in honoured if name not in asked().texts | through] == []
