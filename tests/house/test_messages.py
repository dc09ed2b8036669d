"""The generated messages are those that the schemas and the generator of today give."""

from tools.messages.__main__ import stale


def test_the_messages_are_as_they_would_be_written_now() -> None:
    assert not stale(), "run `python -m tools.messages`"
