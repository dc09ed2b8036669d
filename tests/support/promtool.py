"""promtool, Prometheus' judge of rules: the machine's, or one fetched once into a cache folder.

`$SPINDLE_PROMTOOL` names an executable; else `promtool` of the machine is taken; else Debian's
package `prometheus` is fetched by apt and unpacked into `~/.cache/spindle/promtool`, or, where apt
has none, Go builds promtool there. Nothing is installed on the machine.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.support.processes import tied

PACKAGE: Final = "github.com/prometheus/prometheus/cmd/promtool"
VERSION: Final = "v0.305.0"
_FETCH_LIMIT_S: Final = 120
_BUILD_LIMIT_S: Final = 1800


class PromtoolMissing(Exception):
    """There is no promtool and none can be had; the text says what is lacking."""


def promtool() -> Path:
    """The executable, fetched if need be (by one process, others wait)."""
    given = os.environ.get("SPINDLE_PROMTOOL") or shutil.which("promtool")
    if given:
        return Path(given)
    folder = Path.home() / ".cache" / "spindle" / "promtool"
    folder.mkdir(parents=True, exist_ok=True)
    found = folder / "promtool"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            with tempfile.TemporaryDirectory(dir=folder) as scratch:
                made, lacking = _have(Path(scratch))
                if made is None:
                    raise PromtoolMissing(
                        "alert rules are judged by promtool, and there is none: install Debian's"
                        f" package prometheus, or Go, or name one with $SPINDLE_PROMTOOL; {lacking}"
                    )
                made.rename(found)
    return found


def _have(scratch: Path) -> tuple[Path | None, str]:
    """What was fetched or built, or why not."""
    lacking = []
    for name, way in (("apt-get", _by_apt), ("go", _by_go)):
        if shutil.which(name) is None:
            lacking.append(f"{name} is not here")
            continue
        why = way(scratch)
        for path in (scratch / "usr" / "bin" / "promtool", scratch / "promtool"):
            if path.exists():
                return path, ""
        lacking.append(f"{name}: {why[-500:].strip()}")
    return None, "; ".join(lacking)


def _by_apt(scratch: Path) -> str:
    why = _run(["apt-get", "download", "prometheus"], scratch, _FETCH_LIMIT_S)
    for package in scratch.glob("prometheus_*.deb"):
        why = _run(["dpkg-deb", "-x", str(package), str(scratch)], scratch, _FETCH_LIMIT_S)
    return why


def _by_go(scratch: Path) -> str:
    # Its go.mod has replacements, with which `go install` refuses it: a module made here needs it.
    source = scratch / "source"
    source.mkdir()
    said = [
        _run(["go", *words], source, _BUILD_LIMIT_S)
        for words in (
            ("mod", "init", "judge"),
            ("get", f"{PACKAGE}@{VERSION}"),
            ("build", "-o", str(scratch / "promtool"), PACKAGE),
        )
    ]
    return said[-1]


def _run(command: Sequence[str], folder: Path, seconds: float) -> str:
    """What a command has printed."""
    try:
        done = subprocess.run(
            tied(command),
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {seconds:.0f} s"
    return done.stdout + done.stderr
