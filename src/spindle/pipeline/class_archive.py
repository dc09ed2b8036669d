"""The archive of parsed classes with which Spark's JVM starts sooner (class data sharing).

Java maps it instead of reading, parsing and verifying classes. The first JVM writes down what it
loads; once it has ended, a process of its own makes the archive in the user's cache. An archive
serves one Java, one set of jars and one kind of session, which its name is drawn from. Java starts
as without it where it cannot use one. Called by `session`; knows no Spark but its jars.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import psutil

from spindle.pipeline.shipping import cache

KEPT: Final = 2
"""Archives that are kept, those used last: some 200 MB each."""
MODULES: Final = "--add-modules=jdk.incubator.vector"
"""What Spark's launcher asks for: the archive must have been made with the same."""
_LIMIT_SECONDS: Final = 600
_QUIET: Final = ("-Xlog:cds*=off", "-Xlog:class+path=off")
"""What an archive lacks is no news for the users of a command."""


class ClassArchive:
    """The archive of one Java and some jars, for one kind of session, made or not."""

    def __init__(
        self, java: str, jars: Iterable[Path], folder: Path | None = None, kind: str = ""
    ) -> None:
        """`java`: the program; `folder`: a cache of the user's if none is given; `kind`: sessions
        of one kind load the same classes."""
        self._java = java
        parts = [Path(java).resolve(), *sorted(jars)]
        signs = [f"{p} {p.stat().st_size} {p.stat().st_mtime_ns}" for p in parts if p.exists()]
        sign = hashlib.sha256("\n".join([kind, *signs]).encode()).hexdigest()[:16]
        self.path = (folder or cache() / "class-data") / f"spark-{sign}.jsa"
        self._list = self.path.with_suffix(f".{os.getpid()}.list")

    def options(self) -> list[str]:
        """What a JVM takes to use the archive; while there is none, to write down what it loads."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists():
                if not self.path.stat().st_size:
                    return []  # This Java has made none.
                self.path.touch()  # It is in use: others go before it.
                return [f"-XX:SharedArchiveFile={self.path}", *_QUIET]
        except OSError:
            return []  # A cache that cannot be written: Java starts as always.
        return [f"-XX:DumpLoadedClassList={self._list}"]

    def make_later(self, jvm: int, class_path: str) -> None:
        """Have the archive made, if there is none, once the JVM of that process id has ended."""
        if self.path.exists() or not self.path.parent.is_dir():
            return
        command = [sys.executable, "-m", __name__, str(jvm), str(self.path), str(self._list)]
        maker = subprocess.Popen(
            [*command, self._java], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )  # fmt: skip
        assert maker.stdin is not None
        maker.stdin.write(class_path.encode())
        maker.stdin.close()
        maker.returncode = 0  # It outlives this process, which does not wait for it.


def make(archive: Path, listed: Path, java: str, class_path: str) -> bool:
    """Make an archive of the classes in a list; an empty file, and False, where Java makes none."""
    with archive.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if archive.exists() or not listed.exists():
            listed.unlink(missing_ok=True)
            return archive.exists()
        lines = listed.read_text().splitlines()
        # What was no file of the class path but made by a library while it ran cannot be in it.
        kept = {
            line for line in lines if line and not line.startswith("#") and "source:" not in line
        }
        listed.write_text("\n".join(sorted(kept, key=lambda line: line.startswith("@"))) + "\n")
        fresh = archive.with_suffix(".fresh")
        command = [
            java, "-XX:+UseSerialGC", "-Xshare:dump", MODULES, f"-XX:SharedClassListFile={listed}",
            f"-XX:SharedArchiveFile={fresh}", "-cp", class_path,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, timeout=_LIMIT_SECONDS, check=False)
        if done.returncode:
            fresh.write_bytes(b"")
        fresh.replace(archive)
        listed.unlink()
    _remove_oldest(archive)
    return not done.returncode


def _remove_oldest(archive: Path) -> None:
    found = [p for p in archive.parent.glob("spark-*.jsa") if p != archive]
    found.sort(key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for other in found[KEPT - 1 :]:
        other.unlink(missing_ok=True)
        other.with_suffix(".lock").unlink(missing_ok=True)


def java_program() -> str:
    """The Java that Spark starts: that of JAVA_HOME, else of the PATH."""
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java") or "java"


def _main() -> None:
    jvm, archive, listed, java = sys.argv[1:]
    os.nice(10)
    class_path = sys.stdin.read()
    try:
        psutil.Process(int(jvm)).wait()
    except psutil.NoSuchProcess:
        pass  # It has ended already.
    make(Path(archive), Path(listed), java, class_path)


if __name__ == "__main__":
    _main()
