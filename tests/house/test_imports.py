"""Who may import whom (the contracts stand in pyproject.toml)."""

import subprocess
import sys
from pathlib import Path

from tests.support.processes import tied

ROOT = Path(__file__).parents[2]


def test_import_contracts_hold() -> None:
    run = subprocess.run(
        tied([str(Path(sys.executable).parent / "lint-imports")]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
