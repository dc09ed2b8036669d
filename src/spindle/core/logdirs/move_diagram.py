"""The table of moves as a picture: a Mermaid state diagram, and what its states and wishes mean.

Draws what the table says and knows nothing else of moves. Called by whoever writes the
documentation (`python -m tests.house.test_drawings`) and by the test that compares both.
"""

from __future__ import annotations

from typing import Final

from spindle.core.logdirs.move import BEFORE_SWAP, BLOCKED, RENAMING, TABLE, Input, Row, State, Wish

GROUPS: Final[dict[str, tuple[State, ...]]] = {
    "BEFORE_THE_SWAP": BEFORE_SWAP,
    "APPENDS_BLOCKED": BLOCKED,
    "RENAMING": RENAMING,
}
"""States drawn in a frame: what all of them do alike is one arrow from the frame."""


def diagram() -> str:
    """All rows that change something, as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", "    [*] --> PREPARING"]
    rows = {pair: row for pair, row in TABLE.items() if row != Row(pair[0])}
    outside: list[str] = []
    for frame, states in GROUPS.items():
        shared = _shared(rows, states)
        outside += _arrows(frame, shared)
        own = [_own(rows, state, shared) for state in states]
        lines.append(f"    state {frame} {{")
        for state, found in zip(states, own, strict=True):
            inner = {i: row for i, row in found.items() if row.next in states}
            outside += _arrows(state.name, {i: r for i, r in found.items() if i not in inner})
            lines += [f"    {line}" for line in _arrows(state.name, inner)]
        lines.append("    }")
    framed = [state for states in GROUPS.values() for state in states]
    for state in State:
        if state not in framed:
            outside += _arrows(state.name, _own(rows, state, {}))
    lines += outside
    lines += ["    DONE --> [*]", "    ABANDONED --> [*]"]
    return "\n".join(lines) + "\n"


def _shared(rows: dict[tuple[State, Input], Row], states: tuple[State, ...]) -> dict[Input, Row]:
    """What leads all of these states to the same end, with the same wishes."""
    found: dict[Input, Row] = {}
    for happened in Input:
        alike = {rows.get((state, happened)) for state in states}
        row = alike.pop()
        if not alike and row is not None and row.next not in states:
            found[happened] = row
    return found


def _own(
    rows: dict[tuple[State, Input], Row], state: State, shared: dict[Input, Row]
) -> dict[Input, Row]:
    return {i: row for (s, i), row in rows.items() if s is state and i not in shared}


def _arrows(start: str, found: dict[Input, Row]) -> list[str]:
    """One arrow for all inputs that lead to the same row."""
    inputs: dict[Row, list[Input]] = {}
    for happened, row in found.items():
        inputs.setdefault(row, []).append(happened)
    lines = []
    for row, causes in inputs.items():
        wishes = ", ".join(wish.name for wish in row.wishes)
        label = " or ".join(cause.value for cause in causes) + (f" / {wishes}" if wishes else "")
        lines.append(f"    {start} --> {row.next.name}: {label}")
    return lines


def legend() -> str:
    """What states and wishes mean, as two Markdown tables."""
    lines = ["| state | meaning |", "|---|---|"]
    lines += [f"| {state.name} | {state.value} |" for state in State]
    lines += ["", "| effect | what the broker does |", "|---|---|"]
    lines += [f"| {wish.name} | {wish.value} |" for wish in Wish]
    return "\n".join(lines) + "\n"
