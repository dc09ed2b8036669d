"""`--add-scram`: what Apache Kafka's tool takes is taken, and what it refuses is refused."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from spindle.cli.storage.scram_arguments import scram_records
from spindle.model.errors import Unusable
from spindle.model.scram import ScramMechanism

pytestmark = pytest.mark.spec("S-04")
SALT = base64.b64encode(b"salt of 12 b").decode()
SECRET = "cee-aitch"


def test_a_password_becomes_keys() -> None:
    (one,) = scram_records([f' SCRAM-SHA-256=[name=ann,salt="{SALT}",password="{SECRET}"] '])
    mechanism = ScramMechanism.SHA_256
    keys = mechanism.keys(mechanism.salted(SECRET, b"salt of 12 b", 4096))
    assert (one.name, one.mechanism, one.iterations) == ("ann", 1, 4096)
    assert (one.salt, one.stored_key, one.server_key) == (b"salt of 12 b", *keys)


def test_a_salted_password_stands_for_it() -> None:
    salted = ScramMechanism.SHA_512.salted(SECRET, b"salt of 12 b", 8192)
    text = base64.b64encode(salted).decode()
    given = "SCRAM-SHA-512=[name=ann,iterations=8192,salt=" + SALT
    first, second = scram_records(
        [f"{given},saltedpassword={text}]", f"{given},password={SECRET}]"]
    )
    assert first == second


def test_salts_are_random() -> None:
    wish = f"SCRAM-SHA-256=[name=ann,password={SECRET}]"
    first, second = scram_records([wish, wish])
    assert first.salt != second.salt
    assert len(first.salt) == 32


def test_a_file_holds_them(tmp_path: Path) -> None:
    path = tmp_path / "users"
    path.write_text("SCRAM-SHA-256=[name=ann,password=a]\n\nSCRAM-SHA-512=[name=bob,password=b]\n")
    assert [one.name for one in scram_records([f"@{path}"])] == ["ann", "bob"]
    with pytest.raises(Unusable, match="No such file"):
        scram_records([f"@{path}s"])


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ("x", "Failed to find equals sign"),
        ("SCRAM-SHA-1=[name=a]", "The add-scram mechanism SCRAM-SHA-1 is not supported"),
        ("SCRAM-SHA-256=name=a]", r"to start with \["),
        ("SCRAM-SHA-256=[name=a", r"to end with \]"),
        ("SCRAM-SHA-256=[nom]", "No equals sign found in SCRAM component"),
        (f"SCRAM-SHA-256=[password={SECRET}]", "must supply 'name'"),
        ("SCRAM-SHA-256=[name=a]", "one of 'password' or 'saltedpassword'"),
        (f"SCRAM-SHA-256=[name=a,saltedpassword={SALT}]", "must supply 'salt'"),
        (f"SCRAM-SHA-256=[name=a,salt=%,password={SECRET}]", "decode given salt"),
        (f"SCRAM-SHA-256=[name=a,iterations=x,password={SECRET}]", "parse iterations"),
        (f"SCRAM-SHA-256=[name=a,iterations=4095,password={SECRET}]", "must be >= 4096"),
        (f"SCRAM-SHA-512=[name=a,iterations=16385,password={SECRET}]", "must be <= 16384"),
        (f"SCRAM-SHA-256=[name=a,password={SECRET},pepper=1]", "configurations: pepper"),
        (f"SCRAM-SHA-256=[name=a,password={SECRET},saltedpassword=x]", "saltedpassword"),
    ],
)
def test_what_is_wrong_is_reported_without_the_secret(wish: str, says: str) -> None:
    with pytest.raises(Unusable, match=says) as refused:
        scram_records([wish])
    assert SECRET not in str(refused.value)
