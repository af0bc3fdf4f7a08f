"""Writes this folder's models and their known answers: python export.py (torch 2.1.2, onnx 1.16.2, numpy 1.26.4).

NAME.onnx has its model card in its metadata. answers.json holds, for each model, a bag, what people read of it, and of each instance the exact
Shapley value (over all orders of the instances; the empty coalition has the value 0), One Removed, and AOPC (paper) of the order by One Removed.
They are computed here from PyTorch's outputs, by the definitions of core/METHODS.md section 6.
"""

import io
import itertools
import json
import math
import pathlib

import numpy as np
import onnx
import torch
from torch import nn

HERE = pathlib.Path(__file__).parent
FEATURES, K = 4, 6
EDGES = [0, 9, 20, 36, 60]
GRADES = ["benign", "grade 1", "grade 2", "grade 3"]
SUBTYPES = ["none", "lobular", "ductal"]


class Pooled(nn.Module):
    """Attention pooling and a linear layer for each head; sums is a linear model of the sum of the instances, without attention."""

    def __init__(self, heads, ends, sums=False):
        super().__init__()
        self.sums, self.ends = sums, ends
        self.attention = nn.Sequential(nn.Linear(FEATURES, 3), nn.Tanh(), nn.Linear(3, 1))
        self.heads = nn.ModuleList(nn.Linear(FEATURES, n) for n in heads)

    def forward(self, x):
        pooled = x.sum(0, keepdim=True) if self.sums else torch.softmax(self.attention(x), 0).transpose(0, 1) @ x
        return tuple(end(head(pooled)) for head, end in zip(self.heads, self.ends))


class Coral(nn.Module):
    """Cumulative logits that share one weight: P(grade > j) = sigmoid(w h + b_j), with falling b."""

    def __init__(self):
        super().__init__()
        self.pool = Pooled([1], [nn.Identity()])
        self.b = nn.Parameter(torch.tensor([1.0, 0.2, -0.7]))

    def forward(self, x):
        return (self.pool(x)[0] + self.b,)


none, sigmoid = nn.Identity(), torch.sigmoid
hazards = {"kind": "hazards", "edges": EDGES, "unit": "months"}
MODELS = {
    "hazards_logits": (lambda: Pooled([4], [none]), ["logits"], {"output": hazards | {"scale": "logits"}}),
    "hazards_linear": (lambda: Pooled([4], [lambda v: torch.clamp(v * 0.02 + 0.3, 0, 1)], sums=True), ["hazards"],
                       {"output": hazards | {"scale": "probabilities"}}),
    "ordinal": (Coral, ["logits"], {"classes": GRADES, "output": {"kind": "ordinal", "scale": "cumulative-logits"}}),
    "regression": (lambda: Pooled([1], [none]), ["depth"], {"output": {"kind": "regression", "name": "Breslow depth", "unit": "mm"}}),
    "heads": (lambda: Pooled([3, 4, 1], [none, sigmoid, lambda v: v[0]]), ["subtype", "hazards", "depth"], {"output": {"kind": "heads", "heads": [
        {"name": "subtype", "kind": "classes", "scale": "logits", "output_name": "subtype", "classes": SUBTYPES},
        hazards | {"name": "survival", "scale": "probabilities", "output_name": "hazards"},
        {"name": "depth", "kind": "regression", "unit": "mm", "output_name": "depth"}]}}),
}


def survival(h):
    """Restricted mean survival: the area under the line through the survival at each edge."""
    s = [1.0]
    for v in h:
        s.append(s[-1] * (1 - v))
    return EDGES[0] + sum((b - a) * (p + q) / 2 for a, b, p, q in zip(EDGES, EDGES[1:], s, s[1:]))


def expit(v):
    return [1 / (1 + math.exp(-x)) for x in v]


def softmax(v):
    e = [math.exp(x - max(v)) for x in v]
    return [x / sum(e) for x in e]


def read(name, outputs):
    if name == "hazards_logits":
        return [survival(expit(outputs[0]))]
    if name == "hazards_linear":
        return [survival(outputs[0])]
    if name == "ordinal":
        above = expit(outputs[0])
        return [sum(above), *above]
    if name == "regression":
        return outputs[0]
    return [*softmax(outputs[0]), survival(outputs[1]), *outputs[2]]


def answers(name, net, x):
    value = {}
    for n in range(1, K + 1):
        for z in itertools.combinations(range(K), n):
            with torch.no_grad():
                value[z] = np.array(read(name, [t.double().flatten().tolist() for t in net(x[list(z)])]))
    whole = value[tuple(range(K))]
    value[()] = np.zeros_like(whole)
    shapley, removed = np.zeros((K, len(whole))), np.zeros((K, len(whole)))
    for i in range(K):
        others = [j for j in range(K) if j != i]
        removed[i] = whole - value[tuple(others)]
        for n in range(K):
            for z in itertools.combinations(others, n):
                weight = math.factorial(n) * math.factorial(K - 1 - n) / math.factorial(K)
                shapley[i] += weight * (value[tuple(sorted(z + (i,)))] - value[z])
    area = []
    for c in range(len(whole)):
        order = sorted(range(K), key=lambda i: -removed[i][c])
        area.append(np.mean([whole[c] - value[tuple(sorted(order[m:]))][c] for m in range(1, K)]))
    digits = lambda v: [float(f"{x:.9g}") for x in np.array(v).flatten()]
    return {"values": digits(x), "read": digits(whole), "shapley": [digits(v) for v in shapley.T],
            "removed": [digits(v) for v in removed.T], "aopc": digits(area)}


def main():
    out = {}
    for seed, (name, (make, outputs, card)) in enumerate(MODELS.items()):
        torch.manual_seed(seed)
        net, x = make().eval(), torch.randn(K, FEATURES) * 2
        file = io.BytesIO()
        torch.onnx.export(net, (x,), file, opset_version=17, input_names=["bag"], output_names=outputs,
                          dynamic_axes={"bag": {0: "instances"}})
        m = onnx.load_from_string(file.getvalue())
        for n in m.graph.node:
            n.doc_string = ""
        del m.metadata_props[:]
        m.metadata_props.add(key="bagscope", value=json.dumps(card))
        (HERE / f"{name}.onnx").write_bytes(m.SerializeToString(deterministic=True))
        out[name] = answers(name, net, x)
    (HERE / "answers.json").write_text(json.dumps(out, indent=1))


main()
