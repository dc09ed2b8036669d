"""docs/settings.md says what the table of settings says."""

from tests.settings_page import PAGE, page


def test_the_page_of_settings_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.settings_page"
