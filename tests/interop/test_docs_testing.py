"""The examples of docs/testing-your-application.md run as they stand: tests by pytest."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "testing-your-application.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
TESTS = [text for text in EXAMPLES if "def test_" in text]
PROGRAMS = [text for text in EXAMPLES if "def test_" not in text]
PRINTED = ["3 partitions", "2 brokers", "True None"]
pytest_plugins = ["pytester"]


@pytest.mark.spec("T-01", "T-02")
def test_examples_of_tests_pass(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("PYTEST_PLUGINS", "spindle.pytest_plugin")
    pytester.makepyfile(**{f"test_{n}": text for n, text in enumerate(TESTS)})
    pytester.runpytest_subprocess("--strict-markers").assert_outcomes(passed=4)


@pytest.mark.spec("T-01", "T-02")
@pytest.mark.parametrize(("number", "printed"), [*enumerate(PRINTED)])
def test_examples_of_programs_run(
    number: int, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = compile(PROGRAMS[number], str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    done = eval(code, {})
    if inspect.isawaitable(done):

        async def run() -> None:
            await asyncio.wait_for(done, 120)

        asyncio.run(run())
    assert capsys.readouterr().out.startswith(printed)


def test_each_example_is_one_that_runs() -> None:
    assert len(TESTS) == 3
    assert len(PROGRAMS) == len(PRINTED)
