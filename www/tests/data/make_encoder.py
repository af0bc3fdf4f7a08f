"""Writes encoder4.onnx, encoder4_parts.onnx and encoder4_slow.onnx, which turn pictures of patches into four features: how far red, green and blue
are from white, and how far they are from each other. The slow one adds a trace of many convolutions by the same weights, so
that a test can stop it midway. encoder4_parts.onnx keeps its tensors in encoder4_parts.onnx.data.

    python make_encoder.py   (onnx 1.19 or later)
"""

import json
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CHANNELS, LAYERS = 24, 60


def constant(name, values):
    return numpy_helper.from_array(np.array(values, np.float32), name)


def write(name, layers):
    nodes = [
        helper.make_node("ReduceMean", ["patches"], ["colour"], axes=[2, 3], keepdims=0),
        helper.make_node("Gemm", ["colour", "W", "b"], ["plain" if layers else "features"]),
    ]
    # Red, green and blue are 0 to 1, and stained tissue has little green.
    weights = [constant("W", [[-4, 0, 0, 3], [0, -4, 0, -6], [0, 0, -4, 3]]), constant("b", [4, 4, 4, 0])]
    if layers:
        random = np.random.default_rng(1)
        deep = random.normal(0, (2 / 9 / CHANNELS) ** 0.5, (CHANNELS, CHANNELS, 3, 3))
        weights += [
            constant("first", random.normal(0, 0.2, (CHANNELS, 3, 3, 3))),
            constant("deep", deep),
            constant("last", random.normal(0, 0.001, (CHANNELS, 4))),
        ]
        same = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
        nodes.append(helper.make_node("Conv", ["patches", "first"], ["x0"], **same))
        for i in range(layers):
            nodes.append(helper.make_node("Conv", [f"x{i}", "deep"], [f"y{i}"], **same))
            nodes.append(helper.make_node("Relu", [f"y{i}"], [f"x{i + 1}"]))
        nodes += [
            helper.make_node("ReduceMean", [f"x{layers}"], ["mean"], axes=[2, 3], keepdims=0),
            helper.make_node("MatMul", ["mean", "last"], ["trace"]),
            helper.make_node("Tanh", ["trace"], ["bounded"]),
            helper.make_node("Add", ["plain", "bounded"], ["features"]),
        ]
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("patches", TensorProto.FLOAT, ["n", 3, "height", "width"])],
        [helper.make_tensor_value_info("features", TensorProto.FLOAT, ["n", 4])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="")
    helper.set_model_props(model, {"bagscope": json.dumps({"preprocess": {"scale": 1 / 255}, "patch": {"size": 16}})})
    onnx.checker.check_model(model)
    pathlib.Path(__file__).with_name(f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))
    return model


parts = pathlib.Path(__file__).with_name("encoder4_parts.onnx")
parts.with_name(f"{parts.name}.data").unlink(missing_ok=True)  # onnx appends to it
onnx.save_model(
    write("encoder4", 0), parts, save_as_external_data=True, location=f"{parts.name}.data", size_threshold=0
)
write("encoder4_slow", LAYERS)
