"""This package as one file, for the Python of Spark's workers on other machines.

Sources and planners run there, in processes that import `spindle`. Which libraries it needs
(crc32c, cramjam, numpy, pandas, pyarrow) must be in the workers' Python already: some are compiled.
Called by `session` wherever Spark is not of this process's own; knows no Spark.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from pathlib import Path
from typing import Final

import spindle

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The files' time in the archive: the same code gives the same bytes."""


def archive(folder: Path | None = None) -> Path:
    """A zip of the package in `folder` (a cache of the user's if none is given), by its content.

    A package that was imported from such a zip is that zip. Written aside and renamed, so that
    processes which do the same at the same time do not meet.
    """
    source = Path(spindle.__file__).parent
    if source.parent.is_file():
        return source.parent
    content = [
        (str(path.relative_to(source.parent)), path.read_bytes())
        for path in sorted(source.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]
    digest = hashlib.sha256()
    for name, data in content:
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    home = folder or cache()
    final = home / f"spindle-{spindle.__version__}-{digest.hexdigest()[:16]}.zip"
    if not final.exists():
        home.mkdir(parents=True, exist_ok=True)
        fresh = final.with_name(f".{final.name}.{os.getpid()}")
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, data in content:
                packed.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
        fresh.rename(final)
    return final


def cache() -> Path:
    """Where this user's files that can be made again are kept."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "spindle"
