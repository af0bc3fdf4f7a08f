"""Writes optimised.onnx: a bag model of four features that ONNX Runtime has optimised, with fused layers.

python optimised.py (onnxruntime 1.32, onnx 1.23)
"""

import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

r = np.random.default_rng(3)
arrays = {"w": r.normal(size=(4, 8)), "b": r.normal(size=8), "v": r.normal(size=(8, 2)), "c": r.normal(size=2)}
graph = helper.make_graph(
    [
        helper.make_node("Gemm", ["x", "w", "b"], ["h"]),
        helper.make_node("Relu", ["h"], ["e"]),
        helper.make_node("ReduceMean", ["e"], ["m"], axes=[0], keepdims=1),
        helper.make_node("Gemm", ["m", "v", "c"], ["logits"]),
    ],
    "bag",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["k", 4])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 2])],
    [numpy_helper.from_array(a.astype(np.float32), name) for name, a in arrays.items()],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
with tempfile.TemporaryDirectory() as folder:
    options.optimized_model_filepath = f"{folder}/optimised.onnx"
    onnxruntime.InferenceSession(model.SerializeToString(), options)
    written = onnx.load(options.optimized_model_filepath)
assert any(n.domain == "com.microsoft" for n in written.graph.node), written.graph.node
onnx.save(written, pathlib.Path(__file__).parent / "optimised.onnx")
