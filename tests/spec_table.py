"""Prints which behaviours of the specification have tests: `python -m tests.spec_table`.

Reads the tests' `spec` marks as text, so that it needs nothing to be installed or started.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROWS = {"K113": 30, "K858": 20, "K589": 5, "P": 12, "B": 28}
TESTS = Path(__file__).parent
WIDE = ("interop", "pipeline")
"""Folders whose tests go through real sockets and files, most of them through processes."""


def ids() -> list[str]:
    """All ids of the specification, in order."""
    return [f"{group}-{n:02}" for group, count in ROWS.items() for n in range(1, count + 1)]


def marks(path: Path) -> list[tuple[str, str]]:
    """(id, test) for every `@pytest.mark.spec(...)` in a file."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.spec":
                for argument in mark.args:
                    if isinstance(argument, ast.Constant):
                        test = f"{path.relative_to(TESTS).as_posix()}::{node.name}"
                        found.append((str(argument.value), test))
    return found


def table() -> dict[str, list[str]]:
    """Tests by id: those through real sockets and files first."""
    by_id: dict[str, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for id, test in marks(path):
            by_id[id].append(test)
    for tests in by_id.values():
        tests.sort(key=lambda test: not is_wide(test))
    return by_id


def is_wide(test: str) -> bool:
    """Whether a test goes through real sockets and files."""
    return test.startswith(WIDE)


def main() -> None:
    """Print the table and the counts."""
    by_id = table()
    print("id        wide  all  (wide: through real sockets and files)")
    for id in ids():
        tests = by_id.get(id, [])
        wide = sum(map(is_wide, tests))
        more = " ..." if len(tests) > 3 else ""
        print(f"{id:8}  {wide:4}  {len(tests):3}  {', '.join(tests[:3])}{more}")
    have = [id for id in ids() if by_id.get(id)]
    narrow = [id for id in have if not any(map(is_wide, by_id[id]))]
    print(f"{len(have)} of {len(ids())} behaviours have tests")
    print(f"only narrow ones: {', '.join(narrow) or 'none'}")


if __name__ == "__main__":
    main()
