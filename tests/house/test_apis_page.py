"""docs/apis.md says what the tables of APIs say, and why each gap is there (C-07)."""

from __future__ import annotations

import pytest
from tests.apis_page import NEITHER, OWN, PAGE, WHY, gaps, ours, page, theirs

from spindle.wire.apis import TABLE, Role, is_private

pytestmark = pytest.mark.spec("C-07")


def test_the_page_of_apis_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.apis_page"


def test_each_gap_has_a_reason_and_no_reason_is_old() -> None:
    assert gaps() == set(WHY), "tests/apis_page.py: WHY names what 4.3 serves and Spindle does not"


@pytest.mark.spec("C-06")
def test_what_neither_serves_is_served_by_neither() -> None:
    for role in Role:
        assert not NEITHER.keys() & (ours(role).keys() | theirs().apis[role].keys())


def test_each_api_of_our_own_is_explained() -> None:
    assert {key for key in TABLE if is_private(key)} == set(OWN)
