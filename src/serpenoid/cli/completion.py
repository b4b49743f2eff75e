"""Completion of command lines: the command `completion`, and what a shell asks for at each Tab."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from serpenoid.checks import one_of
from serpenoid.cli.candidates import candidates
from serpenoid.cli.output import app, examples, out, print_text
from serpenoid.errors import InvalidInput, OutputError
from serpenoid.files import write_text

# A shell puts the line up to the cursor there, and calls the program.
ASKED = "_SERPENOID_LINE"

# Each calls the program with the line up to the cursor, and gets a candidate with its help a line.
# Bash replaces only what follows the last = or : of a word; a key is not followed by a blank.
_BASH = """\
_serpenoid() {
    local word rest stem=""
    local current="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=()
    while IFS=$'\\t' read -r word stem rest; do
        [[ "$COMP_WORDBREAKS" == *=* ]] && word="${word#"$stem"}"
        [[ "$current" == [\\"\\']* ]] || printf -v word %q "$word"
        COMPREPLY+=("$word")
    done < <(_SERPENOID_LINE="${COMP_LINE:0:COMP_POINT}" "$1" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *[=/] ]]; then
        compopt -o nospace
    fi
}
complete -o default -F _serpenoid serpenoid
"""
_ZSH = """\
#compdef serpenoid
_serpenoid() {
    local line word stem about
    local -a plain open plain_about open_about
    while IFS=$'\\t' read -r word stem about; do
        if [[ "$word" == *[=/] ]]; then
            open+=("$word") open_about+=("$word  $about")
        else
            plain+=("$word") plain_about+=("$word  $about")
        fi
    done < <(_SERPENOID_LINE="${(j: :)words[1,CURRENT]}" "${words[1]}" 2>/dev/null)
    (( $#plain + $#open )) || { _files; return }
    (( $#plain )) && compadd -l -d plain_about -a plain
    (( $#open )) && compadd -l -S '' -d open_about -a open
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _serpenoid serpenoid
"""
_FISH = """\
function __serpenoid
    set -lx _SERPENOID_LINE (commandline -cp)
    set -l words (commandline -opc)
    $words[1] 2>/dev/null | string replace -r '\\t[^\\t]*' ''
end
complete --command serpenoid --no-files --keep-order --arguments '(__serpenoid)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
# Where a shell finds it, and the line that its start-up file needs.
_HOMES = {
    "bash": (".local/share/bash-completion/completions/serpenoid", ".bashrc"),
    "zsh": (".local/share/serpenoid/completion.zsh", ".zshrc"),
    "fish": (".config/fish/completions/serpenoid.fish", ""),
}


@app.command(
    epilog=examples(
        "serpenoid completion --install",
        "serpenoid completion zsh --install",
        "serpenoid completion bash > serpenoid.bash",
    )
)
def completion(
    shell: Annotated[
        str | None,
        typer.Argument(metavar="SHELL", help="bash, zsh or fish; the one in $SHELL if left out."),
    ] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Switch it on for your user, in every new shell.")
    ] = False,
) -> None:
    """Print the script that has a shell complete commands, or install it."""
    chosen = _shell(shell)
    if not install:
        print_text(_SCRIPTS[chosen])
        return
    place, start = _HOMES[chosen]
    file = Path.home() / place
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_text(file, _SCRIPTS[chosen])
        if start:
            _source(Path.home() / start, file)
    except OSError as error:
        reason = getattr(error, "strerror", None) or error
        raise OutputError(f"completion cannot be installed in {file}: {reason}") from None
    out.print(f"completion: {file}; it works in every {chosen} that you start from now on")


def _shell(given: str | None) -> str:
    if given is not None:
        return one_of("SHELL", given, _SCRIPTS)
    name = Path(os.environ.get("SHELL", "")).name
    if name not in _SCRIPTS:
        raise InvalidInput(
            f"$SHELL is {name!r}, for which there is no completion; name bash, zsh or fish"
        )
    return name


def _source(start: Path, file: Path) -> None:
    """Have the start-up file of a shell read the script, once."""
    line = f"[ -f {shlex.quote(str(file))} ] && . {shlex.quote(str(file))}"
    text = start.read_text(encoding="utf-8") if start.exists() else ""
    if line not in text.splitlines():
        end = "" if not text or text.endswith("\n") else "\n"
        write_text(start, f"{text}{end}{line}\n")


def answer(line: str) -> int:
    """Print the candidates for the last word of a command line: word, stem and help, in columns.

    Args:
        line: The line up to the cursor, as typed.

    Returns:
        The exit code.
    """
    words, incomplete = _split(line)
    # What bash takes for words of their own, and leaves as it is.
    stem = incomplete[: max(incomplete.rfind("="), incomplete.rfind(":")) + 1]
    for word, about in candidates(words[1:], incomplete):
        if word.isprintable():
            print_text(f"{word}\t{stem}\t{about}\n")
    return 0


def _split(line: str) -> tuple[list[str], str]:
    """The complete words of a line, and the last one, which may have an open quote."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters = True, ""
    words = []
    try:
        while (word := lexer.get_token()) is not None:
            words.append(word)
    except ValueError:  # an open quote
        return words, lexer.token
    if words and not line[-1].isspace():
        return words[:-1], words[-1]
    return words, ""
