"""`spindle profile`: names for clusters, so that `-p prod` says address and security at once.

spindle profile add prod -b kafka-1:9093,kafka-2:9093 --command-config client.properties
spindle log-dirs -p prod
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Final

import typer

from spindle.cli import render
from spindle.cli.connecting import AsJson
from spindle.cli.exits import End
from spindle.cli.profile_store import Profile, find_profile, place, read_profiles, write_profiles
from spindle.client.addresses import parse_bootstrap
from spindle.model.errors import Unusable
from spindle.security.client_properties import (
    PLAIN_SETTINGS,
    ClientSettings,
    read_client_settings,
)

app = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help=__doc__.split("\n")[0]
)
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
ProfileName = Annotated[str, typer.Argument(metavar="NAME", help="The profile's name.")]


@app.command()
def add(
    name: ProfileName,
    bootstrap_server: Annotated[
        str,
        typer.Option(
            "--bootstrap-server", "-b", metavar="HOST:PORT,...", help="Brokers of the cluster."
        ),
    ] = "",
    command_config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Kafka's client properties: security and passwords."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a profile of this name.")
    ] = False,
) -> None:
    """Add a profile. The file is read for a check and stays where it is.

    Without -b the addresses are bootstrap.servers of the file.
    """
    if not _NAME.fullmatch(name):
        raise Unusable(f"{name!r}: write a profile's name with A-Z, a-z, 0-9, dots and dashes")
    known = read_profiles()
    if name in known and not replace:
        raise Unusable(f"there is a profile {name} already: add --replace, or choose another name")
    path = None if command_config is None else command_config.absolute()
    settings = PLAIN_SETTINGS if path is None else read_client_settings(path)
    for warning in settings.warnings:
        render.warn(warning)
    bootstrap = bootstrap_server or settings.bootstrap or ""
    parse_bootstrap(bootstrap)
    write_profiles({**known, name: Profile(bootstrap, path)})
    render.say(f"Use it with -p {name}, as in: spindle log-dirs -p {name}")


@app.command("list")
def list_profiles(as_json: AsJson = False) -> None:
    """List the profiles: name, addresses and file."""
    known = read_profiles()
    if as_json:
        entries = {name: _document(profile) for name, profile in sorted(known.items())}
        print(json.dumps({"version": 1, "profiles": entries}))
    elif known:
        render.table(
            "Profiles",
            ("name", "bootstrap servers", "client properties"),
            [(n, p.bootstrap, str(p.command_config or "-")) for n, p in sorted(known.items())],
        )
    else:
        render.say(f"There is no profile in {place()}.")


@app.command()
def show(name: ProfileName, as_json: AsJson = False) -> None:
    """Show how a profile connects. No password, key or token is shown."""
    profile = find_profile(name)
    settings = PLAIN_SETTINGS
    if profile.command_config is not None:
        settings = read_client_settings(profile.command_config)
    found = {**_document(profile), **_security(settings)}
    if as_json:
        print(json.dumps({"version": 1, "name": name, **found}))
    else:
        render.table(f"Profile {name}", ("", ""), [(k, str(v or "-")) for k, v in found.items()])


@app.command()
def remove(name: ProfileName) -> None:
    """Remove a profile; its file of properties stays."""
    known = read_profiles()
    if known.pop(name, None) is None:
        render.note(f"there is no profile {name}")
        raise typer.Exit(End.NOTHING)
    write_profiles(known)


def _document(profile: Profile) -> dict[str, str | None]:
    path = profile.command_config
    return {"bootstrap": profile.bootstrap, "commandConfig": None if path is None else str(path)}


def _security(settings: ClientSettings) -> dict[str, str | None]:
    security = settings.security
    return {
        "protocol": str(security.protocol),
        "mechanism": None if security.login is None else security.login.mechanism,
        "user": getattr(security.login, "username", None),
    }
