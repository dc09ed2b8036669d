"""Files of a folder that this process and Spark's workers both see: list, read, rename, delete.

A plain path is this machine's. A URI goes through Hadoop's file systems in Spark's JVM, as Spark's
own reads and writes do (hdfs, s3a, gs, abfss, file). Called by `history`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from spindle.model.errors import Unusable

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject, JVMView

    from spindle.pipeline.session import Session

T = TypeVar("T")


class StorageFolder(Protocol):
    """A folder. Names are relative to it, with `/` between parts."""

    def uri(self, name: str = "") -> str:
        """What Spark calls it."""

    def names(self, folder: str = "") -> list[str]:
        """What is in a folder, sorted, hidden files left out; nothing where it does not exist."""

    def read(self, name: str) -> bytes:
        """A small file's bytes."""

    def write(self, name: str, data: bytes) -> None:
        """Write a small file; its folder is made."""

    def rename(self, name: str, final: str) -> bool:
        """Give a file its final name, folders are made; False where that name is taken."""

    def delete(self, name: str) -> None:
        """Delete a file or a folder with all that is in it, if it is there."""


def place(home: Path | str, spark: Session | None = None) -> StorageFolder:
    """The folder `home`, a path or a URI. Unusable where a URI needs a JVM and there is none."""
    text = str(home)
    scheme, colon, rest = text.partition("://")
    if not colon:
        return _Here(Path(text).absolute())
    jvm = None if spark is None else getattr(spark, "_jvm", None)
    if spark is not None and jvm is not None:
        return _Hadoop(spark, jvm, text.rstrip("/"))
    if scheme == "file":
        return _Here(Path(rest))
    raise Unusable(
        f"{text} is reached through Spark's own JVM, which a Spark Connect client has not: "
        "use spark-submit or a cluster's master, or a folder that this machine shares with Spark"
    )


class _Here:
    def __init__(self, root: Path) -> None:
        self._root = root

    def uri(self, name: str = "") -> str:
        return f"file://{self._root / name}"

    def names(self, folder: str = "") -> list[str]:
        try:
            return sorted(n for n in os.listdir(self._root / folder) if not n.startswith("."))
        except FileNotFoundError:
            return []

    def read(self, name: str) -> bytes:
        return (self._root / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # Its name must not outlive a power cut without its bytes.

    def rename(self, name: str, final: str) -> bool:
        path = self._root / final
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            return False
        (self._root / name).rename(path)
        return True

    def delete(self, name: str) -> None:
        path = self._root / name
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


class _Hadoop:
    def __init__(self, spark: Session, jvm: JVMView, root: str) -> None:
        self._jvm = jvm
        self._root = root
        configuration = spark._jsparkSession.sessionState().newHadoopConf()
        self._files = _told(lambda: self._path("").getFileSystem(configuration), root)

    def _path(self, name: str) -> JavaObject:
        return self._jvm.org.apache.hadoop.fs.Path(self.uri(name))

    def uri(self, name: str = "") -> str:
        return f"{self._root}/{name}" if name else self._root

    def names(self, folder: str = "") -> list[str]:
        path = self._path(folder)
        if not _told(lambda: self._files.exists(path), self._root):
            return []
        found = [str(one.getPath().getName()) for one in self._files.listStatus(path)]
        return sorted(name for name in found if not name.startswith("."))

    def read(self, name: str) -> bytes:
        stream = _told(lambda: self._files.open(self._path(name)), self.uri(name))
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
        finally:
            stream.close()

    def write(self, name: str, data: bytes) -> None:
        stream = _told(lambda: self._files.create(self._path(name), True), self.uri(name))
        try:
            stream.write(bytearray(data))
        finally:
            stream.close()

    def rename(self, name: str, final: str) -> bool:
        target = self._path(final)
        self._files.mkdirs(target.getParent())
        # The local file system's rename replaces, unlike HDFS's.
        if self._files.exists(target):
            return False
        return bool(_told(lambda: self._files.rename(self._path(name), target), self.uri(final)))

    def delete(self, name: str) -> None:
        _told(lambda: self._files.delete(self._path(name), True), self.uri(name))


def _told(call: Callable[[], T], where: str) -> T:
    """The answer of Hadoop's file system; Unusable where it has a complaint."""
    from py4j.protocol import Py4JJavaError

    try:
        return call()
    except Py4JJavaError as error:
        raise Unusable(f"{where}: {error.java_exception.toString()}") from error
