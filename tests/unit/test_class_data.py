"""Archives of classes: what is kept of them."""

from __future__ import annotations

from pathlib import Path

from tests.support.class_data import remove_others


def test_a_new_archive_takes_the_place_of_those_of_its_name(tmp_path: Path) -> None:
    kept = ["kafka-" + "a" * 16 + ".jsa", "kafka-tools-" + "b" * 16 + ".jsa", "notes"]
    kept += ["spark-" + "c" * 16 + ending for ending in (".jsa", ".lock")]
    for name in [*kept, *("spark-" + "d" * 16 + ending for ending in (".jsa", ".lock"))]:
        (tmp_path / name).touch()
    remove_others(tmp_path / kept[-2])
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(kept)
    remove_others(tmp_path / kept[0])
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(kept)
