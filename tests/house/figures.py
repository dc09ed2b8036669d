"""Figures of the house: how large, how alike and how typed src is.

`python -m tests.house.figures` prints them; `--json` is for scripts. Generated messages have a line
of their own and count nowhere else. `tests/house/test_figures.py` holds a ceiling for each figure.

A table is a dataclass without methods: a record of values, such as a row of the wire. It may have
as many fields as what it tells of, so wide tables have a line of their own. A Protocol may have one
implementer in src and its double in the tests.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tests.support import trees

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "spindle"
TESTS = ROOT / "tests"
GENERATED = (PACKAGE / "wire" / "messages", PACKAGE / "wire" / "record_codecs")
MANY_ATTRIBUTES, MANY_METHODS = 12, 25
MOVE_ROOMS = ("core/logdirs/", "node/logdirs/", "model/", "storage/")
MOVE_STEMS = re.compile(r"(^|_)(move|moves|copy|copying|copier|copies|orders|alter_log_dirs)(_|$)")
"""Files of a move between directories: those of these rooms that have such a word in the name."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Figure:
    """One figure: a number, or a share of 1."""

    key: str
    what: str
    value: float
    is_share: bool = False
    where: tuple[str, ...] = ()
    """The places with the most of it, for a change that lowers it."""

    def shown(self) -> str:
        """The value as people read it."""
        return f"{self.value:.1%}" if self.is_share else f"{self.value:g}"


@dataclass
class Shape:
    """What one class holds."""

    name: str
    place: str
    bases: tuple[str, ...]
    methods: frozenset[str]
    attributes: frozenset[str]
    constants: frozenset[str] = frozenset()
    """What the class itself has, the same for all instances."""
    is_table: bool = False

    @property
    def own(self) -> frozenset[str]:
        """What it has, its bases apart."""
        return self.methods | self.attributes | self.constants

    @property
    def is_protocol(self) -> bool:
        """Whether it is itself a Protocol, not an implementer of one."""
        return "Protocol" in self.bases


@dataclass
class House:
    """The parsed files of src, generated ones apart."""

    nodes: dict[str, list[ast.AST]]
    """All nodes of each file, by its place in the package."""
    lines: int
    generated_lines: int
    shapes: list[Shape] = field(default_factory=list)
    doubles: list[Shape] = field(default_factory=list)
    """The classes of the tests, which may implement a Protocol."""

    @cached_property
    def by_name(self) -> dict[str, list[Shape]]:
        """Classes by their name: bases are looked up by it."""
        found: dict[str, list[Shape]] = {}
        for shape in self.shapes:
            found.setdefault(shape.name, []).append(shape)
        return found

    def members(self, shape: Shape, below: frozenset[str] = frozenset()) -> frozenset[str]:
        """Methods and attributes of a class and of its bases."""
        found = shape.own
        for base in shape.bases:
            if base not in below:
                for other in self.by_name.get(base, []):
                    found |= self.members(other, below | {shape.name, base})
        return found


def read(
    package: Path = PACKAGE, generated: tuple[Path, ...] = GENERATED, tests: Path | None = TESTS
) -> House:
    """Parse a package; of the tests, the classes alone."""
    nodes: dict[str, list[ast.AST]] = {}
    lines = generated_lines = 0
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.parent in generated:
            generated_lines += len(text.splitlines())
            continue
        lines += len(text.splitlines())
        nodes[str(path.relative_to(package))] = trees.nodes(ast.parse(text))
    house = House(nodes, lines, generated_lines)
    house.shapes = [shape for place, every in nodes.items() for shape in _shapes(place, every)]
    for path in sorted(tests.rglob("*.py")) if tests is not None else ():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        house.doubles += _shapes(str(path), _statements(tree))
    return house


def figures(house: House) -> list[Figure]:
    """All figures, in the order in which they are printed."""
    return [*_of_names(house), *_of_types(house), *_of_classes(house), *_of_sizes(house)]


def _of_names(house: House) -> Iterator[Figure]:
    shared = sorted(
        (name for name, shapes in house.by_name.items() if len(shapes) > 1),
        key=lambda name: -len(house.by_name[name]),
    )
    sharing = sum(len(house.by_name[name]) for name in shared)
    share = sharing / max(1, len(house.shapes))
    what = "classes that share their name with another one"
    top = tuple(f"{name} ×{len(house.by_name[name])}" for name in shared[:8])
    yield Figure("shared_class_names", what, share, True, top)
    stems = Counter(Path(place).stem for place in house.nodes)
    del stems["__init__"]
    repeated = [(stem, count) for stem, count in stems.most_common() if count > 1]
    top = tuple(f"{stem} ×{count}" for stem, count in repeated[:8])
    yield Figure("repeated_stems", "file names that occur twice or more", len(repeated), False, top)


def _of_types(house: House) -> Iterator[Figure]:
    found = {place: _anys(every) for place, every in house.nodes.items()}
    places = Counter({place: count for place, count in found.items() if count})
    top = tuple(f"{place} {count}" for place, count in places.most_common(8))
    yield Figure("any", "names `Any` outside imports", places.total(), False, top)
    single = [
        f"{shape.place}:{shape.name}"
        for shape in house.shapes
        if shape.is_protocol and _implementers(house, shape) < 2
    ]
    what = "Protocols with fewer than two implementers in src and tests"
    yield Figure("single_protocols", what, len(single), False, tuple(single))


