"""The programs of the README and the site that export a model."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

SNIPPETS = Path(__file__).parents[1] / "snippets"


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        ("export.py", "attention.onnx"),
        ("export_estimator.py", "rows.onnx"),
        ("export_error.py", ""),
    ],
)
def test_snippet_runs(
    name: str,
    writes: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(SNIPPETS / name))
    assert [p.name for p in tmp_path.glob("*.onnx")] == ([writes] if writes else [])
    if not writes:
        assert capsys.readouterr().out == (SNIPPETS / name).with_suffix(".txt").read_text()


def test_every_export_is_tested() -> None:
    (mark,) = (m for m in test_snippet_runs.pytestmark if m.name == "parametrize")
    assert {row[0] for row in mark.args[1]} == {p.name for p in SNIPPETS.glob("export*.py")}
