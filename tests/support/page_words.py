"""What a page of a report says, without its markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree


def words(page: str) -> str:
    """All texts of a page, as a reader sees them, with single blanks."""
    return re.sub(r"\s+", " ", "".join(ElementTree.fromstring(page).itertext()))


def rows(page: str) -> list[list[str]]:
    """The rows of all tables, each with its cells."""
    found = ElementTree.fromstring(page).iter("tr")
    return [["".join(cell.itertext()) for cell in row] for row in found]


def judgements(page: str) -> dict[str, tuple[str, str]]:
    """The last cell of each row by its first one: its class and its text."""
    found = {}
    for row in ElementTree.fromstring(page).iter("tr"):
        first, last = ("".join(row[n].itertext()) for n in (0, -1))
        found[first] = row[-1].get("class", "").split()[-1], last
    return found
