"""Export of a Keras model by Keras' own exporter."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._bag import Bag
from .._model import Model
from ._card import append_card
from ._error import ExportError
from ._expect import expect, resized
from ._file import File
from ._judge import Judge
from ._outputs import check_classes, choose, flatten
from ._proof import SIZES, Proof, first_line, prove


def export_keras(
    model: Any,
    example_bag: Any,
    path: str | os.PathLike[str],
    card: dict[str, Any],
    *,
    output: str | None,
    attention: str | None,
    instance_axis: int | None,
    seed: int,
) -> Proof:
    """Write a proved ONNX file of a Keras model; see ``bagscope.export``."""
    rows, axis = _rows(example_bag, instance_axis)

    def run(rows: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
        return _run(model, rows, axis)

    large = resized(rows, len(rows) + 3, seed)
    try:
        found = run(rows), run(large)
    except Exception as e:  # the model's own, of any kind
        raise ExportError(
            f"the model cannot compute the example: {first_line(e)}. A model of batches takes "
            "example_bag[None]; models with several inputs are not exported"
        ) from e
    outputs = choose(*found, (len(rows), len(large)), output, attention, None)
    expected = expect(
        lambda rows: run(rows)[outputs.scores].ravel().astype(np.float64),
        {k: resized(rows, k, seed) for k in SIZES},
        lambda rows, order: rows[order],
        Bag,
        outputs.notes,
        "Let layers that draw random numbers follow the argument training of call",
    )
    check_classes(card, outputs.scores, expected.permuted[1].size)
    file = _convert(model, rows, axis)
    names = _graph_names(file, found[0])
    known: dict[str, Any] = {"output_name": names[outputs.scores], "instance_axis": axis}
    if outputs.scale is not None:
        known["output"] = outputs.scale
    if outputs.inherent is not None:
        known["inherent"] = names[outputs.inherent]
    card = known | card
    result = prove("keras", Judge(file, card), names[outputs.scores], expected)
    if not isinstance(result, Proof):
        raise ExportError(
            f"{result} Python code in call() that computes with the number of instances, such as a "
            "loop over them or a condition on their number, becomes a constant: use keras.ops on "
            "the whole axis"
        )
    Path(path).write_bytes(append_card(file.data, card))
    return result


def _rows(example: Any, instance_axis: int | None) -> tuple[NDArray[np.float32], int]:
    """Return the instances of an example, and their axis in what the model takes."""
    try:
        bag: NDArray[np.float32] = np.asarray(example, np.float32)
    except (TypeError, ValueError):  # such as a list of arrays of different lengths
        bag = np.empty(0, np.float32)
    if bag.ndim < 2:
        raise ExportError(
            "pass an example bag of a Keras model as one array, (k, ...) or (1, k, ...)"
        )
    axis = int(len(bag) == 1) if instance_axis is None else instance_axis
    rows = bag[0] if axis == 1 and len(bag) == 1 else bag
    behind = rows is not bag  # whether an axis of batches was removed
    if axis not in (0, 1) or (axis == 1) != behind or rows.ndim < 2 or len(rows) < 2:
        raise ExportError(
            f"the example has shape {bag.shape}; pass at least two instances, (k, ...), or "
            "(1, k, ...) for a model of batches"
        )
    return rows, axis


def _shaped(rows: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Return instances as the model takes them."""
    return rows[None] if axis == 1 else rows


def _run(model: Any, rows: NDArray[np.float32], axis: int) -> dict[str, NDArray[Any]]:
    """Return the model's outputs by name."""
    import keras

    tensors = flatten(model(_shaped(rows, axis), training=False), keras.ops.is_tensor)
    return {name: np.asarray(keras.ops.convert_to_numpy(t)) for name, t in tensors.items()}


def _convert(model: Any, rows: NDArray[np.float32], axis: int) -> File:
    """Return the file of a model, with a free number of instances."""
    import keras

    shape: list[int | None] = list(_shaped(rows, axis).shape)
    shape[axis] = None
    with tempfile.TemporaryDirectory(prefix="bagscope-") as folder:
        path = Path(folder) / "model.onnx"
        try:
            model.export(
                str(path),
                format="onnx",
                verbose=False,
                input_signature=[keras.InputSpec(shape=tuple(shape), dtype="float32")],
            )
        except ImportError as e:
            raise ExportError(
                "Keras 3 exports to ONNX by tf2onnx: pip install tf2onnx "
                f"(Keras {keras.__version__}: {first_line(e)})"
            ) from e
        except Exception as e:  # Keras' own, of any kind
            raise ExportError(f"Keras {keras.__version__}: {first_line(e)}") from e
        return File(path.read_bytes())


def _graph_names(file: File, outputs: dict[str, NDArray[Any]]) -> dict[str, str]:
    """Return the names in the file by those of the model.

    TensorFlow keeps the keys of a mapping and sorts them; other outputs keep their order.
    """
    in_graph = [o.name for o in Model(file.data).info.outputs]
    if set(outputs) <= set(in_graph):
        return {name: name for name in outputs}
    return dict(zip(outputs, in_graph, strict=True))
