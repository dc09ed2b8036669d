"""Log lines name things alike: `reason=` is a sentence, `error=` is Kafka's name of an error.

So `grep reason=` finds each cause in a broker's log.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import trees

SRC = Path(__file__).parents[2] / "src" / "spindle"
LEVELS = {"debug", "info", "warning", "error", "exception"}
SIGNS = re.compile(rf"\.say\(|\blog\.({'|'.join(sorted(LEVELS))})\(")
"""A source without any of these writes no log line, and is not parsed."""
SAME_AS_REASON = {"why", "cause", "said", "message", "warning", "detail", "exception"}


def fields(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, name and value of each field of each log line that a module writes."""
    for node in trees.nodes(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and logs(node.func):
            for field in node.keywords:
                if field.arg is not None:
                    yield field.value.lineno, field.arg, ast.unparse(field.value)


def logs(function: ast.Attribute) -> bool:
    owner = function.value
    return function.attr == "say" or (
        function.attr in LEVELS and isinstance(owner, ast.Name) and owner.id == "log"
    )


def wrong(source: str) -> list[str]:
    return [
        f"{line}: {name}={value}"
        for line, name, value in fields(source)
        if name in SAME_AS_REASON or (name == "error" and not names_an_error(value))
    ]


def names_an_error(value: str) -> bool:
    return value.endswith(".name") or value.startswith("error_name(")


def test_a_cause_is_a_reason_and_an_error_has_kafkas_name() -> None:
    found = [
        f"{path.relative_to(SRC)}:{one}"
        for path in sorted(SRC.rglob("*.py"))
        if SIGNS.search(text := path.read_text(encoding="utf-8"))
        for one in wrong(text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    ['out.say("info", "x", why=a)', 'log.error("x", error=str(e))', 'log.info("x", error=int(e))'],
)
def test_another_field_is_found(line: str) -> None:
    assert wrong(line)
    assert SIGNS.search(line)


def test_the_two_fields_are_allowed() -> None:
    assert not wrong('out.say("info", "x", reason=str(e), error=error_name(code))')
