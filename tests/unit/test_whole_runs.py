"""A run of all tests is whole: what it needs and does not find is a failure, nothing is skipped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support import amounts
from tests.support.processes import tied
from tests.support.real_disks import cannot

ROOT = Path(__file__).parents[2]
NEEDS_JARS = "tests/interop/test_kafkas_own_tests.py::test_log_dirs_command"


def without_ci(**more: str) -> dict[str, str]:
    ours = {"CI", amounts.QUICK, amounts.MANY}
    return {name: value for name, value in os.environ.items() if name not in ours} | more


def test_missing_jars_of_apache_kafka_fail_the_tests_that_need_them(tmp_path: Path) -> None:
    verdicts = tmp_path / "verdicts.json"
    options = ["-q", "-p", "no:cacheprovider", "--verdicts", str(verdicts)]
    done = subprocess.run(
        tied([sys.executable, "-m", "pytest", *options, NEEDS_JARS]),
        cwd=ROOT, env=without_ci(SPINDLE_KAFKA_JARS=str(tmp_path)), capture_output=True, text=True,
        timeout=250, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert f"$SPINDLE_KAFKA_JARS={tmp_path} lacks one of kafka_2.13" in done.stdout
    assert "skipped" not in done.stdout
    assert json.loads(verdicts.read_text()) == {"late": [], "wrong": [NEEDS_JARS]}


def test_where_tests_must_be_whole_what_the_machine_lacks_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="cannot be tested here: no loop device"):
        cannot("no loop device")
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="cannot be tested here: no loop device"):
        cannot("no loop device")


def test_the_run_of_a_clean_checkout_must_be_whole(tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text('#!/bin/sh\necho "make $* with CI=$CI"\n')
    make.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        tied([str(ROOT / ".ci" / "run")]), env=without_ci(PATH=path), capture_output=True,
        text=True, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout == "make --no-print-directory test with CI=1\n"


def test_the_same_cases_are_made_up_in_each_run_of_ci_and_others_at_a_desk() -> None:
    """What judges a change must not judge what was there before; and as many cases as elsewhere."""
    show = "import tests.conftest; from hypothesis import settings; print(repr(settings.default))"

    def profile(**more: str) -> str:
        done = subprocess.run(
            tied([sys.executable, "-c", show]), cwd=ROOT, env=without_ci(**more),
            capture_output=True, text=True, timeout=60, check=True,
        )  # fmt: skip
        return done.stdout

    assert "derandomize=False, max_examples=100" in profile()
    assert "derandomize=True, max_examples=100" in profile(CI="1")
    assert "max_examples=2000" in profile(CI="1", SPINDLE_MANY_CASES="1")
    assert "derandomize=False" in profile(CI="1", SPINDLE_MANY_CASES="1")
