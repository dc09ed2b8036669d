"""Our own classes of Java for tests: compiled once, and again after a change of their sources.

They are kept in `~/.cache/spindle/java-classes`, those used last of each name.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tests.support import class_data
from tests.support.processes import tied

KEPT = 8
_LIMIT_S = 120


def compiled(name: str, sources: Iterable[Path], class_path: str) -> Path:
    """The folder of these sources' classes, compiled with `class_path` if need be."""
    files = sorted(sources)
    parts = [f"{class_data.java()}\n{class_path}".encode(), *map(Path.read_bytes, files)]
    sign = hashlib.sha256(b"\n".join(parts)).hexdigest()[:16]
    folder = Path.home() / ".cache" / "spindle" / "java-classes" / f"{name}-{sign}"
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            classes = Path(scratch) / "classes"
            options = ("-nowarn", "-XDignore.symbol.file", "-cp", class_path, "-d", str(classes))
            command = ["javac", *options, *map(str, files)]
            subprocess.run(tied(command), check=True, timeout=_LIMIT_S)
            with suppress(OSError):  # Another process has just done the same.
                classes.rename(folder)
        _remove_older(name, folder)
    folder.touch()  # It is in use: others go before it.
    return folder


def _remove_older(name: str, folder: Path) -> None:
    """Other checkouts have other sources, other tests other jars: some of each are kept."""
    others = [one for one in folder.parent.glob(f"{name}-*") if one != folder]
    others.sort(key=lambda one: one.stat().st_mtime_ns, reverse=True)
    for other in others[KEPT - 1 :]:
        shutil.rmtree(other, ignore_errors=True)
