"""Sizes and capacities as options have them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spindle.cli.sizes import capacities, size_of
from spindle.model.errors import Unusable


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1048576", 1 << 20), ("4T", 4 << 40), ("4TiB", 4 << 40), ("500g", 500 << 30),
        ("1.5 K", None), ("1.5K", 1536), ("7B", 7), ("", None), ("T", None), ("-1", None),
    ],
)  # fmt: skip
def test_sizes(text: str, size: int | None) -> None:
    assert size_of(text) == size


@pytest.mark.spec("V-02")
def test_capacities_by_hand_by_mount_and_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "disks"
    file.write_text("# our disks\n1:/disk=a=4TiB\n\n 2:/disk=500G \n")
    told = os.statvfs(tmp_path)
    assert capacities([str(file), f"3:/d={tmp_path}", "2:/disk=1K"]) == {
        "1:/disk=a": 4 << 40,
        "2:/disk": 1024,
        "3:/d": told.f_blocks * told.f_frsize,
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1:/d=much", "'much' is no size"),
        ("1:/d=0", "is no size"),
        ("/d=4T", "write BROKER:PATH=SIZE"),
        ("1:/d=/no/such/mount", "No such file"),
        ("/no/such/file", "No such file"),
    ],
)
def test_what_is_no_capacity_is_refused_with_the_way_out(text: str, why: str) -> None:
    with pytest.raises(Unusable, match=why):
        capacities([text])
