"""Work that takes long and touches no file: done beside the event loop, on a lane of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from spindle.model.errors import Refusal
from spindle.model.ids import LogDir
from spindle.model.jobs import BesideJob


@dataclass(slots=True)
class Compute(BesideJob[object]):
    """Something that takes long and touches no file: a function of values that change no more."""

    work: Callable[[], object]

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """One for each directory."""
        return (f"{self.directory} compute", self.directory)


class SteppedWork(Protocol):
    """Something to be looked at in steps, on any thread, one after the other."""

    @property
    def brief(self) -> bool:
        """Whether all of it is so little that it may be done where it is."""

    def step(self, most: int) -> bool:
        """Go on by so much; whether that was all. Refusal for what is not as it must be."""

    def take_seen(self) -> int:
        """How much was looked at since this was last asked."""


@dataclass(slots=True)
class CheckRecords(BesideJob[bool | Refusal]):
    """One step of a look into a client's records: whether it was the last, or why to refuse them.

    Touches no file: the directory is the one that the records would go to.
    """

    walk: SteppedWork
    most: int

    @property
    def lane(self) -> tuple[LogDir, LogDir]:
        """One for each directory."""
        return (f"{self.directory} check", self.directory)
