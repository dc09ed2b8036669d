"""How a command gets its Spark session: options in common, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
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


def spark_begins(remote: str | None) -> None:
    """Have the session that commands share start while this command does something else.

    Nothing happens where a session of another kind is to be used, or Spark is missing.
    """
    try:
        from spindle.pipeline.session import begin_shared, can_share
    except ImportError:
        return
    if remote is None and can_share():
        begin_shared()


@contextmanager
def spark_session(app: str, remote: str | None, *, warm: bool = False) -> Iterator[Session]:
    """A session for the block, stopped at its end unless it existed before.

    `warm`: the one that commands share, where there can be one.
    """
    try:
        from spindle.pipeline.session import can_share, is_running, session, shared
    except ImportError as error:
        render.fail(
            f"{error.name} is missing: install the pipeline with pip install 'spindle[spark]'"
        )
    before = is_running()
    with ExitStack() as ending:
        with render.waiting("Spark starts"):
            if warm and remote is None and can_share():
                spark = ending.enter_context(shared(app))
            else:
                spark = session(app, remote)
                if not before:
                    ending.callback(spark.stop)
        yield spark
