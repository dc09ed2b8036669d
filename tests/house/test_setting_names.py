"""Every setting that our code asks for exists and has the type that is asked for; and every one
that counts as honoured is asked for somewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

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


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in SOURCES.rglob("*.py"):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def asked() -> Iterator[tuple[str, str, str]]:
    """(accessor, setting, where) of every call with a literal name that has a dot."""
    for path, tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                name = node.args[0]
                text = name.value if isinstance(name, ast.Constant) else None
                if node.func.attr in KINDS and isinstance(text, str) and "." in text:
                    yield node.func.attr, text, f"{path.name}:{node.lineno}"


def rows(name: str) -> list[Setting]:
    return [table[name] for table in (NODE_SETTINGS, TOPIC_SETTINGS) if name in table]


@pytest.mark.spec("N-01")
def test_every_setting_that_is_asked_for_exists_with_this_type() -> None:
    calls = list(asked())
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
    texts = {
        node.value
        for path, tree in trees()
        if path.relative_to(SOURCES).parts[:2] != ("model", "settings")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    through = {row.broker for row in TOPIC_SETTINGS.values() if row.status is Status.HONOURED}
    through |= {other for row in NODE_SETTINGS.values() for other, _ in row.unset}
    honoured = [
        row.name
        for row in (*NODE_SETTINGS.values(), *TOPIC_SETTINGS.values())
        if row.status is Status.HONOURED
    ]
    assert [name for name in honoured if name not in texts | through] == []
