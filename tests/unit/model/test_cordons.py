"""What cordoned.log.dirs may name."""

from __future__ import annotations

import pytest

from spindle.model import cordons
from spindle.model.errors import Unusable

pytestmark = pytest.mark.spec("B-19", "N-02")
HERE = ("/d1", "/d2")


@pytest.mark.parametrize("named", [(), ("/d1",), ("/d2", "/d1"), ("/d1", "/d1"), ("*",)])
def test_a_node_cordons_what_it_has(named: tuple[str, ...]) -> None:
    cordons.check(named, HERE)


@pytest.mark.parametrize(
    ("named", "why"),
    [
        (("/d3",), r"must be present in log\.dirs or log\.dir\. Missing entries : /d3$"),
        (("/x", "/d1", "/y"), "Missing entries : /x, /y$"),
        (("/d1/",), "Missing entries : /d1/$"),
        (("/d1", "*"), "it must not contain other values"),
        (("*", "*"), "it must not contain other values"),
    ],
)
def test_what_it_has_not_is_refused(named: tuple[str, ...], why: str) -> None:
    with pytest.raises(Unusable, match=why):
        cordons.check(named, HERE)
