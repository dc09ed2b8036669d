"""Prints which rows of docs/behaviours.md have tests: `python -m tests.spec_table`.

It reads the tests' `spec` marks as text, so that nothing need be installed or started. A test is
wide if it uses, itself or through its fixtures and helpers, one of the things in `WIDE`: they start
processes or whole nodes with real sockets and real files. A test's folder says nothing of that.
"""

from __future__ import annotations

import ast
import re
import signal
from collections import defaultdict
from functools import cache
from pathlib import Path

from tests.support import trees

TESTS = Path(__file__).parent
BEHAVIOURS = TESTS.parent / "docs" / "behaviours.md"
WIDE = {
    "tests.support.apache_kafka": {"ApacheKafka", "run_tool"},
    "tests.support.commands": {"begin", "run"},
    "tests.support.directory_world": {"running"},
    "tests.support.hdfs": {"hdfs"},
    "tests.support.kafka_release": {"cluster_of"},
    "tests.support.kafkas_tests": {"run_class"},
    "tests.support.local": {"Local"},
    "tests.support.mixed": {"Mixed"},
    "tests.support.nursery": {"Nursery"},
    "tests.support.sasl_cluster": {"SaslCluster"},
    "tests.support.secured_kafka": {"SecuredKafka"},
    "tests.support.spark_cluster": {"SparkCluster"},
    "tests.support.spindle_cluster": {"SpindleCluster"},
    "spindle.runtime.local": {"LocalCluster"},
    "spindle.testing": {"cluster"},
    "os": {"fork"},
    "subprocess": {"Popen", "run"},
}
"""Modules, and the names in them whose use makes a test wide."""
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@cache
def ids() -> list[str]:
    """The ids of all rows of docs/behaviours.md, in order."""
    text = BEHAVIOURS.read_text(encoding="utf-8")
    return re.findall(r"^\| ([A-Z]\d*-\d\d) \| \S", text, re.MULTILINE)


@cache
def in_part() -> dict[str, str]:
    """What is not there yet of a row that has tests: the list at the end of the page."""
    text = BEHAVIOURS.read_text(encoding="utf-8").partition("\n## There in part\n")[2]
    return dict(re.findall(r"^- ([A-Z]\d*-\d\d): (.+)$", text, re.MULTILINE))


def marks(path: Path) -> list[tuple[str, str]]:
    """(id, test) for every `pytest.mark.spec(...)` of a test, or of its whole file (pytestmark)."""
    tree = _parsed(path)
    of_all = [
        id
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
        for id in _ids_in(node.value)
    ]
    found = []
    for node in trees.statements(tree):
        if isinstance(node, Function):
            own = [id for mark in node.decorator_list for id in _ids_in(mark)]
            inherited = of_all if node.name.startswith("test_") else []
            test = f"{path.relative_to(TESTS).as_posix()}::{node.name}"
            found += [(id, test) for id in dict.fromkeys([*own, *inherited])]
    return found


def _ids_in(node: ast.AST) -> list[str]:
    """The ids that the spec marks in an expression name."""
    return [
        str(argument.value)
        for mark in trees.nodes(node)
        if isinstance(mark, ast.Call)
        and isinstance(mark.func, ast.Attribute)  # Most calls are no marks, and unparsed slowly.
        and mark.func.attr == "spec"
        and ast.unparse(mark.func) == "pytest.mark.spec"
        for argument in mark.args
        if isinstance(argument, ast.Constant)
    ]


@cache
def table() -> dict[str, list[str]]:
    """Tests by id: the wide ones first."""
    by_id: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for id, test in marks(path):
            by_id[id].append(test)
    for tests in by_id.values():
        tests.sort(key=lambda test: not is_wide(test))
    return by_id


@cache
def is_wide(test: str) -> bool:
    """Whether a test (`folder/file.py::name`) starts processes or whole nodes."""
    file, _, name = test.partition("::")
    path = TESTS / file
    known = _definitions(path)
    todo, seen = [name], set[str]()
    while todo:
        word = todo.pop()
        if word in seen:
            continue
        seen.add(word)
        if word in _wide_names(path):
            return True
        for node, where in known.get(word, []):
            words = _words(node)
            if words & _wide_names(where):
                return True
            todo += words
    return False


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _definitions(path: Path) -> dict[str, list[tuple[ast.AST, Path]]]:
    """What a test of this file can reach by name: the file's own things, conftests' fixtures."""
    files = [path]
    folder = path.parent
    while TESTS in (folder, *folder.parents):
        files.append(folder / "conftest.py")
        folder = folder.parent
    found: dict[str, list[tuple[ast.AST, Path]]] = defaultdict(list)
    for file in files:
        for node in _parsed(file).body if file.exists() else ():
            if isinstance(node, Function):
                found[node.name].append((node, file))
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    found[ast.unparse(target)].append((node, file))
    return found


@cache
def _wide_names(path: Path) -> frozenset[str]:
    """The names by which a file knows what is wide: `Popen`, `subprocess.run`."""
    found = set()
    for node in trees.statements(_parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module in WIDE:
            found |= {a.asname or a.name for a in node.names if a.name in WIDE[node.module]}
        elif isinstance(node, ast.ImportFrom | ast.Import):
            prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                wide = WIDE.get(prefix + alias.name, set())
                found |= {f"{alias.asname or alias.name}.{name}" for name in wide}
    return frozenset(found)


@cache
def _words(node: ast.AST) -> frozenset[str]:
    """Every name that a definition uses, parameters (fixtures), attributes and strings of
    `usefixtures` and `getfixturevalue` included."""
    found = set()
    for part in trees.nodes(node):
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute):
            found.add(ast.unparse(part))
        elif isinstance(part, ast.arg):
            found.add(part.arg)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.add(part.value)
    return frozenset(found)


def main() -> None:
    """Print the table and the counts."""
    by_id = table()
    print("id        wide  all  (wide: starts processes or nodes with real sockets and files)")
    for id in ids():
        tests = by_id.get(id, [])
        wide = sum(map(is_wide, tests))
        more = " ..." if len(tests) > 3 else ""
        part = "  (in part)" if id in in_part() else ""
        print(f"{id:8}  {wide:4}  {len(tests):3}  {', '.join(tests[:3])}{more}{part}")
    have = [id for id in ids() if by_id.get(id)]
    narrow = [id for id in have if not any(map(is_wide, by_id[id]))]
    print(f"{len(have)} of {len(ids())} behaviours have tests, {len(in_part())} of them in part:")
    for id, lacking in in_part().items():
        print(f"  {id}: {lacking}")
    print(f"without any: {', '.join(id for id in ids() if id not in have) or 'none'}")
    print(f"only narrow ones: {', '.join(narrow) or 'none'}")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # As other programs do before `| head`.
    main()
