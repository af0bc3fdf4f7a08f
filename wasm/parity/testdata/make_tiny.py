"""Writes tiny.onnx and tiny.csv, the model and the bags of the parity test, and tiny_parts.onnx, the same model with its
larger tensors in tiny_parts.onnx.data.

    python make_tiny.py        (with onnx 1.17 or newer and numpy)

The network is attention MIL with random weights: a bag (k, 6) goes through tanh(H W1 + b1), attention is the softmax
over the instances of tanh(h V) w, and the logits of three classes are the weighted sum through W2 + b2. The bags have
1, 2, 7 and 24 instances; the last has two equal ones.
"""

import json

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(7)


def weight(name, *shape, scale=1.0):
    return numpy_helper.from_array((rng.standard_normal(shape) * scale).astype(np.float32), name)


nodes = [
    helper.make_node("Gemm", ["bag", "w1", "b1"], ["hidden"], name="encode"),
    helper.make_node("Tanh", ["hidden"], ["encoded"], name="encode_tanh"),
    helper.make_node("MatMul", ["encoded", "v"], ["attended"], name="attend"),
    helper.make_node("Tanh", ["attended"], ["attended_tanh"], name="attend_tanh"),
    helper.make_node("MatMul", ["attended_tanh", "w"], ["weights"], name="score"),
    helper.make_node("Softmax", ["weights"], ["attention"], name="attention", axis=0),
    helper.make_node("Mul", ["attention", "encoded"], ["weighted"], name="weigh"),
    helper.make_node("ReduceSum", ["weighted", "instances"], ["pooled"], name="pool", keepdims=1),
    helper.make_node("Gemm", ["pooled", "w2", "b2"], ["logits"], name="classify"),
]
graph = helper.make_graph(
    nodes,
    "tiny",
    [helper.make_tensor_value_info("bag", TensorProto.FLOAT, ["k", 6])],
    [
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 3]),
        helper.make_tensor_value_info("attention", TensorProto.FLOAT, ["k", 1]),
    ],
    [
        weight("w1", 6, 8),
        weight("b1", 8, scale=0.3),
        weight("v", 8, 5),
        weight("w", 5, 1, scale=2),
        weight("w2", 8, 3, scale=1.5),
        weight("b2", 3, scale=0.2),
        numpy_helper.from_array(np.array([0], np.int64), "instances"),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8, producer_name="make_tiny.py")
card = {"classes": ["none", "one", "two"], "negative": 0, "output": "logits", "inherent": "attention"}
helper.set_model_props(model, {"bagscope": json.dumps(card)})
onnx.checker.check_model(model)
onnx.save(model, "tiny.onnx")
onnx.save(
    model, "tiny_parts.onnx", save_as_external_data=True, location="tiny_parts.onnx.data", size_threshold=32
)  # which takes the tensors out of the model

with open("tiny.csv", "w") as f:
    f.write("bag,label," + ",".join(f"f{i + 1}" for i in range(6)) + "\n")
    for bag, k in enumerate([1, 2, 7, 24]):
        values = rng.standard_normal((k, 6)).round(3)
        if bag == 3:
            values[5] = values[17]
        for row in values:
            f.write(f"bag{k},{bag % 3}," + ",".join(f"{v:g}" for v in row) + "\n")
