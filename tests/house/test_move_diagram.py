"""The picture of the table of moves leaves nothing out that changes something."""

from __future__ import annotations

from tools.move_diagram import GROUPS, diagram, legend

from spindle.core.logdirs.move import TABLE, LogDirMoveState, MoveEffect


def test_every_row_that_does_something_is_an_arrow_from_its_state_or_its_frame() -> None:
    drawn = [line.strip() for line in diagram().splitlines()]
    arrows = [line.partition(": ") for line in drawn if " --> " in line]
    frames = {state: frame for frame, states in GROUPS.items() for state in states}
    for (state, happened), row in TABLE.items():
        if row.next is state and not row.effects:
            continue
        effects = ", ".join(effect.name for effect in row.effects)
        found = [
            head
            for head, _, label in arrows
            if happened.value in label.partition(" / ")[0].split(" or ")
            and label.partition(" / ")[2] == effects
        ]
        starts = {state.name, frames.get(state, "")}
        assert any(f"{start} --> {row.next.name}" in found for start in starts), (state, happened)
    assert "SETTLING --> FREEZING: little is left / FREEZE" in drawn


def test_no_arrow_is_drawn_that_no_row_knows() -> None:
    members = {**{state.name: (state,) for state in LogDirMoveState}, **GROUPS}
    for line in diagram().splitlines():
        head, _, label = line.strip().partition(": ")
        if not label:
            continue
        start, _, end = head.partition(" --> ")
        causes, _, _ = label.partition(" / ")
        for (state, happened), row in TABLE.items():
            if state in members[start] and happened.value in causes.split(" or "):
                assert row.next.name == end, line


def test_the_legend_has_all_states_and_effects() -> None:
    told = legend()
    assert all(
        f"| {each.name} | {each.value} |" in told for each in (*LogDirMoveState, *MoveEffect)
    )
