"""File systems of a test's own, which really fill, hang, die and go away, in a mount namespace.

    with MountNamespace() as space, RealDisks(folder, space) as cluster:
        cluster.start()
        space.freeze(cluster.image)

The nodes of a cluster run inside the namespace; nothing outside sees its mounts, and they end with
it, also when the test is killed. A tmpfs needs root, or user namespaces; a file system on a loop
device needs root. Where the machine allows neither, a test says so: it fails where `CI` is set.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from tests.support.local import Local
from tests.support.nursery import Nursery
from tests.support.processes import tied
from tests.support.waiting import eventually

_SHUT_DOWN = 0x8004587D
"""ext4 and xfs: from now on every access fails with EIO, as when the device is gone."""
_LOSE_WHAT_IS_NOT_SYNCED = 2


class MountNamespace:
    """A mount namespace that lives as long as this object; its mounts end with it."""

    def __enter__(self) -> Self:
        self._is_root = os.geteuid() == 0
        user = () if self._is_root else ("--user", "--map-root-user")
        command = ["unshare", *user, "--mount", "--propagation", "private", "sleep", "infinity"]
        self._holder = subprocess.Popen(tied(command), stderr=subprocess.PIPE)
        own = os.readlink("/proc/self/ns/mnt")
        place = f"/proc/{self._holder.pid}/ns/mnt"
        eventually(
            lambda: self._holder.poll() is not None or os.readlink(place) != own,
            "the namespace is there",
        )
        if self._holder.poll() is not None:
            assert self._holder.stderr is not None
            cannot(f"no mount namespace: {self._holder.stderr.read().decode().strip()}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._holder.kill()
        self._holder.communicate()

    @property
    def entrance(self) -> list[str]:
        """What stands before a command that is to run inside."""
        user = () if self._is_root else ("--user", "--preserve-credentials")
        return ["nsenter", "--target", str(self._holder.pid), *user, "--mount", "--"]

    def run(self, *command: str) -> None:
        """Run a command inside; it must end well."""
        done = subprocess.run(tied([*self.entrance, *command]), capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()}"

    def seen(self, path: Path | str) -> Path:
        """Where a path of the inside is found from the outside."""
        return Path(f"/proc/{self._holder.pid}/root{path}")

    def mount_memory(self, path: Path, size: str) -> None:
        """Mount a file system in memory, of a size such as `24m`."""
        self.run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path))

    def mount_image(self, image: Path, path: Path) -> None:
        """Mount the ext4 file system that a file holds."""
        if not self._is_root:
            cannot("only root may mount a file system on a loop device")
        self.run("mount", "-o", "loop", str(image), str(path))

    def unmount(self, path: Path, *, lazily: bool = False) -> None:
        """Unmount; `lazily`: also while files there are open."""
        self.run("umount", *(["--lazy"] if lazily else []), str(path))

    def freeze(self, path: Path) -> None:
        """Have every write to a file system hang until `thaw`."""
        self.run("fsfreeze", "--freeze", str(path))

    def thaw(self, path: Path) -> None:
        """End that."""
        self.run("fsfreeze", "--unfreeze", str(path))

    def shut_down(self, path: Path) -> None:
        """Have every access to a file system fail; what was not synced is lost."""
        folder = os.open(self.seen(path), os.O_RDONLY)
        try:
            fcntl.ioctl(folder, _SHUT_DOWN, struct.pack("I", _LOSE_WHAT_IS_NOT_SYNCED))
        finally:
            os.close(folder)


def make_image(path: Path, megabytes: int) -> None:
    """An empty ext4 file system in a file."""
    with path.open("wb") as file:
        file.truncate(megabytes << 20)
    subprocess.run(tied(["mkfs.ext4", "-q", "-m", "0", str(path)]), check=True, capture_output=True)


def cannot(why: str) -> None:
    """Say what the machine does not allow: a failure where tests must be whole."""
    if os.environ.get("CI"):
        pytest.fail(f"real disks cannot be tested here: {why}")
    pytest.skip(f"real disks cannot be tested here: {why}")


class RealDisks(Local):
    """A cluster whose first broker has its second directory in memory, its third on an image."""

    BROKER, MEMORY, IMAGE = 1, 1, 2

    def __init__(self, folder: Path, space: MountNamespace, settings: dict[str, str]) -> None:
        nursery = Nursery(space.entrance)
        super().__init__(folder, directories=3, settings=settings, nursery=nursery)
        self.space = space
        self.memory, self.image = self.nodes[self.BROKER].log_dirs[self.MEMORY : self.IMAGE + 1]
        self._image_file = folder / "image"

    def format(self) -> None:
        """Format all directories, those on file systems of their own there and not below."""
        super().format()
        make_image(self._image_file, 96)
        self.space.mount_memory(self.memory, "24m")
        self.mount_image()
        for path in (self.memory, self.image):
            shutil.copy(path / "meta.properties", self.space.seen(path))
            for below in path.iterdir():
                below.unlink()

    def mount_image(self) -> None:
        """Mount the image where the broker expects it."""
        self.space.mount_image(self._image_file, self.image)

    def log_of(self, broker: int, disk: int, replica: str) -> bytes:
        """The first segment of a replica, as it is on its disk."""
        folder = self.nodes[broker].log_dirs[disk] / replica
        return (self.space.seen(folder) / f"{0:020}.log").read_bytes()
