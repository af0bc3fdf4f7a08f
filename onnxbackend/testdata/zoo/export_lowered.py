"""Writes lowered_ARCHITECTURE/WAY.onnx from the PyTorch exports beside them: half precision, numbers of 8 bits, and what optimisers leave.
What onnxruntime does not take is said on standard error.

python export_lowered.py (onnxruntime 1.31, onnxconverter-common 1.16, onnxslim 0.1.98, onnxsim 0.8). The outputs beside them are those of onnxruntime.
"""

import copy
import json
import pathlib
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")

import numpy as np
import onnx
import onnxsim
import onnxslim
from onnxconverter_common import float16
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

from files import HERE, run, write, write_bags


class Bags(CalibrationDataReader):
    def __init__(self, bags):
        self.left = [{"bag": x} for x in bags.values()]

    def get_next(self):
        return self.left.pop() if self.left else None


def ways(m, bags):
    with tempfile.TemporaryDirectory() as folder:
        given, made = pathlib.Path(folder, "given.onnx"), pathlib.Path(folder, "made.onnx")
        onnx.save(m, given)

        def quantised(how, *rest, **options):
            how(given, made, *rest, weight_type=QuantType.QInt8, **options)
            return onnx.load(made)

        yield "half", float16.convert_float_to_float16(copy.deepcopy(m))
        yield "half-inside", float16.convert_float_to_float16(copy.deepcopy(m), keep_io_types=True)
        yield "qdq", quantised(quantize_static, Bags(bags), quant_format=QuantFormat.QDQ, activation_type=QuantType.QInt8, per_channel=True)
        yield "qoperator", quantised(quantize_static, Bags(bags), quant_format=QuantFormat.QOperator, activation_type=QuantType.QUInt8)
        yield "dynamic", quantised(quantize_dynamic)
        yield "slim", onnxslim.slim(copy.deepcopy(m))
        yield "sim", onnxsim.simplify(copy.deepcopy(m))[0]


for name in ("gated_attention", "conjunctive", "top_mean", "pictures"):
    stored = json.loads((HERE / name / "bags.json").read_text())
    shape = stored["shape"]
    bags = {b["instances"]: np.array(b["values"], np.float32).reshape(-1, *shape) for b in stored["bags"]}
    if len(shape) > 1:
        bags = {4: bags[4]}
    folder = HERE / f"lowered_{name}"
    paths = []
    for way, m in ways(onnx.load(HERE / name / "legacy-13.onnx"), bags):
        path = write(folder, way, m)
        try:
            run(path, bags[4])
            paths.append(path)
        except Exception as e:
            path.unlink()
            print(f"{name} {way}: {str(e).strip().splitlines()[0][:150]}", file=sys.stderr)
    write_bags(folder, shape, {k: (x, {p.name: run(p, x) for p in paths}) for k, x in bags.items()})
