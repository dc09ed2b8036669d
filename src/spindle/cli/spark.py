"""How a command gets its Spark session: options in common, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from spindle.cli import render

if TYPE_CHECKING:
    from spindle.pipeline.session import Session

SparkRemote = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="sc://host:port of a Spark Connect server, or a cluster's master. Without: local.",
    ),
]


@contextmanager
def spark_session(app: str, remote: str | None) -> Iterator[Session]:
    """A session for the block, stopped at its end unless it existed before."""
    try:
        from spindle.pipeline.session import is_running, session
    except ImportError as error:
        render.fail(
            f"{error.name} is missing: install the pipeline with pip install 'spindle[spark]'"
        )
    before = is_running()
    with render.waiting("Spark starts"):
        spark = session(app, remote)
    try:
        yield spark
    finally:
        if not before:
            spark.stop()
