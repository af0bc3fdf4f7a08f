"""Export of a PyTorch module, tried with each exporter and proved."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ._advice import advise, advise_operator
from ._card import append_card
from ._error import ExportError
from ._expect import expect
from ._exporters import Exporter, exporters, write
from ._file import File
from ._inputs import Example, read_example
from ._judge import Judge, errors
from ._locate import locate
from ._outputs import Outputs, check_classes, choose, flatten, graph_name
from ._precision import advise_half, advise_mixed
from ._proof import SIZES, Expected, Failure, Proof, prove
from ._state import evaluation


def export_module(
    module: torch.nn.Module,
    example_bag: Any,
    path: str | os.PathLike[str],
    card: dict[str, Any],
    *,
    output: str | None,
    attention: str | None,
    instance_axis: int | None,
    seed: int,
) -> Proof:
    """Write a proved ONNX file of a module; see ``bagscope.export``."""
    with evaluation(module):
        example = read_example(example_bag, instance_axis)
        outputs = _outputs(module, example, output, attention, seed)
        related = _uses_pairs(module, example, outputs.scores)
        card = _card(card, example, outputs, related)
        bags = {k: example.resized(k, seed) for k in SIZES}
        expected = _expect(module, bags, outputs)
        check_classes(card, outputs.scores, expected.permuted[1].size)
        failures: dict[str, Exception | tuple[File, Failure]] = {}
        for name, exporter in exporters().items():
            found = _attempt(
                (name, exporter), module, example, outputs, card, expected, Path(path).name
            )
            if isinstance(found, Exception):
                failures[name] = found
                continue
            file, result = found
            if isinstance(result, Proof):
                _write(Path(path), file, card)
                return result
            failures[name] = file, result
        # A search for the layer exports the module again, so it is left until all have failed.
        attempts = {
            name: _explain(name, failed, module, example, bags) for name, failed in failures.items()
        }
    version = torch.__version__.split("+")[0]  # without the name of the build
    tried = "\n".join(f"- {name}: {said}" for name, said in attempts.items())
    raise ExportError(
        f"no exporter of PyTorch {version} writes this module for bags of every size:\n{tried}",
        attempts,
    )


def run(module: torch.nn.Module, example: Example) -> dict[str, torch.Tensor]:
    """Return the module's outputs by name."""
    return flatten(example.call(module, list(example.tensors.values())), torch.is_tensor)


def _arrays(tensors: dict[str, torch.Tensor]) -> dict[str, NDArray[Any]]:
    """Return tensors as arrays. NumPy has no bfloat16."""
    return {
        name: (t.double() if t.is_floating_point() else t).detach().numpy()
        for name, t in tensors.items()
    }


def _expect(module: torch.nn.Module, bags: dict[int, Example], outputs: Outputs) -> Expected:
    """Compute the module's scores of bags."""

    def scores(bag: Example) -> NDArray[np.float64]:
        return _arrays(run(module, bag))[outputs.scores].ravel()

    return expect(
        scores,
        bags,
        Example.take,
        Example.bag,
        outputs.notes,
        "Write F.dropout(x, p, self.training) instead of F.dropout(x, p), and return the mean "
        "instead of samples of a distribution",
    )


def _outputs(
    module: torch.nn.Module, example: Example, output: str | None, attention: str | None, seed: int
) -> Outputs:
    """Run the module for two sizes and choose its outputs."""
    large = example.resized(example.instances + 3, seed)
    try:
        found = _arrays(run(module, example)), _arrays(run(module, large))
    except Exception as e:  # the module's own, of any kind
        shapes = ", ".join(f"{n} {tuple(t.shape)}" for n, t in example.tensors.items())
        instead = advise_mixed(module, example) or (
            "A module of batches takes example_bag[None]; a further input is passed by a mapping"
        )
        raise ExportError(
            f"the module cannot compute the example ({shapes}): {type(e).__name__}: {e}. {instead}"
        ) from e
    return choose(
        *found,
        (example.instances, large.instances),
        output,
        attention,
        getattr(module, "criterion", None),
    )


