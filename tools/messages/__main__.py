"""`python -m tools.messages`: write `src/spindle/wire/messages`. With `--check`, compare only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.messages.module import module_text
from tools.messages.schema import messages, snake

ROOT = Path(__file__).parents[2]
_OURS = 'lint.isort.known-first-party = ["spindle"]'
FOLDER = ROOT / "src" / "spindle" / "wire" / "messages"


def texts() -> dict[str, str]:
    """Each module's text by its file's name, laid out by ruff."""
    with TemporaryDirectory() as folder:
        made = Path(folder)
        for one in messages():
            (made / f"{snake(one.name)}.py").write_text(module_text(one))
        _ruff("check", "--select", "I", "--fix", "--config", _OURS, folder)
        _ruff("format", folder)
        return {path.name: path.read_text() for path in made.glob("*.py")}


def _ruff(*arguments: str) -> None:
    command = [sys.executable, "-m", "ruff", *arguments]
    command += ["--config", str(ROOT / "pyproject.toml"), "--quiet"]
    subprocess.run(command, check=True, timeout=120)


def stale() -> list[str]:
    """Names of files that are not as they would be written now."""
    return _stale(texts())


def _stale(made: dict[str, str]) -> list[str]:
    there = {path.name: path.read_text() for path in FOLDER.glob("*.py")}
    there.pop("__init__.py", None)
    return sorted(n for n in made.keys() | there.keys() if made.get(n) != there.get(n))


def main() -> None:
    """Write what differs and delete what is no message any more; or only say so."""
    made = texts()
    found = _stale(made)
    if "--check" in sys.argv:
        if found:
            raise SystemExit(f"not as `python -m tools.messages` writes them: {', '.join(found)}")
        return
    for name in found:
        if name in made:
            (FOLDER / name).write_text(made[name])
        else:
            (FOLDER / name).unlink()
    print(f"{len(made)} messages, {len(found)} files changed")


if __name__ == "__main__":
    main()
