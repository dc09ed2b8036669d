"""The table of moves as a picture: a Mermaid state diagram, and what its states and effects mean.

It draws what the table says and knows nothing else of moves. The writer of the documentation
(`python -m tests.house.test_drawings`) calls it, and so does the test that compares both.
"""

from __future__ import annotations

from typing import Final

from spindle.core.logdirs.move import (
    BEFORE_SWAP,
    BLOCKED,
    RENAMING,
    TABLE,
    LogDirMoveState,
    MoveEffect,
    MoveInput,
    Row,
)

GROUPS: Final[dict[str, tuple[LogDirMoveState, ...]]] = {
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
    for state in LogDirMoveState:
        if state not in framed:
            outside += _arrows(state.name, _own(rows, state, {}))
    lines += outside
    lines += ["    DONE --> [*]", "    ABANDONED --> [*]"]
    return "\n".join(lines) + "\n"


def _shared(
    rows: dict[tuple[LogDirMoveState, MoveInput], Row], states: tuple[LogDirMoveState, ...]
) -> dict[MoveInput, Row]:
    """What leads all of these states to the same end, with the same effects."""
    found: dict[MoveInput, Row] = {}
    for happened in MoveInput:
        alike = {rows.get((state, happened)) for state in states}
        row = alike.pop()
        if not alike and row is not None and row.next not in states:
            found[happened] = row
    return found


def _own(
    rows: dict[tuple[LogDirMoveState, MoveInput], Row],
    state: LogDirMoveState,
    shared: dict[MoveInput, Row],
) -> dict[MoveInput, Row]:
    return {i: row for (s, i), row in rows.items() if s is state and i not in shared}


def _arrows(start: str, found: dict[MoveInput, Row]) -> list[str]:
    """One arrow for all inputs that lead to the same row."""
    inputs: dict[Row, list[MoveInput]] = {}
    for happened, row in found.items():
        inputs.setdefault(row, []).append(happened)
    lines = []
    for row, causes in inputs.items():
        effects = ", ".join(effect.name for effect in row.effects)
        label = " or ".join(cause.value for cause in causes) + (f" / {effects}" if effects else "")
        lines.append(f"    {start} --> {row.next.name}: {label}")
    return lines


def legend() -> str:
    """What states and effects mean, as two Markdown tables."""
    lines = ["| state | meaning |", "|---|---|"]
    lines += [f"| {state.name} | {state.value} |" for state in LogDirMoveState]
    lines += ["", "| effect | what the broker does |", "|---|---|"]
    lines += [f"| {effect.name} | {effect.value} |" for effect in MoveEffect]
    return "\n".join(lines) + "\n"
