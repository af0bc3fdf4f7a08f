"""Writes the files of models/mnist and golden that stand in for MNIST's pictures.

    python make_mnist.py BAGS.npz      (with onnx 1.22, onnxruntime and numpy)

BAGS.npz holds 100 test bags of 4-MNIST-Bags, instances (2978, 1, 28, 28) uint8. Its pictures are not
part of the project. The script writes what the tests read in their place:

- models/mnist/mi_attn_pooling.onnx: mi_attn.onnx behind the 64 features of its first dense layer;
- models/mnist/encoded_bags.npz: these features of the 100 bags, instances (2978, 64) float32;
- golden/digits.json: what ONNX Runtime returns for the two whole networks on examples/digits/bags.npz,
  whose digits are the project's own.
"""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.utils import Extractor

here = Path(__file__).parent
folder = here / "models" / "mnist"
FEATURES = "/f/f.1/Relu_output_0"


def card(model):
    return json.loads(model.metadata_props[0].value)


def preprocessed(model, pixels):
    how = card(model)["preprocess"]
    values = pixels.astype(np.float32) * np.float32(how["scale"])
    return (values - np.float32(how["mean"][0])) / np.float32(how["std"][0])


def session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def rounded(values):
    return [float(np.format_float_positional(v, precision=8, fractional=False)) for v in values]


def write_json(file, value):
    file.write_text(json.dumps(value, indent=1) + "\n")


whole = onnx.shape_inference.infer_shapes(onnx.load(folder / "mi_attn.onnx"))

# The network behind its encoder.
pooling = Extractor(whole).extract_model([FEATURES], ["logits", "attention"])
features = pooling.graph.input[0]
features.CopyFrom(helper.make_tensor_value_info("bag", TensorProto.FLOAT, ["instances", 64]))
for node in pooling.graph.node:
    for i, name in enumerate(node.input):
        if name == FEATURES:
            node.input[i] = "bag"
del pooling.graph.value_info[:]
meaning = card(whole)
del meaning["preprocess"]
helper.set_model_props(pooling, {"bagscope": json.dumps(meaning)})
onnx.checker.check_model(pooling)
onnx.save(pooling, folder / "mi_attn_pooling.onnx")

# The features of the 100 bags.
bags = np.load(sys.argv[1])
encoder = session(Extractor(whole).extract_model(["bag"], [FEATURES]))
encoded = encoder.run(None, {"bag": preprocessed(whole, bags["instances"])})[0]
np.savez_compressed(
    folder / "encoded_bags.npz",
    instances=encoded,
    offsets=bags["offsets"],
    labels=bags["labels"],
    instance_labels=bags["instance_labels"],
)

# Both parts give what the whole network gives.
behind, plain = session(pooling), session(whole)
for start, end in zip(bags["offsets"], bags["offsets"][1:]):
    got = behind.run(["logits"], {"bag": encoded[start:end]})[0]
    want = plain.run(["logits"], {"bag": preprocessed(whole, bags["instances"][start:end])})[0]
    assert np.abs(got - want).max() <= 1e-5 * np.abs(want).max()

# The whole networks on the project's own digits.
digits = np.load(here.parent / "examples" / "digits" / "bags.npz")
golden = {}
for name in ["mi_attn", "mi_net_embedding"]:
    model = onnx.load(folder / f"{name}.onnx")
    run = session(model)
    golden[name] = [
        {
            output.name: rounded(values)
            for output, values in zip(
                run.get_outputs(),
                run.run(None, {"bag": preprocessed(model, digits["instances"][start:end])}),
            )
        }
        for start, end in zip(digits["offsets"], digits["offsets"][1:])
    ]
write_json(here / "golden" / "digits.json", golden)
