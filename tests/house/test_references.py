"""What docs and docstrings name exists: paths, modules, commands, options, make verbs, links.

A reference is a word in backticks, or a line of a code block. `core/logdirs/move`, `wire/apis.Key`
and `node.handlers` are looked up below src/spindle, from any package on; paths that begin with a
folder of the repository as they stand. What else stands in backticks is left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.support import trees

from spindle.cli.app import COMMANDS
from spindle.cli.lazy_group import Later
from spindle.model.settings.table import NODE_SETTINGS

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "spindle"
GOALS = ROOT / "docs" / "behaviours.md"
"""Its rows may name what is still to be built."""
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES.remove(GOALS)
CODE = [
    path
    for top in ("src", "tests", "bench", "tools")
    for path in sorted((ROOT / top).rglob("*.py"))
]
TOPS = {"docs", "src", "tests", "bench", "tools", "operations"}
ROOMS = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
PARENTS: dict[str, list[Path]] = {}
"""Where a package of this name stands."""
for _init in sorted(PACKAGE.rglob("*/__init__.py")):
    PARENTS.setdefault(_init.parent.name, []).append(_init.parent.parent)
NO_CODE = {
    "client.properties",
    "client.rack",
    "node.log",
    "security.protocol",
    "spindle.log",
    "spindle.logdirs",
}
"""Files, Kafka's settings of clients and Spark's sources that look like Spindle's modules."""
TICKED = re.compile(r"`+([^`\n]+)`+")
SLASHED = re.compile(r"^[\w.*{},-]+(/[\w.*{},-]+)+/?$|^[a-z_]+/$")
DOTTED = re.compile(r"^[a-z_]+(\.\w+)+$")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def names_in(module: Path) -> frozenset[str]:
    """What a module defines or imports at its top."""
    found = set()
    for node in trees.nodes(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name)
    return frozenset(found)


def leads_somewhere(start: Path, steps: list[str]) -> bool:
    """Whether steps from a folder lead to a package, a module, or a name in one of these."""
    here = start
    for number, step in enumerate(steps):
        if (here / step).is_dir():
            here = here / step
            continue
        if (here / f"{step}.py").exists():
            rest = steps[number + 1 :]
            return not rest or rest == ["py"] or rest[0] in names_in(here / f"{step}.py")
        inside = here / "__init__.py"
        return inside.exists() and step in names_in(inside)
    return True


@cache
def exists(text: str) -> bool:
    """Whether a reference to code or to a file leads to something."""
    if text.partition("/")[0] in TOPS and any(ROOT.glob(text.rstrip("/"))):
        return True
    steps = [step for step in re.split(r"[/.]", text) if step]
    if steps[0] in ("spindle", "tests", "bench"):
        return leads_somewhere(ROOT / "src" if steps[0] == "spindle" else ROOT, steps)
    return any(leads_somewhere(start, steps) for start in PARENTS.get(steps[0], ()))


def code_references(text: str) -> Iterator[str]:
    """Words in backticks that can only mean a file or a piece of our code."""
    for match in TICKED.finditer(text):
        word = match[1].removesuffix("()")
        top = re.split(r"[/.]", word)[0]
        if SLASHED.match(word) and (top in TOPS or top in PARENTS):
            yield word
        elif DOTTED.match(word) and top in {*ROOMS, "spindle", "tests"}:
            yield from {word} - NO_CODE - NODE_SETTINGS.keys()


@cache
def docstrings(path: Path) -> list[str]:
    """All texts in triple quotes: docstrings, and what stands below constants."""
    return re.findall(r'"""(.*?)"""', path.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_docs_name_code_that_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [word for word in code_references(text) if not exists(word)] == []


def test_docstrings_name_code_that_exists() -> None:
    wrong = [
        f"{name(path)}: {word}"
        for path in CODE
        for text in docstrings(path)
        for word in code_references(text)
        if not exists(word)
    ]
    assert not wrong, "\n".join(wrong)


# --- commands and options ---------------------------------------------------------------------


@cache
def command(first: str) -> object | None:
    """A sub-command of `spindle`."""
    row = next((row for row in COMMANDS if row.name == first), None)
    return Later(*row).load() if row is not None else None


def options_of(part: object) -> set[str]:
    params = getattr(part, "params", ())
    return {option for param in params for option in (*param.opts, *param.secondary_opts)}


def spoken(text: str) -> Iterator[str]:
    """Command lines of `spindle`: in backticks, and in code blocks (after a prompt or not)."""
    for match in TICKED.finditer(text):
        if match[1].startswith("spindle "):
            yield match[1]
    yield from re.findall(r"^(?:\$ )?(spindle [a-z-].*)$", text, re.MULTILINE)


def mistakes(line: str) -> Iterator[str]:
    """What a command line names that does not exist."""
    words = [word.strip("\"'.,:") for word in re.split(r"[|>;)]|\s#", line)[0].split()][1:]
    part: object = None
    if words and words[0] not in ("--help", "--version", "COMMAND"):
        part = command(words[0])
        if part is None:
            yield f"{line}: no command {words[0]}"
            return
        words = words[1:]
    subs = getattr(part, "commands", None)
    if subs is not None and words and re.fullmatch(r"[a-z-]+(\|[a-z-]+)*", words[0]):
        if words[0] in subs:
            part = subs[words[0]]
        elif not words[0].startswith("-"):
            yield f"{line}: no command {words[0]}"
    for word in words:
        option = word.partition("=")[0]
        known = part is None or option in {*options_of(part), "--help", "-h"}
        if re.fullmatch(r"--?[a-z][a-z-]*", option) and not known:
            yield f"{line}: no option {option}"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=name)
