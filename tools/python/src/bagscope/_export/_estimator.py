"""Export of a scikit-learn classifier of instances, with pooling behind it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._bag import Bag
from ._card import append_card
from ._error import ExportError
from ._expect import expect, resized
from ._file import File
from ._judge import Judge
from ._proof import SIZES, Proof, first_line, prove

POOLS: dict[str, Callable[..., Any]] = {"mean": np.mean, "max": np.max}
SCORES = "scores"


def export_estimator(
    estimator: Any,
    example_bag: Any,
    path: str | os.PathLike[str],
    card: dict[str, Any],
    pool: str | None,
    seed: int,
) -> Proof:
    """Write a proved ONNX file of a fitted classifier; see ``bagscope.export``.

    The bag's scores are the mean or the maximum of the instances' probabilities.
    """
    if pool not in POOLS:
        raise ExportError(
            f"pool is {pool!r}: an estimator scores instances; say how their probabilities become "
            "the bag's by pool='mean' or pool='max'"
        )
    bag = np.asarray(example_bag, np.float32)
    if bag.ndim != 2 or len(bag) < 2:
        raise ExportError(f"the example has shape {bag.shape}; pass at least two rows of features")
    # A maximum of several probabilities does not sum to 1.
    known = {
        "output_name": SCORES,
        "instance_axis": 0,
        "output": "probabilities" if pool == "mean" else "raw",
        "classes": [str(c) for c in estimator.classes_],
    }
    card = known | card
    file = File(_convert(estimator, bag, pool))
    expected = expect(
        lambda rows: np.asarray(POOLS[pool](estimator.predict_proba(rows), axis=0), np.float64),
        {k: resized(bag, k, seed) for k in SIZES},
        lambda rows, order: rows[order],
        Bag,
        (),
        "Set its random_state",
    )
    result = prove("skl2onnx", Judge(file, card), SCORES, expected)
    if not isinstance(result, Proof):
        raise ExportError(
            f"{result} skl2onnx computes in float32: thresholds of trees may fall on "
            "the other side of a rounded feature"
        )
    Path(path).write_bytes(append_card(file.data, card))
    return result


def _convert(estimator: Any, bag: NDArray[np.float32], pool: str) -> bytes:
    """Return the ONNX file of an estimator, with the pooling of its probabilities."""
    try:
        import onnx
        from skl2onnx import to_onnx
    except ImportError as e:
        raise ExportError("estimators are exported by skl2onnx: pip install skl2onnx") from e
    try:
        model = to_onnx(estimator, bag[:1], options={"zipmap": False}, target_opset=17)
    except Exception as e:  # skl2onnx's own, of any kind
        raise ExportError(f"skl2onnx: {first_line(e)}") from e
    probabilities = model.graph.output[-1].name
    classes = len(estimator.classes_)
    operator = {"mean": "ReduceMean", "max": "ReduceMax"}[pool]
    model.graph.node.append(
        onnx.helper.make_node(
            operator, [probabilities], [SCORES], name="pool", axes=[0], keepdims=0
        )
    )
    del model.graph.output[:]
    model.graph.output.append(
        onnx.helper.make_tensor_value_info(SCORES, onnx.TensorProto.FLOAT, [classes])
    )
    data: bytes = model.SerializeToString()
    return data
