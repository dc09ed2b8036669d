"""The page of metrics, the alert rules and the dashboard stand on the tables of metrics."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.metrics_page import PAGE, page
from tools import dashboard

from spindle.model.metric_tables import all_metrics
from spindle.model.statistics import Metric

RULES = Path(__file__).parents[2] / "operations" / "spindle-rules.yml"
TESTS = RULES.with_name("spindle-rules-test.yml")
EXPRESSION = re.compile(r"expr: (\|\n(?: {10}.*\n)+|.*\n)")
NAMES = re.compile(r"\b((?:kafka|spindle|process)_\w+|up\b)")
OF_THE_PROCESS = {
    "process_cpu_seconds_total",
    "process_max_fds",
    "process_open_fds",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
    "process_virtual_memory_bytes",
}
"""Which prometheus_client tells by itself."""


def metrics() -> list[Metric]:
    return [metric for section in all_metrics.SECTIONS for metric in section.metrics]


def known() -> set[str]:
    recorded = set(re.findall(r"record: (\w+)", RULES.read_text(encoding="utf-8")))
    return {metric.name for metric in metrics()} | recorded | OF_THE_PROCESS | {"up"}


def test_the_page_of_metrics_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.metrics_page"


def test_each_metric_has_one_row_and_a_plain_name() -> None:
    names = [metric.name for metric in metrics()]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"(kafka|spindle)_[a-z0-9_]+", name) for name in names)


def test_the_dashboard_is_up_to_date_and_asks_for_what_there_is() -> None:
    text = dashboard.PAGE.read_text(encoding="utf-8")
    assert text == dashboard.dashboard(), "run: python -m tools.dashboard"
    asked = {name for each in dashboard.expressions() for name in NAMES.findall(each)}
    assert asked - known() == set()
    ids = [panel["id"] for panel in json.loads(text)["panels"]]
    assert len(ids) == len(set(ids))


def test_the_rules_ask_for_what_there_is() -> None:
    found = EXPRESSION.findall(RULES.read_text(encoding="utf-8"))
    assert len(found) > 20
    assert {name for each in found for name in NAMES.findall(each)} - known() == set()


def test_each_alert_is_tested_silent_and_firing() -> None:
    alerts = re.findall(r"alert: (\w+)", RULES.read_text(encoding="utf-8"))
    text = TESTS.read_text(encoding="utf-8")
    for alert in alerts:
        assert re.search(rf"alertname: {alert}, exp_alerts: \[\]", text), alert
        assert re.search(rf"alertname: {alert}\n +exp_alerts:\n +- exp_labels", text), alert
    assert len(alerts) == len(set(alerts))
