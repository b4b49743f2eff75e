"""README and quickstart, typed to the letter into one shell in a fresh clone of the repository.

All console blocks run in order, and the first command that fails ends it; one that is followed by
`$ echo $?` must exit with what is shown. Python blocks are one session of the `python` that the
shell finds, toml blocks are written to their files.

`make demo` finds a `.venv` with the packages of this environment. With
SERPENOID_FRESH_SETUP=1 it sets one up from nothing.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(console|python|toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def clone(folder: Path) -> None:
    """Copy what a clone would hold once the changes made here are committed."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in names.split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def lend_packages(folder: Path) -> None:
    """A `.venv` in a clone with serpenoid from there, and the packages of this environment."""
    place = folder / ".venv"
    venv.create(place, with_pip=False, symlinks=True)
    (site,) = place.glob("lib/python*/site-packages")
    lent = f"{folder / 'src'}\n{sysconfig.get_path('purelib')}\n"
    (site / "lent.pth").write_text(lent, encoding="utf-8")
    program = place / "bin" / "serpenoid"
    # As pip writes it: worker processes import it again.
    guarded = "from serpenoid.cli import main\n\nif __name__ == '__main__':\n    main()\n"
    program.write_text(f"#!{place}/bin/python\n{guarded}")
    program.chmod(0o755)
    (place / ".run").touch()


def script(pages: list[Path], work: Path) -> str:
    """All blocks of some pages as a script for one bash, which tells the place of each command."""
    lines = ["set -e"]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for number, fence in enumerate(FENCE.finditer(text)):
            place = f"{page.name}:{text.count(chr(10), 0, fence.start()) + 1}"
            lines += block(*fence.groups(), place, work / f"{page.stem}-{number}.py")
    return "\n".join([*lines, "echo typed everything", ""])


def block(language: str, text: str, place: str, file: Path) -> list[str]:
    """The commands of one block; file: where to put its Python."""
    if language == "console":
        return [line for words in prompts(text) for line in (tell(f"{place} {words[0]}"), *words)]
    if language == "python":
        file.write_text(text, encoding="utf-8")
        session = shlex.quote(str(Path(__file__).with_name("session.py")))
        start = f"coproc SESSION {{ exec python {session}; }}"
        return [
            tell(f"{place} python"),
            f'if [ -z "$SESSION_PID" ]; then {start}; fi',
            f'echo {shlex.quote(str(file))} >&"${{SESSION[1]}}"',
            'read -r answer <&"${SESSION[0]}"',
            '[ "$answer" = ok ]',
        ]
    name = re.match(r"# (\w+\.toml)\n", text)
    assert name, f"{place} does not name its file"
    return [f"cat > {name[1]} <<'TOML'", text.rstrip("\n"), "TOML"]


def prompts(text: str) -> list[list[str]]:
    """Each command of a console, with the check of its exit code if that is shown."""
    found: list[list[str]] = []
    for prompt in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.MULTILINE):
        if prompt[1] == "echo $?":
            (command,) = found.pop()
            found.append([f"code=0; {command} || code=$?", f'[ "$code" = {prompt[2].strip()} ]'])
        else:
            found.append([prompt[1]])
    return found


def tell(words: str) -> str:
    return f"echo {shlex.quote(words)} >&2"


def type_into_shell(
    pages: list[Path], folder: Path, work: Path
) -> subprocess.CompletedProcess[str]:
    """Run the script in a folder, in a shell that knows nothing of this environment."""
    tools = work / "tools"
    tools.mkdir()
    (tools / "xdg-open").write_text("#!/bin/sh\n")  # no window is opened
    (tools / "xdg-open").chmod(0o755)
    (tools / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    own = ("PYTHON", "VIRTUAL_ENV", "SERPENOID_FRESH_SETUP")
    environment = {name: os.environ[name] for name in os.environ if not name.startswith(own)}
    environment |= {"PATH": f"{tools}:/usr/local/bin:/usr/bin:/bin", "MPLBACKEND": "Agg"}
    typed = work / "typed.sh"
    typed.write_text(script(pages, work), encoding="utf-8")
    return subprocess.run(
        ["bash", typed],
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.thorough
def test_readme_and_quickstart_work_as_typed(tmp_path):
    folder, work = tmp_path / "serpenoid", tmp_path / "work"
    work.mkdir()
    clone(folder)
    if not os.environ.get("SERPENOID_FRESH_SETUP"):
        lend_packages(folder)
    typed = type_into_shell([folder / "README.md", folder / "docs/quickstart.md"], folder, work)
    assert typed.returncode == 0, f"{typed.stdout[-2000:]}\n{typed.stderr[-2000:]}"
    assert typed.stdout.endswith("typed everything\n")
    for name in ("out/demo.gif", "run.html", "run.nc", "runs/mine.nc", "mine.toml"):
        assert (folder / name).is_file(), name


# So that a page finds a Python without a set-up.
FIRST = f"```console\n$ PATH={Path(sys.executable).parent}:$PATH\n```\n\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```console\n$ false\n```\n", "page.md:5 false\n"),
        ("```console\n$ cd nowhere\n```\n", "nowhere: No such file or directory\n"),
        ("```console\n$ false\n$ echo $?\n2\n```\n", "page.md:5 code=0; false || code=$?\n"),
        ("```python\n1 / 0\n```\n", "ZeroDivisionError: division by zero\n"),
    ],
)
def test_the_first_command_that_fails_ends_it(tmp_path, text, said):
    page = tmp_path / "page.md"
    page.write_text(f"{FIRST}{text}\n```console\n$ touch after\n```\n", encoding="utf-8")
    typed = type_into_shell([page], tmp_path, tmp_path)
    assert typed.returncode != 0
    assert typed.stderr.endswith(said)
    assert not (tmp_path / "after").exists()


def test_one_shell_and_one_session_for_all_blocks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        f"{FIRST}```console\n$ mkdir inner\n$ cd inner\n```\n\n```python\nx = 1\n```\n\n"
        "```python\nopen(str(x), 'w').close()\n```\n\n```toml\n# a.toml\nb = 1\n```\n\n"
        "```console\n$ false\n$ echo $?\n1\n```\n",
        encoding="utf-8",
    )
    typed = type_into_shell([page], tmp_path, tmp_path)
    assert typed.returncode == 0, typed.stderr
    assert (tmp_path / "inner" / "1").exists()
    assert (tmp_path / "inner" / "a.toml").read_text() == "# a.toml\nb = 1\n"
