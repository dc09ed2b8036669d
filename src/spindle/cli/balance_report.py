"""What `spindle balance` has to say of a plan and its execution: JSON, text, a page.

Functions of values: nothing is asked, started or moved here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spindle.cli import pictures, render
from spindle.cli.pictures import Disk

if TYPE_CHECKING:
    from spindle.pipeline.execute import Outcome
    from spindle.pipeline.job import Proposal

MOVES_SHOWN = 500
"""Moves in a page; the JSON has all of them."""


def summary(
    proposal: Proposal, document: dict[str, Any], outcome: Outcome | None
) -> dict[str, Any]:
    """The answer of `--json`; sizes in bytes."""
    return {
        "version": 1,
        "directories": [
            {
                "broker": d.broker, "logDir": d.path, "online": d.online,
                "capacity": d.capacity, "before": d.before, "after": d.after,
            }
            for d in proposal.directories
        ],
        "moves": len(proposal.moves),
        "bytes": proposal.bytes_moved,
        "boundBytes": proposal.bound,
        "notes": list(proposal.notes),
        "silentBrokers": {str(broker): why for broker, why in proposal.silent},
        "reassignment": document,
        "executed": None if outcome is None else {
            "done": len(outcome.done),
            "failed": [
                {"topic": m.topic, "partition": m.partition, "broker": m.broker, "reason": why}
                for m, why in outcome.failed
            ],
            "seconds": round(outcome.seconds, 3),
        },
    }  # fmt: skip


def headline(proposal: Proposal) -> str:
    """The plan in a sentence, with what it is measured by."""
    if not proposal.moves:
        return "Nothing to move: every directory is within the band, or cannot be brought in."
    moves, waves = len(proposal.moves), len(proposal.waves)
    text = f"{moves} moves in {waves} waves, {render.size(proposal.bytes_moved)}"
    return f"{text}; any plan that ends as even must move {render.size(proposal.bound)}"


def result(outcome: Outcome | None) -> str:
    """What became of it, in a sentence."""
    if outcome is None:
        return "Nothing has been moved"
    text = f"{len(outcome.done)} replicas moved and verified in {outcome.seconds:.1f} s"
    return text + (f"; {len(outcome.failed)} not" if outcome.failed else "")


def page(bootstrap: str, proposal: Proposal, outcome: Outcome | None) -> str:
    """The same as an HTML page with a picture: each directory before and after."""
    problems = [f"broker {broker} told nothing: {why}" for broker, why in proposal.silent]
    failed = () if outcome is None else outcome.failed
    problems += [f"{m.topic}-{m.partition} on broker {m.broker}: {why}" for m, why in failed]
    sections = [pictures.section("Log directories, now and as planned", _disks(proposal))]
    if problems:
        sections.insert(0, pictures.section("What went wrong", pictures.bullets(problems)))
    if proposal.notes:
        sections.append(pictures.section("What the plan leaves", pictures.bullets(proposal.notes)))
    if proposal.moves:
        sections.append(pictures.section("Moves, in order", _moves(proposal)))
    lead = f"{headline(proposal)}. {result(outcome)}." if proposal.moves else headline(proposal)
    return pictures.page(f"Disks of {bootstrap}", lead, *sections)


def show(proposal: Proposal, outcome: Outcome | None) -> None:
    """The same as text on the terminal."""
    render.table(
        "Log directories",
        ("broker", "directory", "state", "now", "planned", "share of capacity"),
        [
            (
                str(d.broker),
                d.path,
                "online" if d.online else "OFFLINE",
                render.size(d.before),
                render.size(d.after),
                f"{d.before / d.capacity:.0%} -> {d.after / d.capacity:.0%}" if d.capacity else "-",
            )
            for d in proposal.directories
        ],
    )
    for broker, why in proposal.silent:
        render.warn(f"broker {broker} told nothing: {why}")
    for note in proposal.notes:
        render.say(note)
    render.say(headline(proposal))
    if outcome is None:
        return
    render.say(result(outcome))
    for move, why in outcome.failed:
        render.warn(f"{move.topic}-{move.partition} on broker {move.broker}: {why}")


def _disks(proposal: Proposal) -> str:
    return pictures.disks(
        [
            Disk(f"broker {d.broker}", d.path, d.capacity if d.online else 0, d.before, d.after)
            for d in proposal.directories
        ]
    )


def _moves(proposal: Proposal) -> str:
    numbered = [(number, move) for number, wave in enumerate(proposal.waves, 1) for move in wave]
    rows = [
        (str(number), f"{m.topic}-{m.partition}", str(m.broker), m.source, m.target,
         render.size(m.size))
        for number, m in numbered[:MOVES_SHOWN]
    ]  # fmt: skip
    rest = len(numbered) - len(rows)
    more = [f"and {rest} more, all of them in the JSON of --output"] if rest else []
    columns = ("wave", "partition", "broker", "from", "to", "size")
    return pictures.table(columns, rows) + (pictures.bullets(more) if more else "")
