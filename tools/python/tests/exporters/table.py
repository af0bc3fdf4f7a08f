"""Write architectures.md: which architectures bagscope explains, and how exactly.

    MIL_LAB=FOLDER python table.py [--files ../../../../onnxbackend/testdata/relations] [NAME ...]

It needs the packages of requirements.txt; MIL-Lab's models also import transformers, loguru, timm,
torch-geometric and nystrom-attention. ``--files`` also writes the files of torchmil's models of an
adjacency matrix that the tests of the engine read.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch
from architectures import Architecture, millab_models, torchmil_models
from numpy.typing import NDArray

import bagscope
from bagscope import ExportError
from bagscope._export import _module
from bagscope._export._exporters import exporters, write
from bagscope._export._inputs import read_example
from bagscope._export._proof import TOLERANCE, deviation
from bagscope._export._state import evaluation

HERE = Path(__file__).parent
TABLE = HERE / "architectures.md"
SIZES = (1, 7, 64)
HEAD = ["architecture", "exporter", "verdict", "plan, or the error"]
HEAD += ["PyTorch", "ONNX Runtime", "coalitions"]
PROVED = "proved"
RANDOM = "the model draws random numbers"
REFUSED = "the exporter writes no file"
FAILS = "fails in ONNX Runtime too"
MISSING = "missing"
VERDICTS = (PROVED, MISSING, RANDOM, FAILS, REFUSED)
"""What becomes of an architecture, from the best on."""
Inputs = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Row:
    """What became of an architecture.

    ``plan`` says what runs once for a bag. The differences are the largest of a score, relative to
    the larger of 1 and the largest score of its bag: from PyTorch and from ONNX Runtime for parts
    of a bag, and from PyTorch for coalitions of a bag of 64. ``error`` is that of the export.
    """

    library: str
    name: str
    exporter: str
    verdict: str
    plan: str = ""
    torch: float = 0
    runtime: float = 0
    coalitions: float = 0
    error: str = ""

    def cells(self) -> list[str]:
        """Return the cells of the row."""
        found = [f"{self.library} {self.name}", self.exporter, self.verdict]
        if self.verdict != PROVED:
            return [*found, self.error, "", "", ""]
        differences = (self.torch, self.runtime, self.coalitions)
        return [*found, self.plan, *(f"{d:.0e}" if d else "0" for d in differences)]


def examine(library: str, architecture: Architecture, exporter: str, folder: Path) -> Row:
    """Export an architecture by one exporter and compare the file with the module."""
    module = architecture.module()
    path = folder / f"{architecture.name.lower()}.onnx"
    first = (library, architecture.name, exporter)
    try:
        with only(exporter):
            model = bagscope.export(module, architecture.bag(), path, scale="raw")
    except ExportError as e:
        if "something is random" in str(e):
            return Row(*first, RANDOM, error="different scores for the same bag")
        file = raw(module, architecture, exporter)
        verdict = REFUSED
        if file is not None:
            verdict = MISSING if agrees(module, architecture, file) else FAILS
        return Row(*first, verdict, error=reason(e.attempts[exporter]))
    session = onnxruntime.InferenceSession(path)
    whole = architecture.bag(64)
    from_torch = from_runtime = 0.0
    for k in SIZES:
        part = select(whole, np.sort(np.random.default_rng(k).permutation(64)[:k]))
        want = scores(module, part)
        if want is None:
            continue
        got = bagscope.predict(model, bag_of(part)).raw.ravel()
        from_torch = max(from_torch, deviation(got, want))
        from_runtime = max(from_runtime, deviation(got, run(session, part)))
    game = bagscope.game(model, bag_of(whole))
    members = np.random.default_rng(0).random((6, 64)) < np.linspace(0.15, 0.9, 6)[:, None]
    wanted = [scores(module, select(whole, np.flatnonzero(m))) for m in members]
    pairs = zip(game(members), wanted, strict=True)
    from_parts = max(deviation(got, want) for got, want in pairs if want is not None)
    return Row(*first, PROVED, plan_of(model, bag_of(whole)), from_torch, from_runtime, from_parts)


@contextmanager
def only(exporter: str) -> Iterator[None]:
    """Let bagscope.export try one exporter."""
    before = _module.exporters
    _module.exporters = lambda: {exporter: exporters()[exporter]}
    try:
        yield
    finally:
        _module.exporters = before


def select(bag: Inputs, instances: NDArray[np.intp]) -> Inputs:
    """Return some instances of a bag, with their rows and columns of its adjacency."""
    index = torch.as_tensor(instances)
    part = {name: t.index_select(1, index) for name, t in bag.items()}
    if "adj" in part:
        part["adj"] = part["adj"].index_select(2, index)
    return part


def bag_of(bag: Inputs) -> bagscope.Bag:
    """Return a bag as bagscope takes it."""
    adjacency = bag.get("adj")
    return bagscope.Bag(bag["X"][0], adjacency=None if adjacency is None else adjacency[0])


def scores(module: torch.nn.Module, bag: Inputs) -> NDArray[np.float64] | None:
    """Return what the module computes, or None if it rejects the bag."""
    try:
        with torch.no_grad():
            found: NDArray[np.float64] = module(**bag).double().numpy().ravel()
    except RuntimeError:
        return None
    return found


def run(session: onnxruntime.InferenceSession, bag: Inputs) -> NDArray[np.float64]:
    """Return what ONNX Runtime computes."""
    inputs = {i.name: bag[i.name].numpy() for i in session.get_inputs()}
    found: NDArray[np.float64] = session.run(None, inputs)[0].astype(np.float64).ravel()
    return found


def raw(module: torch.nn.Module, architecture: Architecture, exporter: str) -> bytes | None:
    """Return the file that an exporter writes, or None if it writes none."""
    try:
        with evaluation(module):
            example = read_example(architecture.bag(), None)
            return write(exporter, exporters()[exporter], module, example, ["scores"]).data
    except Exception:  # an exporter's own, of any kind
        return None


def agrees(module: torch.nn.Module, architecture: Architecture, file: bytes) -> bool:
    """Tell whether ONNX Runtime computes what the module does, for bags of all sizes."""
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(file, options)
        for k in SIZES:
            bag = architecture.bag(k)
            want = scores(module, bag)
            if want is not None and deviation(run(session, bag), want) > TOLERANCE:
                return False
    except Exception:  # ONNX Runtime's own, of any kind
        return False
    return True


def plan_of(model: bagscope.ExportedModel, bag: bagscope.Bag) -> str:
    """Return how many nodes run once for a bag and for each coalition, and the strategy."""
    plan = bagscope.plan(model, bag)
    return f"{len(plan.once)} once, {len(plan.each)} each, {plan.strategy}"


def reason(said: str) -> str:
    """Return the first sentence of an error, without the places of a file."""
    return said.split(". ")[0].replace("|", "/")[:160]


def committed() -> dict[tuple[str, str], list[str]]:
    """Return the cells of the table by architecture and exporter."""
    lines = [line for line in TABLE.read_text().splitlines() if line.startswith("| ")]
    cells = [[c.strip() for c in line[2:-2].split(" | ")] for line in lines[2:]]
    return {(row[0], row[1]): row for row in cells}


def table(cells: list[list[str]]) -> str:
    """Return the table as Markdown."""
    all_cells = [HEAD, *cells]
    widths = [max(len(row[i]) for row in all_cells) for i in range(len(HEAD))]
    lines = [
        f"| {' | '.join(c.ljust(w) for c, w in zip(row, widths, strict=True))} |"
        for row in all_cells
    ]
    lines.insert(1, f"| {' | '.join('-' * w for w in widths)} |")
    return "\n".join(lines) + "\n"


def summary(cells: list[list[str]]) -> str:
    """Return how many architectures have each verdict, by the better exporter and variant."""
    best: dict[str, str] = {}
    for row in sorted(cells, key=lambda row: VERDICTS.index(row[2])):
        best.setdefault(row[0].partition(",")[0], row[2])
    said = "; ".join(f"{v}: {list(best.values()).count(v)}" for v in VERDICTS)
    return f"{len(best)} architectures by their best row: {said}.\n"


def write_files(folder: Path) -> None:
    """Write the files of models of an adjacency matrix, with the module's scores of a bag of 7."""
    folder.mkdir(exist_ok=True)
    expected: dict[str, Any] = {}
    for architecture in torchmil_models():
        if architecture.beside != "adj" or "zero" in architecture.name:  # its mean needs no matrix
            continue
        module, bag = architecture.module(), architecture.bag(7)
        file = architecture.name.lower()
        with only("torchscript"):
            try:
                bagscope.export(module, architecture.bag(), folder / f"{file}.onnx", scale="raw")
            except ExportError:  # it draws random numbers
                continue
        found = scores(module, bag)
        assert found is not None
        expected[file] = {
            "instances": bag["X"][0].tolist(),
            "adjacency": bag["adj"][0].tolist(),
            "scores": found.tolist(),
        }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


def main() -> None:
    """Write the rows of all architectures, or of some, into the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=Path)
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    if options.files is not None:
        write_files(options.files)
        return
    found = [("torchmil", a) for a in torchmil_models()] + [("MIL-Lab", a) for a in millab_models()]
    cells = committed()
    with tempfile.TemporaryDirectory() as folder:
        for library, architecture in found:
            if options.name and architecture.name not in options.name:
                continue
            for exporter in exporters():
                row = examine(library, architecture, exporter, Path(folder)).cells()
                cells[row[0], row[1]] = row
                print(" | ".join(row), flush=True)
    order = [f"{library} {architecture.name}" for library, architecture in found]
    rows = sorted(cells.values(), key=lambda row: order.index(row[0]))
    text = TABLE.read_text().partition("\n| ")[0]
    TABLE.write_text(f"{text}\n{table(rows)}\n{summary(rows)}")


if __name__ == "__main__":
    main()
