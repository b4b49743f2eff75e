"""What is released: the citation, and a wheel that works by itself, elsewhere, without extras."""

from __future__ import annotations

import email
import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import serpenoid as sp

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Of the Citation File Format 1.2.0: the keys of a file, and which of them must be there.
REQUIRED = {"cff-version", "message", "title", "authors"}
ALLOWED = REQUIRED | {
    *("abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords"),
    *("license", "license-url", "preferred-citation", "references", "repository"),
    *("repository-artifact", "repository-code", "type", "url", "version"),
}
# Rooms that say which extra they need.
WITH_EXTRAS = ("serpenoid.envs", "serpenoid.studies")


def test_the_citation_is_valid_and_says_what_the_package_says():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert set(cited) >= REQUIRED
    assert set(cited) <= ALLOWED
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] in ("software", "dataset")
    for author in cited["authors"]:
        assert set(author) in ({"name"}, {"family-names", "given-names"})
    texts = [cited["message"], cited["title"], cited["abstract"], *cited["keywords"]]
    assert all(isinstance(text, str) and text for text in texts)
    assert str(cited["version"]) == sp.__version__
    assert cited["license"] == PROJECT["license"]
    assert cited["keywords"] == PROJECT["keywords"]
    assert [author["name"] for author in PROJECT["authors"]] == [
        a["name"] for a in cited["authors"]
    ]


def test_the_version_is_one_before_the_first_stable_one():
    assert re.fullmatch(r"0\.\d+\.\d+", sp.__version__)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with source archive and wheel; nothing is fetched."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT]
    made = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


def tracked(*places: str) -> set[str]:
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *places]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name for name in names.split("\0") if (ROOT / name).is_file()}


@pytest.mark.thorough
def test_the_archives_hold_the_package_and_nothing_else(built):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    own = {name.removeprefix("src/") for name in tracked("src/serpenoid")}
    notes = {name for name in inside if ".dist-info/" in name}
    assert inside - notes == own
    kept = {name.rpartition("/")[2] for name in notes}
    assert kept == {"METADATA", "WHEEL", "RECORD", "LICENSE", "entry_points.txt"}
    endings = {Path(name).suffix for name in own} | {Path(name).name for name in own}
    assert {".toml", ".js", ".css", ".html", "py.typed"} <= endings
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    texts = {"README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE", "pyproject.toml"}
    assert names - {"PKG-INFO", ".gitignore"} == tracked("src/serpenoid", "examples") | texts


def distributions(wheel: Path) -> set[str]:
    """Names of all that the wheel needs without an extra, and of what these need in turn."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    found: set[str] = set()
    open_ends = [(line, "") for line in metadata.get_all("Requires-Dist")]
    while open_ends:
        line, extra = open_ends.pop()
        needed = Requirement(line)
        name = canonicalize_name(needed.name)
        if needed.marker is not None and not needed.marker.evaluate({"extra": extra}):
            continue
        if name not in found or needed.extras:
            found.add(name)
            lines = importlib.metadata.requires(name) or []
            open_ends += [(line, each) for line in lines for each in ("", *needed.extras)]
    return found


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """A new environment with the wheel, in which only what it declares can be imported besides."""
    place = tmp_path_factory.mktemp("environment") / "env"
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index"]
    subprocess.run([*pip, "-q", wheel], check=True)
    (site,) = place.glob("lib/python*/site-packages")
    declared = distributions(wheel)
    hidden = {
        module
        for module, owners in importlib.metadata.packages_distributions().items()
        if not declared & {canonicalize_name(owner) for owner in owners}
    } - {"serpenoid"}
    assert {"gymnasium", "optuna", "pyarrow", "pytest"} <= hidden
    assert not {"numpy", "numba", "pydantic_core"} & hidden
    (site / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    (site / "sitecustomize.py").write_text(
        f"""import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
""",
        encoding="utf-8",
    )
    return place


def call(installed: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    kept = {
        name: os.environ[name] for name in ("HOME", "SERPENOID_CACHE_DIR") if name in os.environ
    }
    environment = kept | {"PATH": f"{installed}/bin:/usr/bin:/bin", "MPLBACKEND": "Agg"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("serpenoid --version", f"serpenoid {sp.__version__}"),
        ("serpenoid list", "aiko_pegs"),
        ("serpenoid run aiko_pegs", "saved as runs/aiko_pegs.nc"),
        ("serpenoid view runs/aiko_pegs.nc --no-open", "page: runs/aiko_pegs.html"),
        ("serpenoid plot runs/aiko_pegs.nc energy", "figure: runs/aiko_pegs-energy.png"),
        ("serpenoid verify runs/aiko_pegs.nc", "runs/aiko_pegs.nc: bitwise equal"),
    ],
)
def test_the_wheel_works_in_a_fresh_environment(installed, tmp_path_factory, command, said):
    folder = tmp_path_factory.getbasetemp() / "elsewhere"
    folder.mkdir(exist_ok=True)
    done = call(installed, folder, *command.split())
    assert done.returncode == 0, done.stderr
    assert said in done.stdout


@pytest.mark.thorough
def test_what_is_declared_covers_all_imports(installed, tmp_path):
    code = """
import importlib, pkgutil, serpenoid
print(serpenoid.__file__)
for module in pkgutil.walk_packages(serpenoid.__path__, "serpenoid.", onerror=lambda name: None):
    try:
        if module.name != "serpenoid.__main__":
            importlib.import_module(module.name)
    except ImportError as error:
        print(module.name, error)
"""
    done = call(installed, tmp_path, "python", "-c", code)
    assert done.returncode == 0, done.stderr
    place, *failed = done.stdout.splitlines()
    assert place.startswith(str(installed))
    assert failed, "nothing was hidden"
    assert [line for line in failed if not line.startswith(WITH_EXTRAS)] == []
