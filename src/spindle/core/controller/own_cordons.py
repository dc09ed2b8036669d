"""What a broker lets become of its own `cordoned.log.dirs` (KIP-1066).

Only the broker knows its directories, so it looks at a change before the controller takes it; what
the controller asks of one is in `configs`. Called by the handlers of AlterConfigs and
IncrementalAlterConfigs on a broker's listener.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from spindle.core.controller.config_resources import (
    Alteration,
    ConfigOperation,
    ConfigResource,
)
from spindle.core.controller.configs import listed, parts
from spindle.model import cordons
from spindle.model.errors import Error, Refusal, Unusable
from spindle.model.ids import LogDir, NodeId


@dataclass(frozen=True, slots=True)
class OwnCordons:
    """A broker, its directories, and what it has cordoned."""

    node_id: NodeId
    directories: Collection[LogDir]
    current: Sequence[str]

    def check(self, resource: ConfigResource, alterations: Iterable[Alteration]) -> None:
        """Refusal where a broker's cordons name what it has not, or are another broker's."""
        if not resource.name:
            return  # What all brokers share is theirs alone to judge, each when it sees it.
        for alteration in alterations:
            removes = alteration.operation == ConfigOperation.DELETE
            if alteration.name != cordons.SETTING or removes:
                continue
            if resource.name != str(self.node_id):
                raise Refusal(
                    Error.INVALID_REQUEST,
                    f"Unexpected broker id, expected {self.node_id}, but received {resource.name}",
                )
            named = parts(alteration.value)
            if alteration.operation != ConfigOperation.SET:
                named = listed(alteration.operation, self.current, named)
            try:
                cordons.check(named, self.directories)
            except Unusable as unusable:
                raise Refusal(Error.INVALID_REQUEST, f"requirement failed: {unusable}") from None
