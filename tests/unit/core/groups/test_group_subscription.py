"""Where groups live, and what consumers subscribe to."""

from __future__ import annotations

import pytest

from spindle.core.groups.subscription import partition_for, subscribed_topics


@pytest.mark.parametrize(
    ("group", "partition"),
    [
        # Java: Math.abs(name.hashCode()) % 50, and 0 for Integer.MIN_VALUE.
        ("", 0),
        ("a", 47),
        ("test-group", 12),
        ("my-consumer-group", 13),
        ("polygenelubricants", 0),
        ("grüße", 23),
        ("\N{GRINNING FACE}", 49),
    ],
)
def test_groups_live_where_java_puts_them(group: str, partition: int) -> None:
    assert partition_for(group, 50) == partition


def test_topics_of_a_subscription_are_read_and_the_rest_is_not() -> None:
    names = b"\0\1a\0\3b\xc3\xa9"
    assert subscribed_topics(b"\0\0\0\0\0\2" + names + b"anything") == ("a", "bé")
    assert subscribed_topics(b"\0\0\0\0\0\0") == ()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0\0\0\0\0",
        b"\xff\xff\0\0\0\0",
        b"\0\0\0\0\0\1\0\5abc",
        b"\0\0\0\0\0\1\0",
        b"\0\0\0\0\0\1\xff\xffabc",
        b"\0\0\0\0\0\1\0\1\xff",
    ],
)
def test_bytes_that_are_no_subscription_say_nothing(data: bytes) -> None:
    assert subscribed_topics(data) is None
