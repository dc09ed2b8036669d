"""Archives of parsed classes for the JVMs of tests: half of the processor time of each start.

Java maps such an archive instead of reading, parsing and verifying classes (class data sharing).
One is made on the first run and kept in `~/.cache/spindle/class-data`. It serves one Java and one
class path only, so its name is drawn from both. Those used last are kept, since checkouts with
virtual environments of their own have different ones; a new one takes the place of the oldest.
Where Java cannot use it, it starts as without it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tests.support.processes import tied

_DUMP_LIMIT_S = 300
KEPT = 4
"""Archives of one name that are kept: some tens of megabytes each."""
_MORE = (
    # What an archive lacks is no news for readers of what a tool printed.
    "-Xlog:cds*=off", "-Xlog:class+path=off",
    # Where it was made for, without a second look at every pointer in it.
    "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0",
)  # fmt: skip


def java() -> Path:
    """The program that tests start."""
    return Path(shutil.which("java") or "java").resolve()


def place(name: str, jars: Iterable[Path]) -> Path:
    """Where the archive of these jars is, once it is made."""
    parts = [p for p in (java(), *jars) if p.exists()]
    signs = [f"{p} {p.stat().st_size} {p.stat().st_mtime_ns}" for p in parts]
    sign = hashlib.sha256("\n".join(signs).encode()).hexdigest()[:16]
    return Path.home() / ".cache" / "spindle" / "class-data" / f"{name}-{sign}.jsa"


def options(archive: Path) -> list[str]:
    """What a JVM takes to use it; nothing as long as it is not made."""
    return [f"-XX:SharedArchiveFile={archive}", *_MORE] if archive.exists() else []


def listing(folder: Path) -> str:
    """The option by which a JVM writes down what it loads, in a file of its own there."""
    return f"-XX:DumpLoadedClassList={folder}/%p"


def prepare(archive: Path, load: Callable[[Path], str], more: Sequence[str] = ()) -> None:
    """Make an archive if need be (by one process, others wait).

    `load` has JVMs load what is to be in it, each with `listing` of the folder that it gets, and
    returns their class path.
    """
    archive.parent.mkdir(parents=True, exist_ok=True)
    with archive.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not archive.exists():
            with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
                _make(archive, load, more, Path(folder))
            remove_oldest(archive)
        archive.touch()  # It is in use: others go before it.


def remove_oldest(archive: Path) -> None:
    """Remove the archives of the same name but this one and those that were used last."""
    name, _, sign = archive.stem.rpartition("-")
    found = [p for p in archive.parent.glob(f"{name}-{'?' * len(sign)}.jsa") if p != archive]
    found.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for other in found[KEPT - 1 :]:
        other.unlink(missing_ok=True)
        other.with_suffix(".lock").unlink(missing_ok=True)


def _make(
    archive: Path,
    load: Callable[[Path], str],
    more: Sequence[str],
    folder: Path,
) -> None:
    lists = folder / "lists"
    lists.mkdir()
    class_path = load(lists)
    told = [line for one in lists.iterdir() for line in one.read_text().splitlines()]
    # What was no file of the class path but made by a library while it ran cannot be in it.
    kept = {line for line in told if line and not line.startswith("#") and "source:" not in line}
    listed, fresh = folder / "classes", folder / "archive"
    listed.write_text("\n".join(sorted(kept, key=lambda line: line.startswith("@"))) + "\n")
    command = [
        str(java()), "-XX:+UseSerialGC", "-Xshare:dump", *more,
        f"-XX:SharedClassListFile={listed}", f"-XX:SharedArchiveFile={fresh}", "-cp", class_path,
    ]  # fmt: skip
    done = subprocess.run(tied(command), capture_output=True, text=True, timeout=_DUMP_LIMIT_S)
    assert done.returncode == 0, f"java made no archive: {(done.stdout + done.stderr)[-2000:]}"
    os.replace(fresh, archive)
