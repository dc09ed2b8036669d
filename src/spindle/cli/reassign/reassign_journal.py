"""Which throttles a plan's execution has set, and what stood there before: a file until it is over.

A run that is killed takes nothing back; the next one on this machine finds the file and finishes
that. One file for each plan, below `$SPINDLE_STATE_DIR` (default: `~/.local/state/spindle`) and the
cluster's id, so it works for any cluster. A plan in execution is locked: its throttles are set
before its moves begin, and no other run may take them for left behind. Called by `limits`.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final, TypedDict

from spindle.cli.reassign.reassignment_plan import ReassignmentPlan, parse_plan, plan_json
from spindle.client.results import Resource, ResourceType
from spindle.model.errors import Unusable

_NOTES_MAX: Final = 1000
"""Files that are looked at; more than that belong to no open plan."""


@dataclass(frozen=True)
class ChangedSetting:
    """One setting that a run has set: what it was (None: not set), and what it was set to."""

    resource: Resource
    name: str
    before: str | None
    ours: str


@dataclass(frozen=True)
class Note:
    """A plan, and the settings that hold its copies back."""

    plan: ReassignmentPlan
    settings: tuple[ChangedSetting, ...]


class Journal:
    """The notes of one cluster. OSError where the state directory cannot be used."""

    def __init__(self, cluster_id: str, folder: Path | None = None) -> None:
        self.folder = (folder or state_directory()) / "reassign" / cluster_id
        self._locks: dict[Path, IO[bytes]] = {}

    def write(self, plan: ReassignmentPlan, settings: Iterable[ChangedSetting]) -> None:
        """Note settings that are about to be set; locks the plan while this journal is held.

        What an earlier run of the same plan had found stays what it was before.
        """
        path = self._path(plan)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock(path)
        known = self.of(plan)
        merged = {(s.resource, s.name): s for s in (known.settings if known else ())}
        for setting in settings:
            earlier = merged.get((setting.resource, setting.name))
            before = setting.before if earlier is None else earlier.before
            merged[setting.resource, setting.name] = replace(setting, before=before)
        self._save(path, Note(plan, tuple(merged.values())))

    def of(self, plan: ReassignmentPlan) -> Note | None:
        """The note of a plan."""
        return _read(self._path(plan))

    def left_behind(self) -> list[Note]:
        """The notes whose runs have ended, by whatever end."""
        notes = []
        for path in self._paths():
            if path not in self._locks and self._is_free(path) and (note := _read(path)):
                notes.append(note)
        return notes

    def keep(self, plan: ReassignmentPlan, settings: Iterable[ChangedSetting]) -> None:
        """Keep these settings of a plan, since the others are as they were; none: no note.

        If another plan's run found our values, it restores the values that we had found.
        """
        path = self._path(plan)
        note = _read(path)
        gone = {(s.resource, s.name): s for s in (note.settings if note else ())}
        left = tuple(settings)
        for setting in left:
            gone.pop((setting.resource, setting.name), None)
        for other in self._paths():
            if other != path and (theirs := _read(other)):
                self._save(other, replace(theirs, settings=_inherited(theirs.settings, gone)))
        if left:
            self._save(path, Note(plan, left))
            return
        path.unlink(missing_ok=True)
        path.with_suffix(".lock").unlink(missing_ok=True)
        if path in self._locks:
            self._locks.pop(path).close()

    def _path(self, plan: ReassignmentPlan) -> Path:
        text = plan_json(plan.replicas, plan.directories)
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob("*.json"))[:_NOTES_MAX] if self.folder.is_dir() else []

    def _lock(self, path: Path) -> None:
        if path in self._locks:
            return
        held = path.with_suffix(".lock").open("wb")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.close()
            raise Unusable("this plan is being executed by another process: watch it") from None
        self._locks[path] = held

    def _is_free(self, path: Path) -> bool:
        with path.with_suffix(".lock").open("ab") as probe:
            try:
                fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return False
        return True

    def _save(self, path: Path, note: Note) -> None:
        document = {
            "plan": json.loads(plan_json(note.plan.replicas, note.plan.directories)),
            "settings": [[s.resource.type, s.resource.name, *_values(s)] for s in note.settings],
        }
        fresh = path.with_suffix(".tmp")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(document, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)


def state_directory() -> Path:
    """Where commands keep what must outlive them."""
    if given := os.environ.get("SPINDLE_STATE_DIR"):
        return Path(given)
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "spindle"


def _inherited(
    settings: tuple[ChangedSetting, ...], gone: dict[tuple[Resource, str], ChangedSetting]
) -> tuple[ChangedSetting, ...]:
    found = []
    for setting in settings:
        former = gone.get((setting.resource, setting.name))
        if former is not None and former.ours == setting.before:
            setting = replace(setting, before=former.before)
        found.append(setting)
    return tuple(found)


class _NoteDocument(TypedDict):
    """A note in its file; each setting: the kind and name of what has it, its name, was, is."""

    plan: object
    settings: list[tuple[int, str, str, str | None, str]]


def _read(path: Path) -> Note | None:
    """The note in a file; None where there is none that can be read."""
    try:
        document: _NoteDocument = json.loads(path.read_text(encoding="utf-8"))
        plan = parse_plan(json.dumps(document["plan"]))
        settings = tuple(
            ChangedSetting(Resource(ResourceType(kind), name), setting, before, ours)
            for kind, name, setting, before, ours in document["settings"]
        )
    except (OSError, ValueError, KeyError, TypeError, Unusable):
        return None
    return Note(plan, settings)


def _values(setting: ChangedSetting) -> tuple[str, str | None, str]:
    return setting.name, setting.before, setting.ours
