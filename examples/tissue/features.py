"""Writes features.h5 and on-features.onnx: the drawn slide as TRIDENT stores features.

    python features.py SLIDE.npz      (with the packages of tools/python/tests/notebooks)

SLIDE.npz is of `go run ./tools/gen/tissue -seed 13 -slides 7 SLIDE.npz`. The encoder of model.onnx
stands in for a foundation model: its 64 features of each patch, in half precision. on-features.onnx
is the rest of the network.
"""

import json
import sys
from pathlib import Path

import h5py
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.utils import Extractor

HERE = Path(__file__).parent
CUT = "encoder.1.relu"
PATCH = 27

whole = onnx.shape_inference.infer_shapes(onnx.load(HERE / "model.onnx"))
card = json.loads(whole.metadata_props[0].value)

# The network behind the features.
rest = Extractor(whole).extract_model([CUT], ["logits", "attention"])
for node in rest.graph.node:
    node.input[:] = ["features" if name == CUT else name for name in node.input]
rest.graph.input[0].CopyFrom(
    helper.make_tensor_value_info("features", TensorProto.FLOAT, ["instances", 64])
)
del rest.graph.value_info[:]
meaning = {key: value for key, value in card.items() if key not in ("preprocess", "patch")}
helper.set_model_props(rest, {"bagscope": json.dumps(meaning)})
onnx.checker.check_model(rest)
onnx.save(rest, HERE / "on-features.onnx")

# The features of the slide's patches.
slide = np.load(sys.argv[1])
how = card["preprocess"]
mean, std = (np.float32(how[key]).reshape(-1, 1, 1) for key in ("mean", "std"))
pixels = (slide["instances"].astype(np.float32) * np.float32(how["scale"]) - mean) / std
encoder = onnxruntime.InferenceSession(Extractor(whole).extract_model(["bag"], [CUT]).SerializeToString())
features = encoder.run(None, {"bag": pixels})[0].astype(np.float16)
with h5py.File(HERE / "features.h5", "w", track_order=True) as file:
    file.create_dataset("features", data=features, compression="gzip", shuffle=True)
    coords = file.create_dataset("coords", data=slide["boxes"][:, :2].astype(np.int64))
    coords.attrs.update(
        patch_size=PATCH, patch_size_level0=PATCH, level0_magnification=10, target_magnification=10,
        overlap=0, name="drawn tissue",
    )  # fmt: skip
