"""How `spindle reassign` shows plans: tables for people, documents for scripts.

Pure but for printing. The lines of Kafka's own tool are in `state`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from spindle.cli import render
from spindle.cli.reassign.reassigning import Executed, Verified
from spindle.cli.reassign.reassignment_state import MoveState, PartitionState, numbers
from spindle.client.results import Reassignment, Replica
from spindle.model.ids import TopicPartition


def show(found: Verified) -> None:
    """A plan's partitions and replicas, and how far each has come."""
    render.table(
        "Partitions",
        ("partition", "brokers", "wanted", "state"),
        [
            (str(name), numbers(s.current) or "-", numbers(s.target), _partition_state(s))
            for name, s in sorted(found.partitions.items())
        ],
    )
    if found.moves:
        render.table(
            "Directories",
            ("replica", "directory", "wanted", "state", "copied", "of"),
            [_move(replica, state) for replica, state in sorted(found.moves.items())],
        )


def show_active(active: Mapping[TopicPartition, Reassignment], moves: Verified | None) -> None:
    """What is under way in a cluster."""
    if not active and (moves is None or not moves.moves):
        render.say("Nothing is in progress: no reassignment, no move between directories.")
    if active:
        render.table(
            "Reassignments",
            ("partition", "replicas", "coming", "going"),
            [
                (str(n), numbers(r.replicas), numbers(r.adding), numbers(r.removing))
                for n, r in sorted(active.items())
            ],
        )
    if moves is not None and moves.moves:
        render.table(
            "Moves between directories",
            ("replica", "from", "to", "copied", "of"),
            [
                (
                    str(replica),
                    state.current or "(offline)",
                    state.target,
                    render.size(state.copied),
                    render.size(state.size),
                )
                for replica, state in sorted(moves.moves.items())
            ],
        )


def show_executed(done: Executed) -> None:
    """How replicas come into the directories that the plan names."""
    if done.directories:
        render.table(
            "Directories",
            ("replica", "directory", "how"),
            [
                (str(replica), path, chosen.value)
                for replica, (path, chosen) in sorted(done.directories.items())
            ],
        )


def document(found: Verified) -> dict[str, object]:
    """The same for scripts."""
    return {
        "version": 1,
        "complete": found.complete,
        "active": found.active,
        "partitions": [
            {
                "topic": name.topic,
                "partition": name.partition,
                "replicas": list(state.current),
                "target": list(state.target),
                "active": state.active,
            }
            for name, state in found.partitions.items()
        ],
        "moves": [_move_document(replica, state) for replica, state in found.moves.items()],
    }


def active_document(
    active: Mapping[TopicPartition, Reassignment], moves: Verified | None
) -> dict[str, object]:
    """What is under way, for scripts."""
    return {
        "version": 1,
        "reassignments": [
            {
                "topic": name.topic,
                "partition": name.partition,
                "replicas": list(r.replicas),
                "adding": list(r.adding),
                "removing": list(r.removing),
            }
            for name, r in active.items()
        ],
        "moves": [
            _move_document(replica, state)
            for replica, state in (moves.moves if moves is not None else {}).items()
        ],
    }


def executed_document(done: Executed) -> dict[str, object]:
    """What an execution has started, for scripts."""
    return {
        "version": 1,
        "rollback": json.loads(done.rollback),
        "reassigned": [
            {"topic": name.topic, "partition": name.partition} for name in done.reassigned
        ],
        "directories": [
            {
                "topic": r.topic,
                "partition": r.partition,
                "broker": r.broker,
                "logDir": path,
                "chosen": chosen.name.lower(),
            }
            for r, (path, chosen) in sorted(done.directories.items())
        ],
    }


def _partition_state(state: PartitionState) -> str:
    if state.active:
        return "in progress"
    return "completed" if state.reached else "not in progress"


def _move(replica: Replica, state: MoveState) -> tuple[str, ...]:
    copied = (render.size(state.copied), render.size(state.size)) if state.active else ("-", "-")
    what = state.move.value
    if state.future is not None and state.future != state.target:
        what = f"{what}: {state.future}"
    where = state.current or "-"
    return str(replica), where, state.target, state.failure or what, *copied


def _move_document(replica: Replica, state: MoveState) -> dict[str, object]:
    return {
        "topic": replica.topic,
        "partition": replica.partition,
        "broker": replica.broker,
        "state": state.move.value,
        "target": state.target,
        "current": state.current,
        "future": state.future,
        "copiedBytes": state.copied,
        "bytes": state.size,
    }
