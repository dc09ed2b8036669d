"""What `cordoned.log.dirs` may name (KIP-1066), in Apache Kafka's words.

Checked when a node's properties are read, and by a broker before it hands a change of its own
setting on to the controller, which does not know the broker's paths.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from spindle.model.errors import Unusable
from spindle.model.ids import LogDir

SETTING: Final = "cordoned.log.dirs"
ALL: Final = "*"


def check(named: Sequence[str], directories: Collection[LogDir]) -> None:
    """Unusable where a name is none of a node's log directories; `*` stands for all, alone."""
    if ALL in named:
        if len(named) > 1:
            raise Unusable(f"When {SETTING} is set to *, it must not contain other values")
        return
    missing = [name for name in named if name not in directories]
    if missing:
        raise Unusable(
            f"All entries in {SETTING} must be present in log.dirs or log.dir. Missing entries :"
            f" {', '.join(missing)}"
        )
