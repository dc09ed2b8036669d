"""No module needs another that needs it, be it for its types alone; few see a whole broker."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.support import trees

SOURCE = Path(__file__).parents[2] / "src"
BROKER = "spindle.node.broker"
MAY_SEE_IT = (
    "spindle.node.node",
    "spindle.node.handlers",
    "spindle.node.authorization",
    "spindle.node.parted",
    "spindle.sim",
)
"""The handlers of requests and their table, the checks before them, what composes the node, what
looks from outside."""


@cache
def paths() -> dict[str, Path]:
    """Spindle's modules, and where they are written."""
    return {
        ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sorted((SOURCE / "spindle").rglob("*.py"))
    }


@cache
def imports(module: str) -> frozenset[str]:
    """Spindle's modules that a module imports, anywhere in it, for whatever reason."""
    return frozenset(_imports(module))


def _imports(module: str) -> Iterator[str]:
    for node in trees.statements(ast.parse(paths()[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in paths())
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found = inner if inner in paths() else str(node.module)
                if found in paths():
                    yield found


def test_imports_make_no_circle() -> None:
    graph = {module: sorted(imports(module) - {module}) for module in paths()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_only_the_top_of_the_node_sees_a_whole_broker() -> None:
    seen = [module for module in paths() if BROKER in imports(module)]
    assert "spindle.node.node" in seen
    others = [m for m in seen if not m.startswith(tuple(MAY_SEE_IT))]
    assert others == []
