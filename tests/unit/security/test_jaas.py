"""Lines of sasl.jaas.config: what is read, and that no error shows what is in them."""

from __future__ import annotations

import pytest

from spindle.model.errors import Unusable
from spindle.security.jaas import parse_jaas

PLAIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


@pytest.mark.spec("S-01")
@pytest.mark.parametrize(
    ("options", "found"),
    [
        ('username="a" password="b"', {"username": "a", "password": "b"}),
        ("username=a password='b c'", {"username": "a", "password": "b c"}),
        (r'username="a" password="q\"\\;="', {"username": "a", "password": 'q"\\;='}),
        ('username = "a"\n  password = ""', {"username": "a", "password": ""}),
        ('/* name */ username="a" // and\n password="//b"', {"username": "a", "password": "//b"}),
        ("", {}),
    ],
)
def test_options_are_read_as_java_reads_them(options: str, found: dict[str, str]) -> None:
    module = parse_jaas(f"{PLAIN} required {options};")
    assert (module.name, module.options) == ("PlainLoginModule", found)


@pytest.mark.spec("S-01", "S-03")
@pytest.mark.parametrize(
    ("line", "says"),
    [
        (f'{PLAIN} required password="hush"', "no login module"),
        (f'{PLAIN} password="hush";', "no login module"),
        (f'{PLAIN} required password="hush" username;', "each option is written"),
        (f'{PLAIN} required password="hush"; {PLAIN} required;', "more than one login module"),
        (f'{PLAIN} required password="hush;', "a quotation mark has no other"),
        ("hush", "no login module"),
    ],
)
def test_a_wrong_line_is_refused_and_not_shown(line: str, says: str) -> None:
    with pytest.raises(Unusable, match=says) as refused:
        parse_jaas(line)
    assert "hush" not in str(refused.value)
    assert "hush" not in repr(parse_jaas(f'{PLAIN} required password="hush";'))
