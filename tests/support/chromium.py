"""A browser for tests of pages: the machine's, or one fetched once by npm into a cache folder.

`$SPINDLE_CHROMIUM` names an executable; else `chromium` of the machine is taken (Debian's package);
else the npm package `@sparticuz/chromium`, which carries a headless Chromium with its libraries and
fonts, goes to `~/.cache/spindle/chromium-<version>`. Where npm fetches from is npm's own
configuration. Nothing is installed on the machine.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import cramjam

from tests.support.processes import tied

VERSION = "153.0.0"
_SHA256 = "20e5656fcdcf4118ede85edfb9d6bb9cc1bbb7ffb8b75622fffbcf36a835c3c0"
_FETCH_LIMIT_S = 600
_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>FOLDER/fonts</dir><dir>/usr/share/fonts</dir>
<cachedir>FOLDER/fonts-cache</cachedir>
<alias><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
<alias><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
"""


class Executable(NamedTuple):
    """A browser, and the environment that it needs besides the usual one."""

    path: Path
    environment: Mapping[str, str]


class BrowserMissing(Exception):
    """There is no browser and none can be fetched; the text says what is lacking."""


def chromium() -> Executable:
    """The browser, fetched if need be (by one process, others wait)."""
    given = os.environ.get("SPINDLE_CHROMIUM") or shutil.which("chromium")
    if given:
        return Executable(Path(given), {})
    folder = Path.home() / ".cache" / "spindle" / f"chromium-{VERSION}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _fetch(folder)
    fonts = {"FONTCONFIG_FILE": str(folder / "fonts.conf")}
    return Executable(folder / "chromium", {"LD_LIBRARY_PATH": str(folder / "lib"), **fonts})


def _fetch(folder: Path) -> None:
    """Let npm fetch the package into a folder beside; the unpacked one moves to its place."""
    if not shutil.which("npm"):
        raise BrowserMissing(
            "pages are looked at in a browser, and there is none: install Debian's chromium, or "
            f"npm, which fetches one into {folder}, or name one with $SPINDLE_CHROMIUM"
        )
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    command = ["npm", "pack", "--silent", f"@sparticuz/chromium@{VERSION}"]
    done = subprocess.run(
        tied(command), cwd=partial, capture_output=True, text=True, timeout=_FETCH_LIMIT_S
    )
    package = partial / f"sparticuz-chromium-{VERSION}.tgz"
    if done.returncode or not package.is_file():
        raise BrowserMissing(
            f"npm could not fetch a browser: {(done.stdout + done.stderr)[-2000:]}"
        )
    found = hashlib.sha256(package.read_bytes()).hexdigest()
    if found != _SHA256:
        raise BrowserMissing(f"{package.name} has SHA-256 {found}, and not {_SHA256}")
    with tarfile.open(package) as archive:
        _unpack(archive, partial)
    (partial / "fonts.conf").write_text(_FONTS.replace("FOLDER", str(folder)))
    package.unlink()
    partial.rename(folder)


def _unpack(archive: tarfile.TarFile, folder: Path) -> None:
    def inner(name: str) -> bytes:
        file = archive.extractfile(f"package/bin/{name}.br")
        assert file is not None, name
        return bytes(cramjam.brotli.decompress(file.read()))

    executable = folder / "chromium"
    executable.write_bytes(inner("chromium"))
    executable.chmod(0o755)
    for name in ("al2023.tar", "fonts.tar"):
        with tarfile.open(fileobj=io.BytesIO(inner(name))) as part:
            part.extractall(folder, filter="data")
