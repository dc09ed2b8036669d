"""What comes with an extra alone is not needed where the base install works."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
WITH_AN_EXTRA = (
    "spindle/cli/demo/demo_load.py",
    "spindle/cli/demo/story.py",
    "spindle/pytest_plugin.py",
)
"""Modules outside the pipeline that an extra, or pytest, brings to life: a command loads them when
it runs, and pytest its plugin."""


def _names(requirements: list[str]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9._-]+", text) for text in requirements)
    return {match[0].lower().replace("_", "-") for match in found if match}


def extra_packages() -> set[str]:
    """Import names of what only an extra installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    only = set().union(*(_names(extras[name]) for name in extras)) - {"spindle"}
    only -= _names(project["dependencies"])
    return {
        package
        for package, owners in packages_distributions().items()
        if {owner.lower().replace("_", "-") for owner in owners} & only
    }


def _top_level(tree: ast.Module) -> Iterator[str]:
    """Packages that a module imports when it is loaded (not within a function)."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
        pending.extend(ast.iter_child_nodes(node))


@pytest.mark.spec("N-07")
def test_rooms_of_the_base_need_no_extra() -> None:
    extras = extra_packages()
    assert {"pyspark", "pyarrow", "confluent_kafka", "grpc"} <= extras
    found = [
        f"{path.relative_to(SOURCE)} imports {package}"
        for path in sorted((SOURCE / "spindle").rglob("*.py"))
        if not path.relative_to(SOURCE).as_posix().startswith(("spindle/pipeline/", *WITH_AN_EXTRA))
        for package in _top_level(ast.parse(path.read_text()))
        if package in extras
    ]
    assert not found


BASE_ROOMS_OF_THE_PIPELINE = (
    "spindle.pipeline.execution",
    "spindle.pipeline.execution_values",
    "spindle.pipeline.proposal",
)
"""`balance apply`, `watch` and `cancel` work without Spark, and stand on these."""


@pytest.mark.spec("N-07")
def test_a_plan_is_carried_out_without_spark() -> None:
    extras = extra_packages()
    for module in BASE_ROOMS_OF_THE_PIPELINE:
        path = SOURCE / Path(*module.split(".")).with_suffix(".py")
        assert not extras & {*_top_level(ast.parse(path.read_text()))}, module
