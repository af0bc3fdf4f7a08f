"""The programs that the README and the site show: each runs, and the README has no others."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from conftest import ROOT, TINY
from slidemodels import SLIDE, save_encoder, save_head

SNIPPETS = Path(__file__).parent / "snippets"
EXPORTERS = {p.name for p in SNIPPETS.glob("export*.py")}  # tests/exporters runs them
DIGITS = ROOT / "examples/digits"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working folder, with the files that the programs name."""
    shutil.copy(DIGITS / "model.onnx", tmp_path)
    shutil.copy(DIGITS / "bags.npz", tmp_path)
    shutil.copy(TINY, tmp_path / "features.onnx")
    shutil.copy(SLIDE, tmp_path / "slide.svs")
    save_encoder(tmp_path / "encoder.onnx")
    save_head(tmp_path / "head.onnx")
    random = np.random.default_rng(2)
    np.save(tmp_path / "features.npy", random.normal(size=(30, 6)).astype("f4"))
    np.save(tmp_path / "places.npy", np.arange(60).reshape(30, 2) * 256)
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "prints", "writes"),
    [
        ("explain.py", re.escape((SNIPPETS / "explain.txt").read_text()), ["e.png"]),
        ("bags.py", "", ["e.geojson"]),
        ("function.py", "", []),
        ("evaluate.py", r"consensus: ndcg .*\n.*ink: ", []),
        ("plan.py", "attention .*Instances meet at", []),
        ("notebook.py", "", []),
        ("game.py", r"\[.*\]", []),
        ("slides.py", r"\(\d+, 2\) \(\d+, 3\)", ["slide.h5", "slide.geojson"]),
        ("whatif.py", r"\[15 21\] True", []),
        ("errors.py", "MissingError missing .*missing.npz does not exist", []),
    ],
)
def test_snippet_runs(
    name: str,
    prints: str,
    writes: list[str],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = set(folder.iterdir())
    runpy.run_path(str(SNIPPETS / name), run_name="__main__")
    assert re.search(prints, capsys.readouterr().out, re.DOTALL)
    assert {p.name for p in set(folder.iterdir()) - before} == set(writes)
    if "e.png" in writes:  # the site shows it as what the program writes
        shown = DIGITS / "explanation.png"
        assert (folder / "e.png").read_bytes() == shown.read_bytes()


def test_every_snippet_is_tested() -> None:
    (mark,) = (m for m in test_snippet_runs.pytestmark if m.name == "parametrize")  # type: ignore[attr-defined]
    assert {row[0] for row in mark.args[1]} | EXPORTERS == {p.name for p in SNIPPETS.glob("*.py")}


def test_readme_shows_snippets_only() -> None:
    shown = re.findall(r"```\w*\n(.*?)```", (ROOT / "tools/python/README.md").read_text(), re.S)
    known = [p.read_text() for p in SNIPPETS.iterdir()]
    assert shown
    assert [block for block in shown if block not in known] == []
