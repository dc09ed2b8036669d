"""Takes a directory that was opened again into use once the cluster knows that it was away.

What is in it may be less than it was, and nobody shall go on leading with it in the same epoch as
if nothing had been (B-13). Belongs to `logdirs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spindle.node.logdirs.directories import Directory

if TYPE_CHECKING:
    from spindle.node.logdirs.logdirs import LogDirs


class Returning:
    """Directories on their way back."""

    def __init__(self, logs: LogDirs) -> None:
        self._logs = logs
        self._broker = logs.broker

    def on_reopened(self, directory: Directory) -> None:
        """A failed directory is open again: register it."""
        self._broker.out.say("warning", "log directory is back", directory=directory.path)
        self._logs.directories.note(directory, "back")
        self.take_up()

    def take_up(self) -> None:
        """Use the directories that are back once the cluster knows of them.

        And before that, of their failure. Before the metadata is known nobody can tell whose logs
        they hold.
        """
        own = self._broker.image.brokers.get(self._broker.node_id)
        if not self._logs.is_settled or own is None:
            return
        for directory in self._logs.directories.all.values():
            if directory.opened is None or directory.id is None:
                continue
            if not self._logs.speaks_of_directories:
                self._take_up(directory)
            elif directory.id not in own.log_dirs:
                if not directory.offered:
                    directory.offered = True
                    self._broker.lifecycle.on_directory_back(directory.id)
            elif directory.offered:
                self._take_up(directory)

    def _take_up(self, directory: Directory) -> None:
        opened = self._logs.directories.take_up(directory)
        self._logs.look_into(opened)
        self._logs.places.on_returned(opened)
        self._logs.scrubbing.begin(directory.path)
        for id in list(self._logs.places.all):
            self._logs.on_placed(id)
