"""Values that a properties file takes from elsewhere (KIP-297, KIP-421, KIP-887; N-02):
`${env:NAME}`, `${file:PATH:KEY}` and `${directory:PATH:FILE}`.

As in Apache Kafka a provider must be named in `config.providers` and have its class there; what it
may read can be bounded by `allowlist.pattern` and `allowed.paths`. Apache Kafka leaves a variable
that it cannot resolve as it stands; here the node does not start with it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import javaproperties

from spindle.model.errors import Unusable

PROVIDERS: Final = "config.providers"
_VARIABLE: Final = re.compile(r"\$\{([^}]*?):(?:([^}]*?):)?([^}]*?)\}")
_PACKAGE: Final = "org.apache.kafka.common.config.provider."


def resolve(given: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """The properties with their variables replaced. Unusable names the value and what is wrong."""
    names = [part.strip() for part in given.get(PROVIDERS, "").split(",") if part.strip()]
    providers = {name: _provider(given, name, environment) for name in names}

    def replaced(key: str, text: str) -> str:
        def value(found: re.Match[str]) -> str:
            name, path, wanted = found[1], found[2] or "", found[3]
            if name not in providers:
                raise Unusable(
                    f"{key}={text}: there is no provider {name}: set {PROVIDERS}={name} and "
                    f"{PROVIDERS}.{name}.class"
                )
            try:
                return providers[name](path, wanted)
            except (OSError, ValueError) as error:
                raise Unusable(f"{key}={text}: {error}") from None

        return _VARIABLE.sub(value, text)

    return {
        key: text if key.startswith(PROVIDERS) else replaced(key, text)
        for key, text in given.items()
    }


def _provider(
    given: Mapping[str, str], name: str, environment: Mapping[str, str]
) -> Callable[[str, str], str]:
    """What finds the value of (path, key) for one provider of the file."""
    prefix = f"{PROVIDERS}.{name}."
    own = given.get(f"{prefix}class", "").strip()
    wanted = {f"{prefix}class"}
    match own.removeprefix(_PACKAGE):
        case "EnvVarConfigProvider":
            wanted.add(f"{prefix}param.allowlist.pattern")
            pattern = given.get(f"{prefix}param.allowlist.pattern", ".*")
            found = _from_environment(environment, pattern)
        case "FileConfigProvider" | "DirectoryConfigProvider" as kind:
            wanted.add(f"{prefix}param.allowed.paths")
            allowed = [
                Path(os.path.abspath(part.strip()))
                for part in given.get(f"{prefix}param.allowed.paths", "").split(",")
                if part.strip()
            ]
            found = _from_files(allowed, whole=kind == "DirectoryConfigProvider")
        case _:
            raise Unusable(
                f"{prefix}class={own}: Spindle has {_PACKAGE}EnvVarConfigProvider, "
                "FileConfigProvider and DirectoryConfigProvider"
            )
    for key in given:
        if key.startswith(prefix) and key not in wanted:
            raise Unusable(f"{key}: {own} has no such parameter: {', '.join(sorted(wanted))}")
    return found


def _from_environment(environment: Mapping[str, str], pattern: str) -> Callable[[str, str], str]:
    try:
        allowed = re.compile(pattern)
    except re.error as error:
        raise Unusable(f"allowlist.pattern={pattern}: {error}") from None

    def find(path: str, key: str) -> str:
        if path:
            raise ValueError(f"Path is not supported for EnvVarConfigProvider: {path}")
        if not allowed.fullmatch(key):
            raise ValueError(f"allowlist.pattern={pattern} does not allow {key}")
        if key not in environment:
            raise ValueError(f"the environment has no {key}")
        return environment[key]

    return find


def _from_files(allowed: list[Path], *, whole: bool) -> Callable[[str, str], str]:
    """`whole`: a key is a file of the directory; otherwise one of the properties in the file."""

    def find(path: str, key: str) -> str:
        place = Path(os.path.normpath(path))
        if allowed and not any(place.is_relative_to(root) for root in allowed):
            raise ValueError(f"allowed.paths does not allow {path}")
        if whole:
            if Path(key).name != key:
                raise ValueError(f"{key} is not the name of a file in {path}")
            return (place / key).read_text(encoding="utf-8")
        found = javaproperties.loads(place.read_text(encoding="utf-8")).get(key)
        if found is None:
            raise ValueError(f"{path} has no {key}")
        return str(found)

    return find
