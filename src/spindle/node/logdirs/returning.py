"""Takes a directory that was opened again into use once the cluster knows that it was away.

What is in it may be less than it was, and nobody shall go on leading with it in the same epoch as
if nothing had been (B-13). Belongs to `logdirs`.
"""

from __future__ import annotations

from collections.abc import Callable

from spindle.node.broker_context import BrokerContext
from spindle.node.logdirs.directories import ConfiguredLogDir, Directories
from spindle.node.logdirs.life import LifecyclePort


class Returning:
    """Directories on their way back."""

    def __init__(
        self,
        context: BrokerContext,
        directories: Directories,
        life: LifecyclePort,
        returned: Callable[[ConfiguredLogDir], None],
    ) -> None:
        """`returned`: a directory may be used again."""
        self._context = context
        self._directories = directories
        self._life = life
        self._returned = returned

    def take_up(self) -> None:
        """Use the directories that are back once the cluster knows of them.

        And before that, of their failure. Not before the metadata is known: until then nobody can
        tell whose logs they hold.
        """
        own = self._context.image.brokers.get(self._context.node_id)
        if own is None:
            return
        for directory in self._directories.all.values():
            if directory.opened is None or directory.id is None:
                continue
            if not self._context.speaks_of_directories:
                self._returned(directory)
            elif directory.id not in own.log_dirs:
                if not directory.offered:
                    directory.offered = True
                    self._life.on_directory_back(directory.id)
            elif directory.offered:
                self._returned(directory)
