"""Writes models that take more than a bag, and such that spell their pooling out: python export_padded.py (torch 2.15, onnxscript 0.7).

NAME/EXPORTER-OPSET.onnx are the models and NAME/bags.json holds bags of several sizes with the outputs that PyTorch gives for them without
padding. Where a model takes features and coordinates, the instances of a bag have both.
"""

import io
import json
import sys
import warnings

import onnx
import torch
import torch.nn.functional as F
from torch import nn

from architectures import CLASSES, FEATURES, WIDTH, encoder
from files import HERE, digits, small

SIZES = (4, 7, 20)  # of bags


class Attention(nn.Module):
    """Attention that a mask of instances leaves padding out of, over a batch of bags."""

    def __init__(self):
        super().__init__()
        self.encode, self.score, self.head = encoder(), nn.Linear(WIDTH, 1), nn.Linear(WIDTH, CLASSES)

    def forward(self, x, mask):
        h = self.encode(x)
        a = F.softmax(self.score(h).squeeze(-1).masked_fill(~mask, float("-inf")), dim=-1)
        return self.head(torch.einsum("bk,bkd->bd", a, h))


class Query(nn.Module):
    """A learned query attends to the bag; the mask marks padding, as PyTorch's layers take it."""

    def __init__(self):
        super().__init__()
        self.encode, self.query = encoder(), nn.Parameter(torch.randn(1, 1, WIDTH))
        self.attend, self.head = nn.MultiheadAttention(WIDTH, 2, batch_first=True), nn.Linear(WIDTH, CLASSES)

    def forward(self, x, padding):
        h = self.encode(x)
        return self.head(self.attend(self.query.expand(x.shape[0], -1, -1), h, h, key_padding_mask=padding)[0][:, 0])


class Encoder(nn.Module):
    """A transformer layer with a class token, over real instances only."""

    def __init__(self):
        super().__init__()
        self.token, self.head = nn.Parameter(torch.randn(1, 1, FEATURES)), nn.Linear(FEATURES, CLASSES)
        self.layer = nn.TransformerEncoderLayer(FEATURES, 2, 8, batch_first=True)

    def forward(self, x, mask):
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1)
        return self.head(self.layer(x, src_key_padding_mask=~F.pad(mask, (1, 0), value=True))[:, 0])


class Mean(nn.Module):
    """The sum under a mask of numbers, divided by how many instances are said to be there."""

    def __init__(self):
        super().__init__()
        self.encode, self.head = encoder(), nn.Linear(WIDTH, CLASSES)

    def forward(self, x, mask, number):
        return self.head((self.encode(x) * mask.unsqueeze(-1)).sum(1) / number.unsqueeze(-1))


class Places(nn.Module):
    """Attention over features to which sines of coordinates are added."""

    def __init__(self):
        super().__init__()
        self.encode, self.place = encoder(), nn.Linear(2, WIDTH)
        self.score, self.head = nn.Linear(WIDTH, 1), nn.Linear(WIDTH, CLASSES)

    def forward(self, features, coordinates):
        h = self.encode(features) + torch.sin(self.place(coordinates))
        return self.head(torch.bmm(self.score(h).transpose(1, 2).softmax(-1), h).squeeze(1))


class Steps(nn.Module):
    """A softmax in steps: shifted by the largest, with an epsilon beside the sum."""

    def __init__(self):
        super().__init__()
        self.encode, self.score, self.head = encoder(), nn.Linear(WIDTH, 2), nn.Linear(2 * WIDTH, CLASSES)

    def forward(self, x):
        h = self.encode(x)
        a = self.score(h)
        e = torch.exp(a - a.amax(0))
        return self.head(((e / (e.sum(0) + 1e-8)).t() @ h).flatten())


class Norm(nn.Module):
    """Weights that are divided by their norm."""

    def __init__(self):
        super().__init__()
        self.encode, self.score, self.head = encoder(), nn.Linear(WIDTH, 1), nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        h = self.encode(x)
        return self.head((F.normalize(F.softplus(self.score(h)), p=1, dim=0) * h).sum(0))


class Double(Norm):
    """The same with a softmax, in float64 throughout."""

    def forward(self, x):
        h = self.encode(x)
        return self.head((self.score(h).softmax(0) * h).sum(0))


def batch(k, width=FEATURES):
    return torch.randn(1, k, width)


BATCH = {0: "batch", 1: "instances"}
ALL = {  # the architecture, its inputs for k instances, and their open axes
    "padded_attention": (Attention, lambda k: (batch(k), torch.ones(1, k, dtype=torch.bool)), (BATCH, BATCH)),
    "padded_query": (Query, lambda k: (batch(k), torch.zeros(1, k, dtype=torch.bool)), ({1: "instances"},) * 2),
    "padded_encoder": (Encoder, lambda k: (batch(k), torch.ones(1, k, dtype=torch.bool)), ({1: "instances"},) * 2),
    "padded_mean": (Mean, lambda k: (batch(k), torch.ones(1, k), torch.tensor([k])), (BATCH, BATCH, {0: "batch"})),
    "padded_places": (Places, lambda k: (batch(k), batch(k, 2)), ({1: "instances"},) * 2),
    "steps_softmax": (Steps, lambda k: (torch.randn(k, FEATURES),), ({0: "instances"},)),
    "steps_norm": (Norm, lambda k: (torch.randn(k, FEATURES),), ({0: "instances"},)),
    "double_attention": (Double, lambda k: (torch.randn(k, FEATURES).double(),), ({0: "instances"},)),
}
FIXED = ("padded_query", "padded_encoder")  # in their layers the older exporter writes the number of instances down


def export(net, inputs, axes, opset):
    names = ["x", "second", "third"][: len(inputs)]
    common = {"input_names": names, "output_names": ["logits"], "opset_version": opset}
    file = io.BytesIO()
    if opset < 18:
        torch.onnx.export(net, inputs, file, dynamo=False, dynamic_axes=dict(zip(names, axes)), **common)
    else:
        shapes = tuple({a: torch.export.Dim.DYNAMIC for a in open} for open in axes)
        torch.onnx.export(net, inputs, dynamo=True, dynamic_shapes=shapes, verbose=False, **common).save(file)
    return onnx.load_from_string(file.getvalue())


def main():
    warnings.filterwarnings("ignore")
    for seed, (name, (make, inputs, axes)) in enumerate(ALL.items()):
        torch.manual_seed(seed)
        net = make().eval().to(inputs(1)[0].dtype)
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        for opset in (18,) if name in FIXED else (14, 18):
            try:
                path = folder / f"{'legacy' if opset < 18 else 'dynamo'}-{opset}.onnx"
                path.write_bytes(small(export(net, inputs(7), axes, opset)).SerializeToString(deterministic=True))
            except Exception as e:
                print(f"{name}: {opset}: {str(e).strip().splitlines()[0][:150]}", file=sys.stderr)
        bags = []
        for k in SIZES:
            torch.manual_seed(1000 * seed + k)
            given = inputs(k)
            with torch.no_grad():
                logits = net(*given)
            parts = [x.reshape(k, -1) for x in given if x.shape[-1] in (2, FEATURES) and x.shape[-2:-1] == (k,)]
            values = torch.cat(parts, 1)
            bags.append({"instances": k, "values": digits(values), "logits": digits(logits)})
        (folder / "bags.json").write_text(json.dumps({"shape": list(values.shape[1:]), "bags": bags}))


main()
