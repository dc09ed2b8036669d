"""Sizes and words: lines, functions, files, docstrings; what the project may not speak of."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.support import trees
from tests.support.processes import tied

ROOT = Path(__file__).parents[2]
WIRE = ROOT / "src" / "spindle" / "wire"
GENERATED = (WIRE / "messages", WIRE / "record_codecs")
SOURCES = sorted(p for p in (ROOT / "src").rglob("*.py") if p.parent not in GENERATED)
TOPS = ("tests", "bench", "tools")
ALL = SOURCES + [path for top in TOPS for path in sorted((ROOT / top).rglob("*.py"))]
HANDLERS = sorted((ROOT / "src" / "spindle" / "node" / "handlers").glob("[a-z]*.py"))
LINE_MAX, FUNCTION_MAX, FILE_MAX, HANDLER_MAX = 100, 70, 500, 99
TABLES = {"src/spindle/model/config.py"}
"""Files that are one table; long because the table is."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(tree: ast.AST) -> list[Function]:
    return [n for n in trees.statements(tree) if isinstance(n, Function)]


def body_lines(function: Function) -> int:
    body = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    if not body:
        return 0
    return (function.end_lineno or 0) - body[0].lineno + 1


def test_lines_functions_and_files_stay_small() -> None:
    assert [complaint for path in ALL for complaint in too_large(path)] == []


def too_large(path: Path) -> Iterator[str]:
    """What of a file is longer than it may be."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_MAX:
            yield f"{name(path)}:{number} has {len(line)} characters"
    if name(path) not in TABLES and len(lines) > FILE_MAX:
        yield f"{name(path)} has {len(lines)} lines"
    for function in functions(ast.parse(text)):
        size = body_lines(function)
        if size > FUNCTION_MAX:
            yield f"{name(path)}:{function.name} has {size} lines"


def test_a_handler_only_reads_and_writes() -> None:
    """So it is short: its code, without what its head tells of the versions, and its imports."""
    for path in HANDLERS:
        body = ast.parse(path.read_text(encoding="utf-8")).body
        head = [n for n in body if isinstance(n, ast.Import | ast.ImportFrom | ast.Expr | ast.If)]
        first = head[-1].end_lineno if head else 0
        size = (body[-1].end_lineno or 0) - (first or 0)
        assert size <= HANDLER_MAX, f"{name(path)} has {size} lines of code"


def test_every_public_thing_is_documented() -> None:
    assert [f"{name(path)}: {what}" for path in SOURCES for what in undocumented(path)] == []


def undocumented(path: Path) -> Iterator[str]:
    """The public things of a module that do not say what they are for."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not ast.get_docstring(tree):
        yield "the module"
    scopes: list[ast.AST] = [tree]
    scopes += [n for n in tree.body if isinstance(n, ast.ClassDef) and n.name[0] != "_"]
    for scope in scopes:
        for node in getattr(scope, "body", []):
            public = isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_")
            if public and not _is_setter(node) and not ast.get_docstring(node):
                yield node.name


def _is_setter(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any(isinstance(d, ast.Attribute) and d.attr == "setter" for d in decorators)


def tracked_files() -> list[Path]:
    out = subprocess.run(
        tied(["git", "ls-files"]), cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / line for line in out.stdout.splitlines() if (ROOT / line).is_file()]


FORBIDDEN = re.compile(r"(?<![\w.])/(?:work|root)/|\bTODO\b|\bFIXME\b|\bXXX\b")


def test_the_project_speaks_of_itself_alone() -> None:
    this = Path(__file__)
    for path in tracked_files():
        if path == this or path.suffix in {".bin", ".log", ".checkpoint", ".index", ".timeindex"}:
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found = FORBIDDEN.search(text)
        assert found is None, f"{name(path)} says {found.group() if found else ''!r}"


def test_every_makefile_verb_describes_itself() -> None:
    text = (ROOT / "Makefile").read_text()
    phony = re.search(r"^\.PHONY: (.*)$", text, re.M)
    assert phony
    verbs = phony.group(1).split()
    assert len(verbs) <= 10, verbs
    for verb in verbs:
        assert re.search(rf"^{verb}:.*## \w", text, re.M), f"make {verb} does not describe itself"
