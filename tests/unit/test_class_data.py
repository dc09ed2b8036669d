"""Archives of classes: what is kept of them."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support import class_data
from tests.support.class_data import KEPT, remove_oldest


def made(folder: Path, name: str, sign: str, used: int) -> Path:
    """An archive with its lock, used so many seconds after the beginning."""
    archive = folder / f"{name}-{sign * 16}.jsa"
    archive.with_suffix(".lock").touch()
    archive.touch()
    os.utime(archive, (used, used))
    return archive


def test_archives_of_other_checkouts_are_kept_and_the_oldest_go(tmp_path: Path) -> None:
    others = [made(tmp_path, "kafka", "a", 1), made(tmp_path, "kafka-tools", "b", 1)]
    sparks = [made(tmp_path, "spark", sign, at) for at, sign in enumerate("cdefgh")]
    mine = sparks[0]  # Whenever it was used, it is the one that has just been made.
    remove_oldest(mine)
    left = {mine, *sparks[-(KEPT - 1) :], *others}
    assert set(tmp_path.glob("*.jsa")) == left
    assert set(tmp_path.glob("*.lock")) == {path.with_suffix(".lock") for path in left}
    remove_oldest(others[0])
    assert set(tmp_path.glob("*.jsa")) == left


def test_an_archive_that_is_used_is_not_the_oldest(tmp_path: Path) -> None:
    mine, other = made(tmp_path, "spark", "a", 1), made(tmp_path, "spark", "b", 2)
    class_data.prepare(mine, lambda _: "")
    assert mine.stat().st_mtime > other.stat().st_mtime
