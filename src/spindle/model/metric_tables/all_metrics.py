"""The sections of docs/metrics.md, in its order."""

from __future__ import annotations

from typing import Final

from spindle.model.metric_tables import (
    between_directories,
    client_figures,
    controllers,
    disk_figures,
    led_groups,
    node_figures,
    replication_figures,
    traffic,
)
from spindle.model.statistics import MetricSection

SECTIONS: Final[tuple[MetricSection, ...]] = (
    traffic.SECTION,
    replication_figures.SECTION,
    disk_figures.SECTION,
    between_directories.SECTION,
    led_groups.SECTION,
    client_figures.SECTION,
    controllers.SECTION,
    node_figures.SECTION,
)
