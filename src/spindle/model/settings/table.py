"""All settings that exist, by name: of nodes (brokers and controllers) and of topics."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from spindle.model.settings.disk_care import DIRECTORIES
from spindle.model.settings.groups import GROUPS
from spindle.model.settings.network import NETWORK
from spindle.model.settings.node_settings import CLUSTER
from spindle.model.settings.remote import REMOTE
from spindle.model.settings.replication import REPLICATION
from spindle.model.settings.security import SECURITY
from spindle.model.settings.setting import Setting, Status
from spindle.model.settings.shared import SHARED
from spindle.model.settings.storage import STORAGE
from spindle.model.settings.topic_settings import TOPICS

SECTIONS: Final[dict[str, tuple[Setting, ...]]] = {
    "The node and its cluster": CLUSTER,
    "Listeners and connections": NETWORK,
    "Logs": STORAGE,
    "Care of disks": DIRECTORIES,
    "Topics and replicas": REPLICATION,
    "Groups and transactions": GROUPS,
    "Security": SECURITY,
    "Share groups and streams groups": SHARED,
    "Tiered storage, metrics and quotas": REMOTE,
}
"""The node's settings as the documentation groups them."""

NODE_SETTINGS: Final = {s.name: s for section in SECTIONS.values() for s in section}
TOPIC_SETTINGS: Final = {s.name: s for s in TOPICS}

OF_LISTENER: Final = re.compile(r"listener\.name\.([^.]+)\.(.+)")
"""A setting of one listener: its name in lower case, and the setting's."""
_OF_MECHANISM: Final = re.compile(
    r"(?:plain|scram-sha-256|scram-sha-512|oauthbearer|gssapi)"
    r"\.(sasl\.jaas\.config|connections\.max\.reauth\.ms)"
    r"|oauthbearer\.(sasl\.server\.callback\.handler\.class)"
)
_OF_LISTENERS: Final = frozenset(
    (
        "max.connection.creation.rate",
        "max.connections",
        "connections.max.idle.ms",
        "connections.max.reauth.ms",
        "sasl.enabled.mechanisms",
        "sasl.server.max.receive.size",
        *(
            s.name
            for s in SECURITY
            if s.name.startswith(("ssl.", "sasl.oauthbearer.")) and s.status is Status.HONOURED
        ),
    )
)
"""What a listener may have for itself."""


def node_setting(name: str) -> Setting | None:
    """The row of a node's setting, or of one of its listeners', under that name."""
    own = OF_LISTENER.fullmatch(name)
    if own is None:
        return NODE_SETTINGS.get(name)
    if own[2] in _OF_LISTENERS:
        return replace(NODE_SETTINGS[own[2]], name=name)
    if (of_mechanism := _OF_MECHANISM.fullmatch(own[2])) is not None:
        base = NODE_SETTINGS[of_mechanism[1] or of_mechanism[2]]
        return replace(base, name=name, status=Status.HONOURED)
    return None
