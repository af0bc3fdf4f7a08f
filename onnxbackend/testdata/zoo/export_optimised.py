"""Writes optimised_ARCHITECTURE/WAY.onnx: what ONNX Runtime's optimizers and quantizer leave of exports beside them and of optimised.py's networks.

python export_optimised.py (onnxruntime 1.32, onnx 1.23, sympy 1.14). It prints the operators that are ONNX Runtime's own. The outputs are those of onnxruntime.
"""

import collections
import json
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers.fusion_options import FusionOptions
from onnxruntime.transformers.optimizer import optimize_model

import optimised
from files import HERE, run, write, write_bags


def extended(path, folder):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(folder / "extended.onnx")
    onnxruntime.InferenceSession(str(path), options, ["CPUExecutionProvider"])
    return onnx.load(options.optimized_model_filepath)


def transformer(path, heads=False, approximate=False):
    """The model as Optimum's O2 leaves it, or as O3 does: with an approximate Gelu."""
    options = FusionOptions("bert")
    options.use_multi_head_attention, options.enable_gelu_approximation = heads, approximate
    m = optimize_model(str(path), "bert", optimised.HEADS, optimised.WIDTH, optimization_options=options, opt_level=0).model
    if all(o.domain != "com.microsoft" for o in m.opset_import):
        m.opset_import.append(onnx.helper.make_opsetid("com.microsoft", 1))
    return m


def quantised(path, folder):
    given, made = folder / "given.onnx", folder / "made.onnx"
    onnx.save(transformer(path), given)
    quantize_dynamic(given, made, weight_type=QuantType.QInt8, reduce_range=True, extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})
    return extended(made, folder)


def ways(path, folder):
    yield "exported", onnx.load(path)
    yield "extended", extended(path, folder)
    yield "o2", transformer(path)
    yield "o2-heads", transformer(path, heads=True)
    yield "o3", transformer(path, approximate=True)
    yield "dynamic", quantised(path, folder)


def put(name, shape, bags, models):
    """models: the graphs by their way."""
    paths = []
    for way, m in models.items():
        found = collections.Counter(n.op_type for n in m.graph.node if n.domain == "com.microsoft")
        print(name, way, dict(found))
        paths.append(write(HERE / f"optimised_{name}", way, m))
    write_bags(HERE / f"optimised_{name}", shape, {k: (x, {p.name: run(p, x) for p in paths}) for k, x in bags.items()})


with tempfile.TemporaryDirectory() as made:
    folder = pathlib.Path(made)
    for name, export in {"survival": "dynamo-18", "regression": "legacy-17", "top_mean": "legacy-11", "additive": "legacy-17", "dsmil": "legacy-13",
                         "set_transformer": "dynamo-18", "encoder_windows": "legacy-17"}.items():
        stored = json.loads((HERE / name / "bags.json").read_text())
        bags = {b["instances"]: np.array(b["values"], np.float32).reshape(-1, *stored["shape"]) for b in stored["bags"]}
        put(name, stored["shape"], dict(list(bags.items())[:2]), {"extended": extended(HERE / name / f"{export}.onnx", folder)})

    r = np.random.default_rng(7)
    exported = folder / "exported.onnx"
    for name, m, shape in (("bert", optimised.encoder(False, False, 1), [4, 8]), ("vit", optimised.encoder(True, False, 2), [4, 8]),
                           ("vit_fast", optimised.encoder(True, True, 3), [4, 8]), ("instances", optimised.instances(False, False, 4), [8]),
                           ("convnext", optimised.pictures(5), [3, 8, 8])):
        onnx.save(m, exported)
        bags = {k: r.normal(size=(k, *shape)).astype(np.float32) for k in (3, 5)}
        made = {"exported": m, "extended": extended(exported, folder)} if name == "convnext" else dict(ways(exported, folder))
        put(name, shape, bags, made)
