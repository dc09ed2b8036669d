"""The alert rules of operations/, judged and tried by Prometheus' own promtool."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.processes import tied
from tests.support.promtool import promtool

FOLDER = Path(__file__).parents[2] / "operations"


def judged(*arguments: str) -> str:
    """What promtool says, which must be nothing bad."""
    done = subprocess.run(
        tied([str(promtool()), *arguments]),
        cwd=FOLDER,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_promtool_takes_the_rules() -> None:
    assert "SUCCESS" in judged("check", "rules", "spindle-rules.yml")


def test_the_rules_fire_when_they_must_and_are_silent_else() -> None:
    assert "SUCCESS" in judged("test", "rules", "spindle-rules-test.yml")
