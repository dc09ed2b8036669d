"""All settings that exist, by name: of nodes (brokers and controllers) and of topics."""

from __future__ import annotations

from typing import Final

from spindle.model.settings.disk_care import DIRECTORIES
from spindle.model.settings.groups import GROUPS
from spindle.model.settings.network import NETWORK
from spindle.model.settings.node_settings import CLUSTER
from spindle.model.settings.remote import REMOTE
from spindle.model.settings.replication import REPLICATION
from spindle.model.settings.security import SECURITY
from spindle.model.settings.setting import Setting
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
