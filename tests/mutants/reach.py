"""Which tests run which lines, and how long each takes: a mutant is shown to no other tests.

As a plugin of pytest (`-p tests.mutants.reach`) it traces all tests once, each in a context of its
own. What a fixture runs counts for every test of its file, since others may share it.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

import coverage
from tests.mutants.kind import ROOT, SOURCE, Mutant
from tests.support.processes import tied

FOLDER = "SPINDLE_MUTANTS_REACH"
"""The variable that names the folder for what the plugin notes."""


@dataclass(frozen=True)
class Reach:
    """What one traced run of tests has shown. `folder`: where it was noted."""

    folder: Path

    @cached_property
    def seconds(self) -> dict[str, float]:
        """How long each test took, traced."""
        found: dict[str, float] = json.loads((self.folder / "seconds").read_text())
        return found

    @cached_property
    def _data(self) -> coverage.CoverageData:
        data = coverage.CoverageData(str(self.folder / "data"))
        data.read()
        return data

    @cached_property
    def _traced(self) -> frozenset[str]:
        """Tests and files of tests that have run any line of Spindle in this process."""
        return frozenset(self._data.measured_contexts())

    def tests_for(self, mutant: Mutant) -> list[str]:
        """The tests that can notice it, the quickest first.

        Lines outside of functions run at import: for them it is all tests. So is a test of which
        no line was traced: what it looks at runs in another process.
        """
        listed = [one for one in self.seconds if is_below(one, mutant.tests)]
        source = (SOURCE / mutant.path).read_text(encoding="utf-8")
        lines = changed_lines(source, mutant.applied())
        if lines <= lines_of_functions(source):
            by_line = self._data.contexts_by_lineno(str(SOURCE / mutant.path))
            reached = {context for line in lines for context in by_line.get(line, ())}
            if reached:
                listed = [
                    one
                    for one in listed
                    if {one, _file(one)} & reached or not {one, _file(one)} & self._traced
                ]
        return sorted(listed, key=lambda one: self.seconds[one])


def changed_lines(source: str, changed: str) -> frozenset[int]:
    """The source's lines that differ, counted from 1; where lines are only added, both neighbours
    of the place."""
    old, new = source.splitlines(), changed.splitlines()
    shorter = min(len(old), len(new))
    same = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    left = shorter - same
    tail = next((n for n in range(left) if old[-1 - n] != new[-1 - n]), left)
    first, last = same + 1, len(old) - tail
    if last < first:
        first, last = max(last, 1), first
    return frozenset(range(first, last + 1))


def lines_of_functions(source: str) -> frozenset[int]:
    """The lines of functions' bodies: those which only a call runs."""
    found: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.update(range(node.body[0].lineno, (node.end_lineno or 0) + 1))
    return frozenset(found)


def is_below(test: str, paths: Iterable[str]) -> bool:
    """Whether a test belongs to one of these files and folders."""
    return any(_file(test) == path or test.startswith(f"{path}/") for path in paths)


def _file(test: str) -> str:
    return test.partition("::")[0]


def reach(paths: Collection[str], folder: Path) -> Reach:
    """Trace the tests below these paths. RuntimeError where one of them fails."""
    command = [
        sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", __name__,
    ]  # fmt: skip
    environment = {**os.environ, FOLDER: str(folder), "PYTHONPATH": f"{SOURCE.parent}:{ROOT}"}
    done = subprocess.run(
        tied([*command, *outermost(paths)]),
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"tests fail without a mutant:\n{done.stdout[-4000:]}{done.stderr}")
    return Reach(folder)


def outermost(paths: Collection[str]) -> list[str]:
    """These paths without those that lie below others of them."""
    return sorted(p for p in paths if not any(p.startswith(f"{q}/") for q in paths))


class _Tracer:
    """The plugin of one traced run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._coverage = coverage.Coverage(
            data_file=str(folder / "data"), source=[str(SOURCE)], config_file=False
        )
        self._seconds: dict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        """What a fixture does belongs to the file."""
        return (yield from self._measured(item.nodeid, _file(item.nodeid)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """What a test does belongs to the test."""
        return (yield from self._measured(item.nodeid, item.nodeid))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        """What ends a fixture belongs to the file."""
        return (yield from self._measured(item.nodeid, _file(item.nodeid)))

    def _measured(self, test: str, context: str) -> Generator[None, None, None]:
        begun = time.monotonic()
        self._coverage.start()
        self._coverage.switch_context(context)
        try:
            yield
        finally:
            self._coverage.stop()
            self._seconds[test] += time.monotonic() - begun

    def pytest_sessionfinish(self) -> None:
        """Write down what was seen."""
        self._coverage.save()
        (self._folder / "seconds").write_text(json.dumps(self._seconds), encoding="utf-8")


class _Chosen:
    """The plugin of a mutant's run: these tests alone, in this order, each within its time."""

    def __init__(self, order: Sequence[tuple[str, float]]) -> None:
        self._order = {test: (n, limit) for n, (test, limit) in enumerate(order)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out all others."""
        others = [item for item in items if item.nodeid not in self._order]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item.nodeid in self._order]
        items.sort(key=lambda item: self._order[item.nodeid][0])
        for item in items:
            item.add_marker(pytest.mark.timeout(self._order[item.nodeid][1]), append=False)


def pytest_configure(config: pytest.Config) -> None:
    """Trace, or choose: as the folder says."""
    folder = Path(os.environ[FOLDER])
    order = folder / "order"
    if order.exists():
        config.pluginmanager.register(_Chosen(json.loads(order.read_text())))
    else:
        config.pluginmanager.register(_Tracer(folder))
