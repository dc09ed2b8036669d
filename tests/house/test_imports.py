"""Which package may import which (the contracts stand in pyproject.toml)."""

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


def test_every_folder_of_the_package_is_a_package() -> None:
    """A zip of the code (what Spark's workers get) has no other folders that Python can import."""
    folders = {path.parent for path in (ROOT / "src" / "spindle").rglob("*.py")}
    bare = [str(p.relative_to(ROOT)) for p in folders if not (p / "__init__.py").exists()]
    assert not bare, f"no __init__.py in {bare}"
