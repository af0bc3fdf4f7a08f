"""The networks that export_optimised.py optimises: graphs as PyTorch's exporter writes those of Hugging Face and torchvision, pooled to the scores of a bag."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS = 8, 2


class Graph:
    """Nodes that read each other's names."""

    def __init__(self, seed):
        self.r = np.random.default_rng(seed)
        self.nodes, self.stored = [], []

    def __call__(self, op, *inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        inputs = [self.constant(x) if isinstance(x, np.ndarray) else x for x in inputs]
        self.nodes.append(helper.make_node(op, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, x):
        self.stored.append(numpy_helper.from_array(x, f"c{len(self.stored)}"))
        return self.stored[-1].name

    def weights(self, *shape):
        return (self.r.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32)

    def layer(self, x, n, out):
        return self("Add", self.weights(out), self("MatMul", x, self.weights(n, out)))

    def norm(self, x):
        return self("LayerNormalization", x, 1 + 0.1 * self.weights(WIDTH), 0.1 * self.weights(WIDTH), axis=-1)

    def gelu(self, x, fast):
        if fast:
            half = self("Mul", x, np.array(0.5, np.float32))
            cube = self("Mul", self("Pow", x, np.array(3, np.float32)), np.array(0.044714998453855515, np.float32))
            t = self("Tanh", self("Mul", self("Add", x, cube), np.array(0.7978845834732056, np.float32)))
            return self("Mul", half, self("Add", t, np.array(1, np.float32)))
        e = self("Erf", self("Div", x, np.array(np.sqrt(2), np.float32)))
        return self("Mul", self("Mul", x, self("Add", e, np.array(1, np.float32))), np.array(0.5, np.float32))

    def attention(self, x):
        q, k, v = (self.layer(x, WIDTH, WIDTH) for _ in range(3))
        shape = np.array([0, 0, HEADS, WIDTH // HEADS])
        q, v = (self("Transpose", self("Reshape", y, shape), perm=[0, 2, 1, 3]) for y in (q, v))
        k = self("Transpose", self("Reshape", k, shape), perm=[0, 2, 3, 1])
        qk = self("Div", self("MatMul", q, k), np.array(np.sqrt(WIDTH // HEADS), np.float32))
        y = self("Transpose", self("MatMul", self("Softmax", qk, axis=-1), v), perm=[0, 2, 1, 3])
        return self.layer(self("Reshape", y, np.array([0, 0, WIDTH])), WIDTH, WIDTH)

    def block(self, x, before=False, fast=False):
        """A layer of a transformer that normalises behind each sum, as BERT, or before, as ViT."""
        if before:
            x = self("Add", self.attention(self.norm(x)), x)
            return self("Add", self.layer(self.gelu(self.layer(self.norm(x), WIDTH, 16), fast), 16, WIDTH), x)
        x = self.norm(self("Add", self.attention(x), x))
        return self.norm(self("Add", self.layer(self.gelu(self.layer(x, WIDTH, 16), fast), 16, WIDTH), x))

    def model(self, x, shape):
        self.nodes.append(helper.make_node("Identity", [x], ["logits"]))
        bag = helper.make_tensor_value_info("bag", TensorProto.FLOAT, ["instances", *shape])
        logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, 2])
        graph = helper.make_graph(self.nodes, "graph", [bag], [logits], self.stored)
        m = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
        onnx.checker.check_model(m)
        return m


def encoder(before, fast, seed):
    """A transformer over the 4 tokens of an instance, and attention over the instances."""
    g = Graph(seed)
    x = g("MatMul", "bag", g.weights(WIDTH, WIDTH))
    x = g.norm(g("Add", x, 0.3 * g.weights(1, 4, WIDTH)))
    for _ in range(2):
        x = g.block(x, before, fast)
    x = g("ReduceMean", g.norm(x), axes=[1], keepdims=0)
    weight = g("Softmax", g("MatMul", g("Tanh", g.layer(x, WIDTH, 4)), g.weights(4, 1)), axis=0)
    pooled = g("MatMul", g("Transpose", weight, perm=[1, 0]), x)
    return g.model(g.layer(pooled, WIDTH, 2), [4, WIDTH])


def instances(before, fast, seed):
    """A transformer over the instances, and their mean."""
    g = Graph(seed)
    x = g("Unsqueeze", g("MatMul", "bag", g.weights(WIDTH, WIDTH)), np.array([0]))
    x = g.block(g.norm(x), before, fast)
    pooled = g("ReduceMean", g.norm(x), axes=[1], keepdims=0)
    return g.model(g.layer(pooled, WIDTH, 2), [WIDTH])


def pictures(seed):
    """A block of ResNet and one of ConvNeXt over the picture of an instance, and attention over the instances."""
    g = Graph(seed)
    conv = lambda x, n, out, size, **more: g("Conv", x, g.weights(out, n, size, size), g.weights(out), kernel_shape=[size, size], **more)
    x = g("Relu", conv("bag", 3, WIDTH, 2, strides=[2, 2]))
    inner = g("Relu", conv(x, WIDTH, WIDTH, 3, pads=[1, 1, 1, 1]))
    x = g("Relu", g("Add", conv(inner, WIDTH, WIDTH, 3, pads=[1, 1, 1, 1]), x))
    inner = conv(x, 1, WIDTH, 3, pads=[1, 1, 1, 1], group=WIDTH)
    inner = g.norm(g("Transpose", inner, perm=[0, 2, 3, 1]))
    inner = g.layer(g.gelu(g.layer(inner, WIDTH, 16), False), 16, WIDTH)
    x = g("Add", g("Transpose", inner, perm=[0, 3, 1, 2]), x)
    x = g("Flatten", g("GlobalAveragePool", x), axis=1)
    weight = g("Softmax", g("MatMul", g("Tanh", g.layer(x, WIDTH, 4)), g.weights(4, 1)), axis=0)
    return g.model(g.layer(g("MatMul", g("Transpose", weight, perm=[1, 0]), x), WIDTH, 2), [3, 8, 8])
