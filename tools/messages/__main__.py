"""`python -m tools.messages`: write `messages` and `record_codecs` in `src/spindle/wire`.

With `--check`, compare only.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.messages import recording
from tools.messages.metadata_records import metadata_records
from tools.messages.module import module_text
from tools.messages.schema import messages, snake
from tools.messages.topic_records import control_records, topic_records

ROOT = Path(__file__).parents[2]
_OURS = 'lint.isort.known-first-party = ["spindle"]'
WIRE = ROOT / "src" / "spindle" / "wire"
FOLDERS = ("messages", "record_codecs")


def texts() -> dict[str, str]:
    """Each module's text by its path below `WIRE`, laid out by ruff."""
    with TemporaryDirectory() as folder:
        made = Path(folder)
        for name in FOLDERS:
            (made / name).mkdir()
        for one in messages():
            (made / "messages" / f"{snake(one.name)}.py").write_text(module_text(one))
        metadata = metadata_records()
        for record in (*metadata, *topic_records(), *control_records()):
            path = made / "record_codecs" / f"{snake(record.name)}.py"
            path.write_text(recording.module_text(record))
        (made / "record_codecs" / "metadata_log.py").write_text(recording.registry_text(metadata))
        _ruff("check", "--select", "I,F401", "--fix", "--config", _OURS, folder)
        _ruff("format", folder)
        return {str(path.relative_to(made)): path.read_text() for path in made.glob("*/*.py")}


def _ruff(*arguments: str) -> None:
    command = [sys.executable, "-m", "ruff", *arguments]
    command += ["--config", str(ROOT / "pyproject.toml"), "--quiet"]
    subprocess.run(command, check=True, timeout=120)


def stale() -> list[str]:
    """Names of files that are not as they would be written now."""
    return _stale(texts())


def _stale(made: dict[str, str]) -> list[str]:
    there = {
        f"{folder}/{path.name}": path.read_text()
        for folder in FOLDERS
        for path in (WIRE / folder).glob("*.py")
        if path.name != "__init__.py"
    }
    return sorted(n for n in made.keys() | there.keys() if made.get(n) != there.get(n))


def main() -> None:
    """Write what differs and delete what is generated no more; or only say so."""
    made = texts()
    found = _stale(made)
    if "--check" in sys.argv:
        if found:
            raise SystemExit(f"not as `python -m tools.messages` writes them: {', '.join(found)}")
        return
    for name in found:
        if name in made:
            (WIRE / name).write_text(made[name])
        else:
            (WIRE / name).unlink()
    print(f"{len(made)} modules, {len(found)} files changed")


if __name__ == "__main__":
    main()
