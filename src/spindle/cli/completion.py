"""`spindle completion`: what a shell offers when the tab key is pressed."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from spindle.cli.render import fail

_BASH: Final = """\
_spindle() {
    local IFS=$'\\n'
    COMPREPLY=($(spindle completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _spindle spindle"""
_ZSH: Final = """\
#compdef spindle
_spindle() {
    local -a found
    found=(${(f)"$(spindle completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then compadd -- $found; else _files; fi
}
compdef _spindle spindle"""
_FISH: Final = """\
complete -c spindle -a \
'(spindle completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'"""
SCRIPTS: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    words: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
) -> None:
    """Print the script that enables completion in a shell.

    Put `source <(spindle completion bash)` into ~/.bashrc, `source <(spindle completion zsh)` into
    ~/.zshrc, or `spindle completion fish | source` into ~/.config/fish/config.fish.
    """
    if shell == "words":  # The scripts ask this: the words so far, the last one not complete.
        print("\n".join(candidates(words or [""])))
    elif shell in SCRIPTS:
        print(SCRIPTS[shell])
    else:
        fail(f"there is no completion for {shell!r}; choose one of {', '.join(SCRIPTS)}", 2)


def candidates(words: list[str]) -> list[str]:
    """What may stand for the last word; none: a file, or anything."""
    from spindle.cli.app import COMMANDS, parser

    *before, last = words
    if not before:
        return [c.name for c in COMMANDS if c.name.startswith(last)]
    row = next((c for c in COMMANDS if c.name == before[0]), None)
    if row is None:
        return []
    command: Any = parser(row)
    for word in before[1:]:
        command = getattr(command, "commands", {}).get(word, command)
    if last.startswith("-"):
        names = [name for option in command.params for name in option.opts if name[:1] == "-"]
        return [name for name in (*names, "--help") if name.startswith(last)]
    return [name for name in getattr(command, "commands", {}) if name.startswith(last)]