def test_docs_name_commands_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [wrong for line in spoken(text) for wrong in mistakes(line)] == []


def test_docstrings_name_commands_that_exist() -> None:
    wrong = [
        f"{name(path)}: {found}"
        for path in CODE
        if path.is_relative_to(PACKAGE)
        for text in docstrings(path)
        for match in TICKED.finditer(text)
        if match[1].startswith("spindle ")
        for found in mistakes(match[1])
    ]
    assert not wrong


# --- the rest ---------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=name)
def test_links_verbs_and_modules_of_docs_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:", target):
            file, _, anchor = target.partition("#")
            path = (page.parent / file).resolve() if file else page
            assert path.exists(), f"{name(page)} links to {target}"
            assert not anchor or anchor in anchors(path), f"{name(page)} links to {target}"
    verbs = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z]+)", text, re.MULTILINE)) <= verbs
    for module in re.findall(r"python -m ((?:tests|bench|spindle)[\w.]*)", text):
        assert exists(module), f"{name(page)} runs {module}"


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in headings}


def test_decisions_are_numbered_shaped_alike_and_bound_to_a_law() -> None:
    records = sorted((ROOT / "docs" / "decisions").glob("*.md"), key=_number)
    laws = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert [_number(path) for path in records] == [*range(1, len(records) + 1)]
    for path in records:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {_number(path)}. "), name(path)
        assert f"(decisions/{path.name})" in laws, f"no law of architecture.md names {name(path)}"
        for part in ("Context", "Decision", "Consequences"):
            assert f"**{part}.**" in text, f"{name(path)} has no {part}"


def _number(path: Path) -> int:
    return int(path.name.partition("-")[0])


def test_hooks_run_locked_tools() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    tools = set(re.findall(r"entry: \.venv/bin/(\w+)", hooks))
    locked = set(re.findall(r"^([\w-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert {"ruff", "mypy", "pytest"} <= tools <= locked
    assert hooks.count("language: system") == hooks.count("- id:")


# --- these tests can fail ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "reference",
    ["core/logdirs/moved", "wire/apis.Kez", "node.groups.reloading", "tests/unit/no", "docs/no.md"],
)
def test_a_reference_that_leads_nowhere_is_found(reference: str) -> None:
    assert list(code_references(f"See `{reference}`.")) == [reference]
    assert not exists(reference)


@pytest.mark.parametrize(
    "line", ["spindle balanse", "spindle balance plans", "spindle up --broker 1", "spindle sim -x"]
)
def test_a_command_line_that_cannot_work_is_found(line: str) -> None:
    assert list(spoken(f"`{line}`")) == [line]
    assert len(list(mistakes(line))) == 1


IMPORTED = re.compile(r"^from (spindle(?:\.\w+)+) import (\([^)]*\)|[^\n#]+)", re.MULTILINE)
"""An import of Spindle in a program that is a text: in docs, or in a test that runs one."""


def imported(text: str) -> Iterator[tuple[str, str]]:
    """What programs in a text import: its own lines, and those of the strings in it.

    What stands in braces is put there when the program runs.
    """
    lines = re.sub(r"""\{[^\n]*\}|\\n|["']""", "\n", text)
    for module, names in IMPORTED.findall(lines):
        for one in re.findall(r"\w+", re.sub(r" as \w+|\n", " ", names.split(";")[0])):
            yield module, one


def test_programs_that_are_texts_import_what_exists() -> None:
    wrong = [
        f"{name(path)}: from {module} import {one}"
        for path in [*PAGES, *CODE]
        for module, one in imported(path.read_text(encoding="utf-8"))
        if not leads_somewhere(PACKAGE, [*module.split(".")[1:], one])
    ]
    assert wrong == []


@pytest.mark.parametrize(
    "text",
    [
        "from spindle.wire import apis, codec as c\n",
        "run('from spindle.wire import apis; import codec')\nrun('from spindle.wire import codec')",
        'run("import sys\\nfrom spindle.wire import apis, codec")',
        'run(\n    "import sys\\n"\n    "from spindle.wire import (apis,"\n    " codec)"\n)',
        'program = """\nfrom spindle.wire import (\n    apis,\n    codec,\n)\n"""',
    ],
)
def test_imports_of_a_program_are_found_wherever_it_stands(text: str) -> None:
    assert list(imported(text)) == [("spindle.wire", "apis"), ("spindle.wire", "codec")]
