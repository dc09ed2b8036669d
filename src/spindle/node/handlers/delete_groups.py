"""DeleteGroups (42), versions 0-2.

Behaviour: deletes groups without members, with their offsets; each is answered once its tombstones
are committed, and all together. NON_EMPTY_GROUP, GROUP_ID_NOT_FOUND per group.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spindle.model.errors import Error, Refusal
from spindle.node.calls import Call
from spindle.wire.entities import make

if TYPE_CHECKING:
    from spindle.node.broker import Broker


def on_broker(broker: Broker, call: Call) -> None:
    """Delete groups."""
    names = tuple(dict.fromkeys(call.body.groups_names))
    errors: dict[str, Error] = {}

    def finish(name: str, error: Error) -> None:
        errors[name] = error
        if len(errors) == len(names):
            call.answer(_encode(call, names, errors))

    if not names:
        call.answer(_encode(call, names, errors))
    for name in names:
        try:
            coordinator = broker.groups.coordinator(name)
        except Refusal as refusal:
            finish(name, refusal.error)
        else:
            coordinator.delete_group(name, partial(finish, name))


def _encode(call: Call, names: tuple[str, ...], errors: dict[str, Error]) -> Any:
    r = call.reply
    return make(
        r.DeleteGroupsResponse,
        results=tuple(
            r.DeletableGroupResult(group_id=name, error_code=errors[name]) for name in names
        ),
    )
