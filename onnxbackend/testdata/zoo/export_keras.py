"""Writes keras_ARCHITECTURE/tf2onnx-OPSET.onnx: python export_keras.py (tensorflow 2.21, keras 3.15, tf2onnx 1.17).

The outputs beside them are those of TensorFlow. What tf2onnx cannot export, or exports to something else in onnxruntime, is said on standard error.
"""

import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")

import keras
import numpy as np
import tensorflow as tf
import tf2onnx

from files import HERE, run, write, write_bags
from keras_models import ALL

SIZES = {True: (4, 7, 20), False: (4,)}  # of bags, of features and of pictures
OPSETS = (18, 9, 13)  # the last where the one before it is too old


def randomise(net):
    for w in net.weights:
        if w.path.endswith(("moving_mean", "bias", "beta")):
            w.assign(np.random.randn(*w.shape) * 0.3)
        if w.path.endswith(("moving_variance", "gamma")):
            w.assign(1 + np.random.rand(*w.shape))


for seed, make in enumerate(ALL):
    name = make.__name__
    keras.utils.set_random_seed(seed)
    net = make()
    randomise(net)
    given = net.inputs[0].shape
    shape = [d for d in given if d]
    bags = {}
    for k in SIZES[len(shape) == 1]:
        x = np.random.RandomState(1000 * seed + k).randn(k, *shape).astype(np.float32)
        if name.startswith("mask"):
            x[k // 3] = 0
        bags[k] = x, net(x if len(given) == len(shape) + 1 else x[None], training=False).numpy()
    folder = HERE / f"keras_{name}"
    spec = [tf.TensorSpec(given, tf.float32, name="bag")]
    for opset in OPSETS:
        if opset == 13 and (folder / "tf2onnx-9.onnx").exists():
            continue
        try:
            f = tf.function(lambda x: net(x, training=False), input_signature=spec)
            path = write(folder, f"tf2onnx-{opset}", tf2onnx.convert.from_function(f, input_signature=spec, opset=opset)[0])
        except Exception as e:
            print(f"{name} {opset}: {str(e).strip().splitlines()[0][:150]}", file=sys.stderr)
            continue
        try:
            off = max(np.abs(run(path, x) - y).max() for x, y in bags.values())
        except Exception as e:
            off = str(e).strip().splitlines()[0][:150]
        if not isinstance(off, np.floating) or off > 1e-5:
            path.unlink()
            print(f"{name} {opset}: onnxruntime is off by {off}", file=sys.stderr)
    write_bags(folder, shape, bags)
