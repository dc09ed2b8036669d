"""Walks through parsed sources that take a third of the time of `ast.walk`, or less.

House tests read all of the project's code, and most of their time was `ast.walk`.
"""

from __future__ import annotations

import ast

_CONTEXTS = (ast.Load, ast.Store, ast.Del)
"""A third of all nodes, and they say nothing that their owner's `ctx` does not."""
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def nodes(top: ast.AST) -> list[ast.AST]:
    """What `ast.walk` gives, in its order, without contexts."""
    found = [top]
    for node in found:
        for value in vars(node).values():
            if value.__class__ is list:
                found += [one for one in value if isinstance(one, ast.AST)]
            elif isinstance(value, ast.AST) and value.__class__ not in _CONTEXTS:
                found.append(value)
    return found


def statements(top: ast.AST) -> list[ast.AST]:
    """The statements in a tree, at any depth, with what else has blocks of them."""
    found = [top]
    for node in found:
        for block in _BLOCKS:
            value = getattr(node, block, None)
            if value.__class__ is list:
                found += value
    return found