def _uses_pairs(module: torch.nn.Module, example: Example, scores: str) -> bool:
    """Tell whether the scores depend on the adjacency. Exporters leave out inputs without a use."""
    if example.pairs is None:
        return False
    other = torch.rand_like(example.tensors[example.pairs])
    changed = replace(example, tensors={**example.tensors, example.pairs: other})
    return not torch.equal(run(module, example)[scores], run(module, changed)[scores])


def _card(
    card: dict[str, Any], example: Example, outputs: Outputs, related: bool
) -> dict[str, Any]:
    """Complete a card by what the module shows. Keys of the caller win."""
    first = next(iter(example.axes))
    known: dict[str, Any] = {
        "output_name": graph_name(outputs.scores, example.tensors),
        "instance_axis": example.axes[first],
    }
    if related:
        known["inputs"] = {example.pairs: "adjacency"}
    if outputs.scale is not None:
        known["output"] = outputs.scale
    if outputs.inherent is not None:
        known["inherent"] = graph_name(outputs.inherent, example.tensors)
    return known | card


def _attempt(
    exporter: tuple[str, Exporter],
    module: torch.nn.Module,
    example: Example,
    outputs: Outputs,
    card: dict[str, Any],
    expected: Expected,
    file_name: str,
) -> tuple[File, Proof | Failure] | Exception:
    """Return a file and whether it is proved, or the exporter's error."""
    try:
        file = write(*exporter, module, example, outputs.names, file_name)
    except Exception as e:  # an exporter's own, of any kind
        return e
    name = graph_name(outputs.scores, example.tensors)
    try:
        return file, prove(exporter[0], Judge(file, card), name, expected)
    except errors as e:  # the engine cannot open the file
        return e


def _explain(
    name: str,
    failed: Exception | tuple[File, Failure],
    module: torch.nn.Module,
    example: Example,
    bags: dict[int, Example],
) -> str:
    """Say why an exporter failed, which layer is the cause, and what to write instead."""
    half = advise_half(module, example)
    if isinstance(failed, Exception):
        said = _innermost(failed)
        return " ".join(filter(None, (said, advise_operator(module, said), half)))
    file, failure = failed
    if half:
        return f"{failure} {half}"
    blame = _blame((name, exporters()[name]), file, module, example, bags[failure.size])
    return f"{failure} {blame}"


def _blame(
    exporter: tuple[str, Exporter],
    file: File,
    module: torch.nn.Module,
    example: Example,
    bag: Example,
) -> str:
    """Say which layer of a module differs from its file, and what to write instead."""

    def open_file(file: File, scores: str) -> Judge:
        return Judge(file, {"output_name": scores, "output": "raw"})

    place = locate(exporter, module, example, bag, open_file)
    if place is None:
        return f"The layer was not found. {advise(module, '', file)}"
    layer = module.get_submodule(place.owner)
    name = f"layer {place.owner!r}" if place.owner else "the module"
    before, after = place.between
    return (
        f"The cause is in {name} ({type(layer).__name__}): {before} is equal, {after} differs. "
        f"{advise(module, place.owner, file)}"
    )


def _innermost(error: Exception) -> str:
    """Return the first lines of the error at the bottom of an exporter's chain of errors."""
    chain: list[BaseException] = [error]
    while (below := chain[-1].__cause__ or chain[-1].__context__) and below not in chain:
        chain.append(below)
    said = next((e for e in reversed(chain) if str(e).strip()), error)
    lines = [line.strip() for line in str(said).strip().splitlines() if line.strip()]
    return f"{type(error).__name__}: {' '.join(lines[:2])[:400]}"


def _write(path: Path, file: File, card: dict[str, Any]) -> None:
    """Write the file with its card, and the weights beside it if there are any."""
    for name, data in file.external.items():
        (path.parent / name).write_bytes(data)
    path.write_bytes(append_card(file.data, card))
