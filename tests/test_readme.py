"""The README's example runs as it stands and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_example_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = README.read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(example, str(README), "exec"), names)
    promised = re.search(r"print\(run\) +# (.+)", example)
    assert promised is not None
    assert capsys.readouterr().out.splitlines()[0] == promised.group(1)
    assert (tmp_path / "run.nc").exists()
