"""Docs, messages, docstrings, comments and names of tests are plain English: no word of the list.

Write short sentences with an actor, and repeat the noun: "the broker reports the failure", not
"this is reported". The glossary has the terms; this list has what readers stop at.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.support import trees

ROOT = Path(__file__).parents[2]
BANNED = {
    "who": "name the part; a relative clause has that",
    "whoever": "name the part or the person",
    "whomever": "name the part or the person",
    "nobody": "no broker, no client, no one",
    "somebody": "another command, another client",
    "everybody": "each voter, all clients",
    "anybody": "any client",
    "anew": "again",
    "shall": "must, will",
    "told": "reported, known to, said by",
    "hitherto": "before",
    "thereby": "so",
    "wish": "effect, order",
    "wishes": "effects, orders",
    "letters": "messages",
    "of ours": "Spindle's",
    "of theirs": "Apache Kafka's",
    "lets go of": "closes, releases",
    "taken up again": "resumed",
    "takes up again": "resumes",
}
"""Words that docs and messages do not use, and what to write instead."""
WORDS = re.compile(rf"\b({'|'.join(BANNED)})\b", re.IGNORECASE)
SIGNS = re.compile(
    rf"\b({'|'.join(BANNED)})\b".replace(" ", r"""\W+(?:[bfr]{1,2}["'])?"""), re.IGNORECASE
)
"""A file without any of them, be it in two strings or lines, needs no closer look."""
PAGES = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
SRC = ROOT / "src" / "spindle"
MODULES = sorted(SRC.rglob("*.py"))
OTHERS = [p for top in ("tests", "bench", "tools") for p in sorted((ROOT / top).rglob("*.py"))]
"""The modules that are not part of the package; the names of their functions are prose, too."""
QUOTES = {ROOT / "tests" / "mutants", Path(__file__)}
"""Whose texts quote code of the package, or this list."""
DEFINED = re.compile(r"\s*(?:async\s+)?(?:def|class)\s+(\w+)")
TEMPLATES = sorted((SRC / "cli" / "templates").glob("*.j2"))


def prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a page outside of code blocks, without what stands in backticks."""
    block = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            block = not block
        elif not block and not line.startswith("| **"):  # A row of the glossary names them.
            yield number, re.sub(r"`[^`]*`|\"[^\"]*\"", "", line)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_pages_are_plain(page: Path) -> None:
    found = [
        f"{name(page)}:{number}: {match[0]!r}: {BANNED[match[0].lower()]}"
        for number, line in prose(page.read_text(encoding="utf-8"))
        for match in WORDS.finditer(line)
    ]
    assert not found, "\n".join(found)


def words_of(name: str) -> str:
    """A name of code as a line of words: `a_node` and `ANode` are "a node" and "A Node"."""
    return re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", name)


@cache
def suspects() -> list[Path]:
    """The modules of the package with a word that may be one of the list."""
    return [path for path in MODULES if SIGNS.search(path.read_text(encoding="utf-8"))]


@cache
def other_suspects() -> list[Path]:
    """The other modules with such a word, be it within a name."""
    return [path for path in OTHERS if SIGNS.search(words_of(path.read_text(encoding="utf-8")))]


def complaints(module: Path, lines: Iterable[tuple[int, str]]) -> Iterator[str]:
    """What lines of a module have of the list."""
    for number, text in lines:
        for match in WORDS.finditer(text):
            yield f"{name(module)}:{number}: {match[0]!r}: {BANNED[match[0].lower()]}"


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """Texts that a command may print: strings with a space, and docstrings of commands (help)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = set()
    every = trees.nodes(tree)
    for node in every:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            docstrings.add(node.value)
        if isinstance(node, ast.FunctionDef) and is_command(node):
            yield node.lineno, ast.get_docstring(node) or ""
    for node in every:
        text = node.value if isinstance(node, ast.Constant) and node not in docstrings else None
        if isinstance(text, str) and " " in text:
            yield getattr(node, "lineno", 0), text


def is_command(function: ast.FunctionDef) -> bool:
    """Whether a function's docstring is a `--help` text: its parameters are options."""
    notes = [ast.unparse(a.annotation) for a in function.args.args if a.annotation]
    return any("typer." in note or note in ("AsJson", "Bootstrap") for note in notes)


def test_messages_and_help_are_plain() -> None:
    found = [line for module in suspects() for line in complaints(module, messages(module))]
    assert not found, "\n".join(found)


def test_texts_of_tests_and_tools_are_plain() -> None:
    found = [
        line
        for module in other_suspects()
        if not QUOTES & {module, module.parent}
        for line in complaints(module, messages(module))
    ]
    assert not found, "\n".join(found)


def explanations(path: Path) -> Iterator[tuple[int, str]]:
    """Docstrings and comments of a module, without what stands in backticks."""
    source = path.read_text(encoding="utf-8")
    for node in trees.statements(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.lineno, re.sub(r"`[^`]*`", "", str(node.value.value))
    if not any("#" in line and SIGNS.search(line) for line in source.splitlines()):
        return  # Tokens are read slowly.
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], re.sub(r"`[^`]*`", "", token.string)


def test_docstrings_and_comments_are_plain() -> None:
    found = [
        line
        for module in suspects() + other_suspects()
        for line in complaints(module, explanations(module))
    ]
    assert not found, "\n".join(found)


def names(path: Path) -> Iterator[tuple[int, str]]:
    """The names of functions and classes, as words."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if (found := DEFINED.match(line)) is not None:
            yield number, words_of(found[1])


def test_names_of_tests_and_helpers_are_plain() -> None:
    found = [line for module in other_suspects() for line in complaints(module, names(module))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("page", TEMPLATES, ids=name)
def test_pages_of_commands_are_plain(page: Path) -> None:
    found = [f"{name(page)}: {m[0]!r}" for m in WORDS.finditer(page.read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "It is told.",
        "Whoever asks",
        "a broker of ours",
        words_of("test_who_x"),
        words_of("NobodyX"),
    ],
)
def test_a_word_of_the_list_is_found(text: str) -> None:
    assert WORDS.search(text)
