"""The quick walks through parsed sources find what `ast.walk` finds."""

import ast

from tests.support import trees

CONTEXTS = ast.Load | ast.Store | ast.Del
SOURCE = '''
"""Text."""
import a.b as c
from d import (e, f as g)

@h(1, *i, **j)
async def k(l: int, /, m: str = "n", *o: p, q=1, **r) -> s:
    async with t as u, v:
        import w
    async for x in y:
        del z[0:1, 2], z.a
    else:
        from a import b
    try:
        yield await a
    except* (B, C) as d:
        import e
    finally:
        return lambda f, g=1: {**f, "a": [*g], "b": {1, 2}}

class L(M, n=o):
    if (p := 1) < q <= 3 and not r or -s:
        def t(self): import u
    elif v:
        w: int = [x async for x in y if z if a]
    while True:
        match b:
            case C(d, e=[1, *f]) if g:
                def h(): ...
            case {"i": j, **k} | None:
                import l
    x, *y = f"{a!r:>{b}}" if c else 1 + 2j
    global d
    assert e, f
    g @= h
    raise i from j
'''


def test_every_node_but_contexts_is_found_in_the_order_of_the_library() -> None:
    tree = ast.parse(SOURCE)
    usual = [node for node in ast.walk(tree) if not isinstance(node, CONTEXTS)]
    assert trees.nodes(tree) == usual
    assert len(usual) > 150


def test_every_statement_is_found_at_any_depth() -> None:
    tree = ast.parse(SOURCE)
    found = trees.statements(tree)
    for kind in (ast.stmt, ast.ExceptHandler, ast.match_case):
        usual = [node for node in ast.walk(tree) if isinstance(node, kind)]
        assert {*usual} == {node for node in found if isinstance(node, kind)}
    assert found[0] is tree
