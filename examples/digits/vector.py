"""Writes networks/embedding.onnx: the vector that mi-attn.onnx has of a bag, before its classifier.

    python vector.py      (with the package onnx)
"""

import json
from pathlib import Path

import onnx
from onnx import helper
from onnx.utils import Extractor

NETWORKS = Path(__file__).parent / "networks"
CUT = "head.0"

whole = onnx.shape_inference.infer_shapes(onnx.load(NETWORKS / "mi-attn.onnx"))
card = json.loads(whole.metadata_props[0].value)

# Before the rectifier, so that likenesses are negative, too.
part = Extractor(whole).extract_model(["bag"], [CUT])
for node in part.graph.node:
    node.output[:] = ["embedding" if name == CUT else name for name in node.output]
part.graph.output[0].name = "embedding"
del part.graph.value_info[:]
meaning = {"output": "embedding", "preprocess": card["preprocess"], "instance": card["instance"]}
helper.set_model_props(part, {"bagscope": json.dumps(meaning)})
onnx.checker.check_model(part)
onnx.save(part, NETWORKS / "embedding.onnx")
