"""What documents draw from tables in the code is what the tables say.

`python -m tests.house.test_drawings` writes the drawings again.
"""

from __future__ import annotations

from pathlib import Path

from tools.move_diagram import diagram, legend

DOCUMENT = Path(__file__).parents[2] / "docs" / "moves.md"
DRAWINGS = {
    "<!-- states of a move -->": f"```mermaid\n{diagram()}```\n",
    "<!-- meanings -->": legend(),
}
END = "<!-- end -->"


def drawn(text: str) -> str:
    """A document with all its drawings as the tables are now."""
    for mark, drawing in DRAWINGS.items():
        head, found, rest = text.partition(mark)
        assert found, f"{DOCUMENT.name} has no {mark}"
        _, found, tail = rest.partition(END)
        assert found, f"{DOCUMENT.name} has no {END} after {mark}"
        text = f"{head}{mark}\n{drawing}{END}{tail}"
    return text


def test_the_states_of_moves_are_drawn_as_they_are() -> None:
    text = DOCUMENT.read_text()
    assert drawn(text) == text, "run: python -m tests.house.test_drawings"


if __name__ == "__main__":
    DOCUMENT.write_text(drawn(DOCUMENT.read_text()))
