"""The journal of `spindle balance apply`: which plan is being carried out, so that it can go on.

One file for each cluster below `$SPINDLE_STATE_DIR` (default `~/.local/state/spindle`): written
before anything is started, again whenever the plan changes, put aside when it is over. What is done
is not in there: the cluster itself shows that. While a process carries the plan out it holds a
lock; a journal without its lock is that of a process that was killed. Called by `run`.
"""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import socket
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final, NotRequired, TypedDict

from spindle.cli.reassign.reassign_journal import state_directory
from spindle.client.results import Replica
from spindle.model.errors import Unusable
from spindle.pipeline.proposal import MoveDocument, Waves, parse_waves, waves_document
from spindle.planning.amounts import amount, counted

KEPT: Final = 20
"""Journals of runs that are over, as a record."""


@dataclass(frozen=True)
class RunOptions:
    """How a plan is carried out: moves at once, and bytes/s of each broker and each disk (None: no
    limit)."""

    moves_per_disk: int = 1
    moves_per_broker: int = 0
    throttle: int | None = None
    disk_rate: int | None = None

    @property
    def in_words(self) -> str:
        """How fast a run goes."""
        rates = [
            f"{amount(rate)}/s {what}"
            for rate, what in ((self.throttle, "per broker"), (self.disk_rate, "per disk"))
            if rate is not None
        ]
        per_broker = f", {self.moves_per_broker} per broker" if self.moves_per_broker else ""
        at_once = f"{counted(self.moves_per_disk, 'move')} per disk{per_broker} at once"
        return ", ".join([at_once, *(rates or ["no throttle"])])


@dataclass(frozen=True)
class GivenOptions:
    """The options of one command line; None: as the run has it, or the plan of a new one."""

    moves_per_disk: int | None = None
    moves_per_broker: int | None = None
    throttle: int | None = None
    disk_rate: int | None = None

    def over(self, options: RunOptions) -> RunOptions:
        """These options with what is asked for in their place."""
        return replace(options, **{n: v for n, v in vars(self).items() if v is not None})


@dataclass(frozen=True)
class BalanceRun:
    """A plan on its way: its file's text, how, since when (s since 1970), the waves in force."""

    plan: str
    options: RunOptions
    began: float
    waves: Waves
    replanned: int = 0
    ended: RunEnd | None = None
    """What became of it; None: it is not over."""
    by: str = ""
    """The user and the machine that began it: user@host."""
    there: frozenset[Replica] = frozenset()
    """Replicas that were where the plan wants them before it began."""

    @property
    def name(self) -> str:
        """What commands call it: when it began, in ms since 1970."""
        return str(round(self.began * 1000))


class RunEnd(TypedDict):
    """What became of a run, as its file has it; `at`: s since 1970."""

    complete: bool
    done: int
    failed: list[list[str]]
    at: float
    halted: NotRequired[dict[str, str]]
    moves: NotRequired[list[list[MoveDocument]]]
    """What it has moved, by wave: for its undoing."""


class _RunDocument(TypedDict):
    """A run in its file."""

    version: int
    began: float
    options: tuple[int, int, int | None, int | None]
    replanned: int
    waves: list[list[MoveDocument]]
    ended: RunEnd | None
    plan: str
    by: NotRequired[str]
    there: NotRequired[list[tuple[str, int, int]]]


class RunPace(TypedDict):
    """What is asked of the run that is under way; its file is there as long as it differs."""

    paused: bool
    options: tuple[int, int, int | None, int | None]


class RunJournal:
    """The journal of one cluster."""

    def __init__(self, cluster_id: str, folder: Path | None = None) -> None:
        self.folder = (folder or state_directory()) / "balance" / cluster_id
        self._file = self.folder / "run.json"
        self._pace = self.folder / "pace.json"
        self._held: IO[bytes] | None = None

    def lock(self) -> None:
        """Be the one that carries this cluster's plan out; Unusable where another process is."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            held = (self.folder / "run.lock").open("ab")
        except OSError as error:
            raise Unusable(
                f"the journal of this run cannot be kept in {self.folder} ({error.strerror}); name "
                "a directory that can be written by SPINDLE_STATE_DIR"
            ) from error
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.close()
            raise Unusable(
                "a plan is being carried out in this cluster by another process; follow it with "
                "`spindle balance watch`, end it with Ctrl-C (or SIGTERM) there"
            ) from None
        self._held = held
        self._pace.unlink(missing_ok=True)  # It was asked of another run.

    def is_held(self) -> bool:
        """Whether a process is carrying it out now."""
        if not self.folder.is_dir():
            return False
        with (self.folder / "run.lock").open("ab") as probe:
            try:
                fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def read(self) -> BalanceRun | None:
        """The run that is not over."""
        return _read(self._file)

    def last(self) -> BalanceRun | None:
        """The run that was over last."""
        paths = self._over()
        return _read(paths[-1]) if paths else None

    def over(self) -> list[BalanceRun]:
        """The runs that are over, those kept, the oldest first."""
        return [run for path in self._over() if (run := _read(path)) is not None]

    def pace(self) -> RunPace | None:
        """What commands ask of the run that is under way."""
        try:
            found: RunPace = json.loads(self._pace.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        return found

    def ask(self, paused: bool, options: RunOptions) -> None:
        """Ask the process that carries the run out to pause it, or to go on in another way."""
        fresh = self._pace.with_suffix(".tmp")
        fresh.write_text(json.dumps(RunPace(paused=paused, options=_as_tuple(options))))
        fresh.replace(self._pace)

    def write(self, run: BalanceRun) -> None:
        """Note a run, before what it is about to do."""
        assert self._held is not None, "a writer holds the lock"
        fresh = self._file.with_suffix(".tmp")
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(_document(run), file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._file)

    def end(self, run: BalanceRun, ended: RunEnd) -> None:
        """The run is over; its journal stays as a record, among the last ones."""
        self.write(replace(run, ended=ended))
        self._file.replace(self.folder / f"over-{round(run.began * 1000)}.json")
        for path in self._over()[:-KEPT]:
            path.unlink(missing_ok=True)

    def unlock(self) -> None:
        """Leave it to others."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def _over(self) -> list[Path]:
        return sorted(self.folder.glob("over-*.json")) if self.folder.is_dir() else []


def _as_tuple(o: RunOptions) -> tuple[int, int, int | None, int | None]:
    return o.moves_per_disk, o.moves_per_broker, o.throttle, o.disk_rate


def user_and_host() -> str:
    """The user of this process, and its machine."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # A user id without a name.
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"


def _document(run: BalanceRun) -> _RunDocument:
    return {
        "version": 1,
        "began": run.began,
        "options": _as_tuple(run.options),
        "replanned": run.replanned,
        "waves": waves_document(run.waves),
        "ended": run.ended,
        "plan": run.plan,
        "by": run.by,
        "there": sorted(run.there),
    }


def _read(path: Path) -> BalanceRun | None:
    """The run in a file; None where there is none that can be read."""
    try:
        told: _RunDocument = json.loads(path.read_text(encoding="utf-8"))
        return BalanceRun(
            told["plan"], RunOptions(*told["options"]), told["began"], parse_waves(told["waves"]),
            told["replanned"], told["ended"], told.get("by", ""),
            frozenset(Replica(*names) for names in told.get("there", ())),
        )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError):
        return None
