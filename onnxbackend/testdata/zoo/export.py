"""Writes this folder's models with PyTorch, by both of its exporters: python export.py [ARCHITECTURE ...] (torch 2.15, onnxscript 0.7).

ARCHITECTURE/EXPORTER-OPSET.onnx are the models and ARCHITECTURE/bags.json holds bags of several sizes with the outputs that PyTorch gives for them.
An exporter that cannot export an architecture is said on standard error.
"""

import io
import json
import pathlib
import sys
import warnings

import numpy as np
import onnx
import torch

from architectures import ALL, FEATURES
from encoders import ENCODERS, SIDE

HERE = pathlib.Path(__file__).parent
SIZES = (4, 7, 20)  # of bags
LEGACY, DYNAMO = (11, 13, 17), (18, 21)


def bag(name, k):
    shape = (2, 9, 9) if name == "pictures" else (2, SIDE, SIDE) if name in ENCODERS else (FEATURES,)
    return torch.randn(k, *shape)


def small(data):
    """The file without what no runtime reads: places in source files and their like."""
    m = onnx.load_from_string(data)
    for n in m.graph.node:
        n.doc_string = ""
        del n.metadata_props[:]
    for part in (m, m.graph):
        del part.metadata_props[:]
    del m.graph.value_info[:]
    for f in m.functions:
        del f.metadata_props[:]
    return m.SerializeToString(deterministic=True)


def export(net, name, opset, dynamo):
    file, x = io.BytesIO(), bag(name, 7)
    names = {"input_names": ["bag"], "output_names": ["logits", "aux0"], "opset_version": opset}
    if dynamo:
        shapes = {"x": {0: torch.export.Dim("instances", min=3)}}
        torch.onnx.export(net, (x,), dynamo=True, dynamic_shapes=shapes, verbose=False, **names).save(file)
    else:
        torch.onnx.export(net, (x,), file, dynamo=False, dynamic_axes={"bag": {0: "instances"}}, **names)
    return small(file.getvalue())


def main():
    warnings.filterwarnings("ignore")
    for seed, (name, make) in enumerate((ALL | ENCODERS).items()):
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        torch.manual_seed(seed)
        net = make().eval()
        folder = HERE / name
        folder.mkdir(exist_ok=True)
        for opset in LEGACY + DYNAMO:
            exporter = "dynamo" if opset in DYNAMO else "legacy"
            try:
                (folder / f"{exporter}-{opset}.onnx").write_bytes(export(net, name, opset, opset in DYNAMO))
            except Exception as e:
                print(f"{name}: {exporter} {opset}: {str(e).strip().splitlines()[0][:150] if str(e).strip() else type(e).__name__}", file=sys.stderr)
        bags = []
        for k in SIZES:
            torch.manual_seed(1000 * seed + k)
            x = bag(name, k)
            with torch.no_grad():
                logits, aux = net(x)
            digits = lambda t: [float(np.format_float_positional(v, 8, fractional=False)) for v in t.flatten().numpy()]
            bags.append({"instances": k, "values": digits(x), "logits": digits(logits)})
        (folder / "bags.json").write_text(json.dumps({"shape": list(x.shape[1:]), "bags": bags}))


main()