def _of_classes(house: House) -> Iterator[Figure]:
    many = [shape for shape in house.shapes if len(shape.attributes) > MANY_ATTRIBUTES]
    many.sort(key=lambda shape: -len(shape.attributes))
    for key, what, is_table in (
        ("wide_classes", "classes, tables apart, with more than", False),
        ("wide_tables", "tables with more than", True),
    ):
        wide = [shape for shape in many if shape.is_table == is_table]
        what = f"{what} {MANY_ATTRIBUTES} attributes of instances"
        top = tuple(f"{shape.name} {len(shape.attributes)}" for shape in wide[:8])
        yield Figure(key, what, len(wide) / max(1, len(house.shapes)), True, top)
    long = [shape for shape in house.shapes if len(shape.methods) > MANY_METHODS]
    long.sort(key=lambda shape: -len(shape.methods))
    yield Figure(
        "long_classes",
        f"classes with more than {MANY_METHODS} methods",
        len(long),
        False,
        tuple(f"{shape.name} {len(shape.methods)}" for shape in long[:8]),
    )


def _of_sizes(house: House) -> Iterator[Figure]:
    logdirs = sum(place.startswith("node/logdirs/") for place in house.nodes)
    yield Figure("logdirs_files", "files in node/logdirs", logdirs)
    moves = [
        place
        for place in house.nodes
        if place.startswith(MOVE_ROOMS) and MOVE_STEMS.search(Path(place).stem)
    ]
    yield Figure("move_files", "files of a move", len(moves), False, tuple(moves))
    sizes = sorted(
        (node.end_lineno or 0) - node.lineno + 1
        for every in house.nodes.values()
        for node in every
        if isinstance(node, Function)
    )
    for key, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0)):
        what = f"lines of a function, {key}"
        yield Figure(f"function_lines_{key}", what, quantile(sizes, share))
    yield Figure("lines", "lines of src, generated ones apart", house.lines)
    yield Figure("generated_lines", "generated lines of src", house.generated_lines)


def quantile(ordered: Sequence[int], share: float) -> int:
    """The smallest value that at least this share of the values does not exceed."""
    if not ordered:
        return 0
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def _anys(nodes: Iterable[ast.AST]) -> int:
    count = 0
    for node in nodes:
        if isinstance(node, ast.Name):
            count += node.id == "Any"
        elif isinstance(node, ast.Attribute):
            count += node.attr == "Any" and ast.unparse(node.value) in ("typing", "t")
        elif isinstance(node, ast.ImportFrom) and node.module == "typing":
            count += sum(alias.name == "Any" and alias.asname is not None for alias in node.names)
    return count


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """All statements below, classes in functions, too; no expression is looked into."""
    for part in ast.iter_child_nodes(tree):
        if isinstance(part, ast.stmt):
            yield part
            yield from _statements(part)
        elif not isinstance(part, ast.expr):
            yield from _statements(part)


def _shapes(place: str, nodes: Iterable[ast.AST]) -> Iterator[Shape]:
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, Function)]
            yield Shape(
                node.name,
                place,
                tuple(_base(base) for base in node.bases),
                frozenset(method.name for method in methods),
                frozenset(_declared(node)) | frozenset(_assigned(methods)),
                frozenset(_constants(node)),
                not methods and _is_dataclass(node),
            )


def _base(base: ast.expr) -> str:
    if ast.unparse(base) == "asyncio.Protocol":
        return "asyncio.Protocol"  # A class to inherit from, not a structural type.
    if isinstance(base, ast.Subscript):
        base = base.value
    return base.attr if isinstance(base, ast.Attribute) else ast.unparse(base)


def _declared(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if (
            isinstance(part, ast.AnnAssign)
            and isinstance(part.target, ast.Name)
            and not ast.unparse(part.annotation).startswith(("ClassVar", "Final"))
        ):
            yield part.target.id


def _constants(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if isinstance(part, ast.Assign):
            yield from (target.id for target in part.targets if isinstance(target, ast.Name))


def _is_dataclass(node: ast.ClassDef) -> bool:
    """Whether it is a dataclass or a named tuple."""
    marks = {ast.unparse(mark).partition("(")[0] for mark in node.decorator_list}
    bases = {_base(base) for base in node.bases}
    return bool(marks & {"dataclass", "dataclasses.dataclass"} or "NamedTuple" in bases)


def _assigned(methods: Iterable[Function]) -> Iterator[str]:
    for method in methods:
        for node in trees.nodes(method):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
            ):
                yield node.attr


def _implementers(house: House, protocol: Shape) -> int:
    """How many classes have all that a Protocol asks for; `__call__` alone is met by functions."""
    wanted = house.members(protocol)
    if wanted <= {"__call__"}:
        return sys.maxsize
    found = [(shape, house.members(shape)) for shape in house.shapes]
    # What a double inherits from src is no implementation of its own.
    found += [(double, double.own) for double in house.doubles]
    return sum(
        not shape.is_protocol and (protocol.name in shape.bases or wanted <= members)
        for shape, members in found
    )


def main(arguments: Sequence[str] | None = None, house: House | None = None) -> None:
    """Print the figures of src, or of a house that was read before."""
    parser = argparse.ArgumentParser(prog="python -m tests.house.figures", description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--where", action="store_true", help="also say where the most of it is")
    given = parser.parse_args(arguments)
    found = figures(house or read())
    if given.json:
        print(json.dumps({figure.key: round(figure.value, 4) for figure in found}, indent=2))
        return
    for figure in found:
        print(f"{figure.shown():>8}  {figure.what}")
        if given.where:
            for place in figure.where:
                print(f"{'':>12}{place}")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # As other programs do before `| head`.
    main()
