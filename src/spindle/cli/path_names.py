"""Short names of paths, where there is little room: by what differs between them. Pure.

Log directories often share a long beginning, and an end: `/mnt/disk1/kafka`, `/mnt/disk2/kafka`.
A short name alone would be a riddle; so it always comes with the pattern that it stands in, and
pages have the whole path to point at. Called by `render` and by pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

_SHORT: Final = 20
"""Paths up to so many characters are not shortened."""
_CELL: Final = re.compile(r"(?:(?:broker )?\d+[ :])?/\S*(?:, /\S+)*")
_PATH: Final = re.compile(r"/[^\s,]*")


class ShortName(NamedTuple):
    """A name as it is shown, and in full."""

    text: str
    full: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class PathNames:
    """Short names of paths; `pattern`: where they stand in, "*" for the name; "": nowhere."""

    short: Mapping[str, str]
    pattern: str = ""

    def of(self, path: str) -> ShortName:
        """The name of a path, or of several with commas between; unknown ones stay as they are."""
        return ShortName(", ".join(self.short.get(p, p) for p in path.split(", ")), path)

    def within(self, cell: str) -> str:
        """A cell with every path in it by its short name."""
        return _PATH.sub(lambda found: self.short.get(found[0], found[0]), cell)

    @property
    def legend(self) -> str:
        """What tells the whole paths: "disk1 stands for /mnt/disk1/kafka"; "" if they are whole."""
        if not self.pattern:
            return ""
        return f"Paths: {self.pattern}; shown is what stands for *"


def told_by_difference(paths: Iterable[str]) -> PathNames:
    """Names of paths without what all of them begin with and end with."""
    different = sorted(set(paths))
    parts = [path.split("/") for path in different]
    if len(different) < 2 or max(map(len, different)) <= _SHORT:
        return PathNames({path: path for path in different})
    room = min(map(len, parts)) - 1
    ahead = _alike(parts, room)
    behind = _alike([part[::-1] for part in parts], room - ahead)
    if ahead < 2 and not behind:
        return PathNames({path: path for path in different})
    names = ("/".join(part[ahead : len(part) - behind]) for part in parts)
    first = parts[0]
    pattern = "/".join([*first[:ahead], "*", *first[len(first) - behind :]])
    return PathNames(dict(zip(different, names, strict=True)), pattern)


def paths_in(cells: Sequence[str]) -> list[str]:
    """The paths of a column, if it holds nothing else: `/a`, `broker 1 /a`, `1:/a`, `/a, /b`."""
    told = [cell for cell in cells if cell not in ("", "-", "(all)", "(offline)")]
    if not all(_CELL.fullmatch(cell) for cell in told):
        return []
    return [path for cell in told for path in _PATH.findall(cell)]


def elided(name: str, most: int) -> str:
    """A name of so many characters at most, without its middle: both ends tell something."""
    if len(name) <= most:
        return name
    ahead = (most - 1) // 3
    return name[:ahead] + "…" + name[len(name) - (most - 1 - ahead) :]


def _alike(parts: Sequence[Sequence[str]], room: int) -> int:
    """How many of the first parts are the same in all of them; no more than there is room."""
    count = 0
    while count < room and len({part[count] for part in parts}) == 1:
        count += 1
    return count
