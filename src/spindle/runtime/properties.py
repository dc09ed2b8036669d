"""Reads a node's `server.properties`; light, since `spindle storage` runs no node."""

from __future__ import annotations

import os
from pathlib import Path

from spindle.model.config import NodeConfig, node_config
from spindle.security.properties_file import read_properties


def read_config(path: Path) -> NodeConfig:
    """A node's configuration from its properties file, directories made absolute."""
    properties = read_properties(path)
    for name in ("log.dirs", "log.dir", "metadata.log.dir"):
        if name in properties:
            parts = [part.strip() for part in properties[name].split(",") if part.strip()]
            properties[name] = ",".join(os.path.abspath(part) for part in parts)
    return node_config(properties)
