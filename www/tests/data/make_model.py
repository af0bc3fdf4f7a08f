"""Writes attention4.onnx and attention4_parts.onnx: attention pooling over bags of four features, with weights set by hand.

h = tanh(x W), a = softmax over instances of h v, logits = (a' h) U + b. Feature f1 raises the alarm, f2 lowers it,
f3 draws attention, f4 does nothing. instances4.onnx judges each instance by itself. pixels.onnx looks how dark patches of pictures are; its classes have names in other scripts.

    python make_model.py   (onnx 1.19 or later)
"""

import json
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data


def constant(name, rows):
    return numpy_helper.from_array(np.array(rows, np.float32), name)


nodes = [
    helper.make_node("MatMul", ["bag", "W"], ["encoded"], "encode"),
    helper.make_node("Tanh", ["encoded"], ["h"], "squash"),
    helper.make_node("MatMul", ["h", "v"], ["energy"], "attend"),
    helper.make_node("Softmax", ["energy"], ["attention"], "share", axis=0),
    helper.make_node("Transpose", ["attention"], ["row"], "turn", perm=[1, 0]),
    helper.make_node("MatMul", ["row", "h"], ["pooled"], "pool"),
    helper.make_node("Gemm", ["pooled", "U", "b"], ["logits"], "classify"),
]
weights = [
    constant("W", [[1.2, 0, 0], [0, 1.2, 0], [0, 0, 1.2], [0, 0, 0]]),
    constant("v", [[0.4], [0.4], [1.5]]),
    constant("U", [[-2.5, 2.5], [2, -2], [0, 0]]),
    constant("b", [0.2, -0.2]),
]
graph = helper.make_graph(
    nodes,
    "attention4",
    [helper.make_tensor_value_info("bag", TensorProto.FLOAT, ["instances", 4])],
    [
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 2]),
        helper.make_tensor_value_info("attention", TensorProto.FLOAT, ["instances", 1]),
    ],
    weights,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="")
card = {"classes": ["calm", "alarm"], "negative": 0, "output": "logits", "inherent": "attention"}
helper.set_model_props(model, {"bagscope": json.dumps(card)})
onnx.checker.check_model(model)
pathlib.Path(__file__).with_name("attention4.onnx").write_bytes(model.SerializeToString(deterministic=True))

# The same with two of the weights in files of their own.
for weight in model.graph.initializer[:2]:
    set_external_data(weight, f"weights/{weight.name}.bin")
folder = pathlib.Path(__file__).parent
(folder / "weights").mkdir(exist_ok=True)
onnx.save_model(model, str(folder / "attention4_parts.onnx"))

# The probability of an alarm of each instance by itself, which no pooling joins.
graph = helper.make_graph(
    [helper.make_node("Gemm", ["bag", "A", "a"], ["logit"], "judge"), helper.make_node("Sigmoid", ["logit"], ["alarm"], "squash")],
    "instances4",
    [helper.make_tensor_value_info("bag", TensorProto.FLOAT, ["batch", 4])],
    [helper.make_tensor_value_info("alarm", TensorProto.FLOAT, ["batch", 1])],
    [constant("A", [[3], [-3], [0], [0]]), constant("a", [-2])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="")
onnx.checker.check_model(model)
pathlib.Path(__file__).with_name("instances4.onnx").write_bytes(model.SerializeToString(deterministic=True))

# How dark patches of any side are on average: a bag is dark where its mean is below a half.
nodes = [
    helper.make_node("ReduceMean", ["bag"], ["shades"], "look", axes=[2, 3], keepdims=0),
    helper.make_node("ReduceMean", ["shades"], ["shade"], "pool", axes=[0], keepdims=1),
    helper.make_node("Gemm", ["shade", "V", "c"], ["logits"], "classify"),
]
graph = helper.make_graph(
    nodes,
    "pixels",
    [helper.make_tensor_value_info("bag", TensorProto.FLOAT, ["instances", 3, "height", "width"])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 2])],
    [constant("V", [[2, -2]] * 3), constant("c", [-3, 3])],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="")
card = {"classes": ["明るい", "темно"], "output": "logits", "preprocess": {"scale": 1 / 255}, "patch": {"size": 64, "stride": 500}}
helper.set_model_props(model, {"bagscope": json.dumps(card)})
onnx.checker.check_model(model)
pathlib.Path(__file__).with_name("pixels.onnx").write_bytes(model.SerializeToString(deterministic=True))
