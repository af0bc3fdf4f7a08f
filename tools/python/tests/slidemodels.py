"""A slide, a small encoder of its patches, and a model of the features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
from conftest import ROOT
from onnx import TensorProto, helper

SLIDE = ROOT / "core/slide/testdata/none_big_endian.tif"  # 200 x 150 pixels of .5 microns


def save_encoder(path: Path) -> Path:
    """Write an encoder of patches of 16 pixels, the mean of each colour, and its card."""
    path.with_suffix(".bagscope.json").write_text('{"preprocess": {"scale": 1}}')
    nodes = [
        helper.make_node("GlobalAveragePool", ["x"], ["p"]),
        helper.make_node("Flatten", ["p"], ["y"]),
    ]
    return _save(path, nodes, ["n", 3, 16, 16], ["n", 3])


def save_head(path: Path) -> Path:
    """Write a model of three features: their means over the bag are the scores."""
    nodes = [helper.make_node("ReduceMean", ["x"], ["y"], axes=[0], keepdims=0)]
    return _save(path, nodes, ["k", 3], [3])


def _save(path: Path, nodes: list[Any], given: list[str | int], made: list[str | int]) -> Path:
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, given)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, made)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)
    return path
