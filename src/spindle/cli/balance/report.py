"""What `spindle balance` has to say of a plan and its execution: JSON, and text for people.

Functions of values: nothing is asked, started or moved here. Pages are `page`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from spindle.cli import render
from spindle.planning.amounts import counted, lasting, listed

if TYPE_CHECKING:
    from spindle.cli.balance.applying import Watched
    from spindle.cli.balance.balance_journal import RunOptions
    from spindle.cli.balance.starting import Rehearsal
    from spindle.pipeline.execution_values import PlanOutcome
    from spindle.pipeline.proposal import ClusterProposal, DirectoryNow, PlanRequest
    from spindle.planning.load import Band

WAITING_SHOWN = 20
"""Moves in text; the JSON has all of them."""
WITHIN = "every directory is within the band, or a note explains why not"


def headline(proposal: ClusterProposal) -> str:
    """The plan in a sentence, with what it is measured by."""
    orders = 0 if proposal.leadership is None else len(proposal.leadership.orders)
    those = counted(orders, "partition gets", "partitions get")
    leaders = f"{those} another preferred leader, for which nothing is copied"
    parts = []
    if proposal.moves:
        moves, waves = counted(len(proposal.moves), "move"), counted(len(proposal.waves), "wave")
        parts.append(f"{moves} in {waves}, {render.size(proposal.bytes_moved)}")
    if proposal.moves and proposal.bound:
        parts.append(f"lower bound for a plan as even: {render.size(proposal.bound)}")
    if orders:
        parts += [leaders] if proposal.moves else ["No moves", leaders]
    unplanned = proposal.unplanned
    if unplanned or not proposal.directories:
        parts.append(_unplanned(unplanned, first=not parts))
    if not parts:
        return f"Nothing to move: {WITHIN}."
    planned = {d.broker for d in proposal.directories} - set(unplanned)
    if planned and not (proposal.moves or orders):
        parts.append(f"nothing to move on the other brokers: {WITHIN}")
    return "; ".join(parts)


def _unplanned(brokers: Sequence[int], first: bool) -> str:
    nothing = "Nothing" if first else "nothing"
    if not brokers:
        return f"{nothing} could be planned: no broker reported a log directory"
    those = "broker" if len(brokers) == 1 else "brokers"
    return f"{nothing} could be planned for {those} {', '.join(map(str, brokers))}"


def result(outcome: PlanOutcome) -> str:
    """What became of it, in a sentence."""
    text = "nothing was moved"
    if outcome.moved:
        moved = counted(len(outcome.moved), "replica")
        text = f"{moved} moved and verified in {outcome.seconds:.1f} s"
    if outcome.there:
        text += f"; {counted(len(outcome.there), 'replica was', 'replicas were')} there before"
    if outcome.gone:
        text += f"; {len(outcome.gone)} skipped: deleted since the plan"
    if outcome.replanned:
        text += f", replanned {counted(outcome.replanned, 'time')}"
    return text + (f"; {len(outcome.failed)} not" if outcome.failed else "")


def show(proposal: ClusterProposal, lost: Sequence[str] = (), against: Sequence[str] = ()) -> None:
    """A plan as text on the terminal.

    `lost`: directories and brokers that it is made without; `against`: why it does not exist, which
    is printed elsewhere.
    """
    rated = any(d.rate_before is not None for d in proposal.directories)
    columns = ("broker", "directory", "state", "now", "planned", "share of capacity")
    render.table(
        "Log directories",
        (*columns, "writes/s now", "planned") if rated else columns,
        [
            (
                str(d.broker),
                d.path,
                state(d, lost),
                *map(render.size, d.sizes),
                _shares(d.sizes, d.capacity),
                *((render.size(d.rate_before or 0), render.size(d.rate_after or 0))
                  if rated else ()),
            )
            for d in proposal.directories
        ],
    )  # fmt: skip
    if proposal.leadership is not None:
        render.table("Preferred leaders", *leader_rows(proposal))
    for broker, why in proposal.silent:
        render.warn(f"broker {broker} did not answer: {why}")
    for note in proposal.notes:
        if note not in against:
            render.say(note)
    sentence = headline(proposal)
    if any(" the band" in text for text in (*proposal.notes, sentence)):
        render.say(band(proposal.wanted.band))
    render.say(sentence)


def show_limits(proposal: ClusterProposal) -> None:
    """What a plan with moves has kept to and will keep to, and how long it takes at least."""
    if proposal.moves:
        render.table("Limits", ("limit", "value", "option"), limit_rows(proposal.wanted))
        render.say(duration(proposal))


def limit_rows(wanted: PlanRequest) -> list[tuple[str, str, str]]:
    """The limits of a plan: those that always hold, and those that were asked for."""
    band, limits, pace = wanted.band, wanted.limits, wanted.pace
    per_broker = str(limits.moves_per_broker) if limits.moves_per_broker else "no limit"
    throttle = f"{render.size(pace.broker)}/s" if pace.broker else "no throttle"
    rows = [
        ("a disk is filled to", f"{band.high_mark:.0%}, copies included", "--high-mark"),
        ("moves of a disk at once", str(limits.moves_per_disk), "--moves-per-disk"),
        ("moves of a broker at once", per_broker, "--moves-per-broker"),
        ("a broker copies", throttle, "--throttle"),
    ]
    if pace.disk:
        each = f"{render.size(pace.disk)}/s on the average"
        rows.append(("from and to a disk", each, "--disk-throttle"))
    if band.free_floor:
        rows.append(("free on each disk", render.size(band.free_floor), "--free-floor"))
    if band.least is not None:
        rows.append(("smallest replica moved", render.size(band.least), "--least"))
    if wanted.budget.moves is not None:
        rows.append(("moves in all", str(wanted.budget.moves), "--max-moves"))
    if wanted.budget.bytes is not None:
        rows.append(("bytes moved in all", render.size(wanted.budget.bytes), "--max-bytes"))
    if wanted.budget.least_benefit is not None:
        least = f"{wanted.budget.least_benefit:g} bytes closer to even"
        rows.append(("each byte moved brings", least, "--least-benefit"))
    if wanted.exclude:
        rows.append(("nothing moves into", listed(wanted.exclude), "--exclude"))
    chosen = wanted.selection
    for what, texts, option in (
        ("topics that move", chosen.topics, "--topics"),
        ("partitions that move", chosen.partitions, "--topic-partitions"),
        ("topics that stay", chosen.exclude_topics, "--exclude-topics"),
        ("partitions that stay", chosen.exclude_partitions, "--exclude-topic-partitions"),
    ):
        if texts:
            rows.append((what, listed(texts), option))
    return rows


def duration(proposal: ClusterProposal) -> str:
    """How long a plan takes at least, or that nothing is known of it."""
    if proposal.wanted.pace == (None, None):
        return (
            "No throttle is set (--throttle): moves copy as fast as disks and network allow, so "
            "the plan cannot estimate the time"
        )
    longest = proposal.longest
    if longest is None:
        return "No throttle slows any move"
    copies = f"broker {longest.broker} copies {render.size(longest.size)} {longest.way}"
    return f"At this throttle it takes about {lasting(longest.seconds)} or longer: {copies}"


def band(asked: Band) -> str:
    """What the band is, of which the notes speak."""
    text = f"the band: {asked.tolerance:.1%} above or below the mean share of capacity"
    if asked.rate_tolerance is None:
        return f"{text} (--tolerance)"
    rates = f"{asked.rate_tolerance:.1%} above or below the mean of writes (--rate-tolerance)"
    return f"{text} (--tolerance), {rates}"


def _shares(sizes: Sequence[int | None], capacity: int) -> str:
    """Parts of a capacity, before and after: "-" where nothing of it is known."""
    if not capacity or None in sizes:
        return "-"
    return " -> ".join(render.percent((size or 0) / capacity) for size in sizes)


def leader_rows(proposal: ClusterProposal) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """A table of leaders: its columns and rows."""
    unit = "" if proposal.wanted.band.rate_tolerance is None else "/s"
    columns = ("broker", "leads now", "planned", f"bytes{unit} now", f"bytes{unit} planned")
    leads = () if proposal.leadership is None else proposal.leadership.leads
    return columns, [
        (
            str(lead.broker), f"{lead.partitions_before:,}", f"{lead.partitions_after:,}",
            render.size(round(lead.weight_before)), render.size(round(lead.weight_after)),
        )
        for lead in leads
    ]  # fmt: skip


def state(directory: DirectoryNow, lost: Sequence[str] = ()) -> str:
    """Whether a directory serves and takes replicas, or is taken for lost."""
    if directory.name in lost or str(directory.broker) in lost:
        return "lost"
    if not directory.online:
        return "offline"
    return "cordoned" if directory.cordoned else "online"


def show_rehearsal(found: Rehearsal, options: RunOptions) -> None:
    """What a run would do."""
    moves = counted(found.moves, "move")
    render.say(f"Nothing was changed. A run would make {moves}, {render.size(found.bytes)}.")
    if found.there:
        render.say(f"{counted(found.there, 'replica')} in place already.")
    if found.gone:
        render.say(f"{counted(found.gone, 'move')} skipped: the partition was deleted.")
    if found.leaders:
        several = counted(found.leaders, "partition gets", "partitions get")
        render.say(f"{several} another preferred leader.")
    render.say(f"Pace: {options.in_words}.")


def show_outcome(outcome: PlanOutcome) -> None:
    """What became of a plan; first of all, what has stopped it."""
    for broker, cause in outcome.halted.items():
        render.warn(f"the moves of broker {broker} were stopped: {cause}")
    render.say(result(outcome))
    for move, why in outcome.failed:
        render.warn(f"{move.name} on broker {move.broker}: {why}")
    for unled in outcome.unled:
        render.warn(f"{unled.name} is not led by broker {unled.leader}: {unled.why}")
    if outcome.halted:
        those = " and ".join(f"broker {broker}" for broker in outcome.halted)
        render.say(
            f"Once {those} can move replicas again, make a new plan: it begins where replicas are "
            "then."
        )
    if outcome.unled:
        render.say(
            "A preferred leader is elected once its broker is in sync again. Then apply the plan "
            "again, or elect the leaders with kafka-leader-election.sh."
        )


def outcome_document(outcome: PlanOutcome) -> dict[str, object]:
    """The same for scripts."""
    return {
        "version": 1,
        "complete": outcome.complete,
        "done": len(outcome.done),
        "failed": [
            {"topic": m.topic, "partition": m.partition, "broker": m.broker, "reason": why}
            for m, why in outcome.failed
        ],
        "unled": [
            {"topic": u.topic, "partition": u.partition, "leader": u.leader, "reason": u.why}
            for u in outcome.unled
        ],
        "moved": len(outcome.moved),
        "gone": [{"topic": m.topic, "partition": m.partition} for m in outcome.gone],
        "halted": [{"broker": b, "reason": why} for b, why in outcome.halted.items()],
        "replanned": outcome.replanned,
        "seconds": round(outcome.seconds, 3),
    }


def show_watched(seen: Watched | None, cluster: str) -> None:
    """How far a run is, or how the last one ended."""
    if seen is None:
        render.say("This machine has not applied a plan to this cluster.")
        return
    p = seen.progress
    copied = f"{render.size(p.done_bytes)} of {render.size(p.bytes)}"
    render.say(f"{p.done_moves:,} of {counted(p.moves, 'move')} done, {copied} copied.")
    render.table(
        "Target disks",
        ("directory", "copied", "of", ""),
        [
            (name, render.size(done), render.size(total), render.bar(done, total))
            for name, (done, total) in p.disks.items()
        ],
    )
    for move in seen.running[:WAITING_SHOWN]:
        where = "" if not move.between else f"broker {move.to} "
        render.say(f"moving: {move.name} on broker {move.broker}, to {where}{move.target}")
    if seen.run.ended is not None:
        words = "complete" if seen.complete else "not complete"
        render.say(f"The run has ended, {words}.")
    elif not seen.alive:
        render.say(
            "The process of `apply` is gone: moves in progress continue, no new ones start, and "
            "the throttles stay.\n"
            f"  resume:   spindle balance apply {cluster}\n"
            f"  cancel:   spindle balance cancel {cluster}"
        )


def watched_document(seen: Watched | None) -> dict[str, object]:
    """The same for scripts."""
    if seen is None:
        return {"version": 1, "run": None}
    p = seen.progress
    return {
        "version": 1,
        "run": {
            "began": seen.run.began,
            "alive": seen.alive,
            "ended": seen.run.ended,
            "replanned": seen.run.replanned,
            "moves": p.moves,
            "doneMoves": p.done_moves,
            "bytes": p.bytes,
            "doneBytes": p.done_bytes,
            "disks": {
                name: {"doneBytes": done, "bytes": total}
                for name, (done, total) in p.disks.items()
            },
            "moving": [
                {
                    "topic": m.topic, "partition": m.partition, "broker": m.broker,
                    "destination": m.to, "target": m.target,
                }
                for m in seen.running
            ],
        },
    }  # fmt: skip
