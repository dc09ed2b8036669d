"""Writes the tables of docs/settings.md: `python -m tests.settings_page`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from spindle.model.settings.setting import Setting, Status, Update
from spindle.model.settings.table import SECTIONS, TOPIC_SETTINGS

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
MARK = "<!-- from here on generated -->\n"


def page() -> str:
    """The whole page: what is written by hand, and the tables behind the mark."""
    written, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    assert mark, f"{PAGE} has lost its mark"
    parts = [written + mark, "## Topics\n", *_table(TOPIC_SETTINGS.values(), topics=True)]
    for title, settings in SECTIONS.items():
        parts += [f"\n## {title}\n", *_table(settings, topics=False)]
    return "\n".join(parts) + "\n"


def _table(settings: Iterable[Setting], *, topics: bool) -> Iterator[str]:
    yield f"| name | type | default | {'from the broker' if topics else 'changes'} | |"
    yield "|---|---|---|---|---|"
    for s in settings:
        last = s.broker if topics else _CHANGES[s.update]
        named = f"`{last}`" if topics and last else last or ""
        yield f"| `{s.name}` | {_type(s)} | {_default(s)} | {named} | {_mark(s)}{s.documentation} |"


_CHANGES = {Update.NO: "", Update.BROKER: "one broker", Update.CLUSTER: "one or all"}


def _mark(setting: Setting) -> str:
    return {Status.HONOURED: "", Status.NO_EFFECT: "*No effect.* ", Status.REFUSED: "*Refused.* "}[
        setting.status
    ]


def _type(setting: Setting) -> str:
    kind = setting.kind.name.lower()
    return f"{kind}, {setting.unit}" if setting.unit else kind


def _default(setting: Setting) -> str:
    if setting.default is None:
        return ""
    return f"`{setting.default}`" if setting.default else "empty"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
