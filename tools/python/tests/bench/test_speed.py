"""The time of calls. ``pytest tests/bench`` runs it: ordinary tests do not measure speed.

Each measurement fails above three times its bar, so that a busy machine passes.
"""

import statistics
import time
from pathlib import Path

import numpy as np
from conftest import TINY

import bagscope
from bagscope import _process

CALL = 0.010  # seconds of a small explanation, the engine's own time included
ARRAY = 7.0  # seconds of opening a bag of 400 MB


def test_overhead_of_a_call() -> None:
    model = bagscope.open(TINY)
    bag = np.random.default_rng(1).normal(size=(20, 6)).astype(np.float32)
    times = []
    for _ in range(200):
        start = time.perf_counter()
        bagscope.explain(model, bag, method="single")
        times.append(time.perf_counter() - start)
    median = statistics.median(times)
    print(f"median of a small explanation: {1e3 * median:.2f} ms")
    assert median < 3 * CALL


def test_many_bags_in_one_call() -> None:
    """A list takes less time than a loop, because requests do not wait for one another."""
    model = bagscope.open(TINY)
    random = np.random.default_rng(1)
    arrays = [random.normal(size=(5, 6)).astype(np.float32) for _ in range(1000)]

    def loop() -> None:
        for array in arrays:
            bagscope.predict(model, array)

    def together() -> None:
        bagscope.predict(model, [bagscope.Bag(array) for array in arrays])

    seconds = {}
    for call in (loop, together):
        times = []
        for _ in range(5):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        seconds[call.__name__] = min(times)
        print(f"predict, {call.__name__}: {1e3 * min(times) / len(arrays):.2f} ms for each bag")
    assert seconds["together"] < seconds["loop"]


def test_opening_an_array_of_400_mb(tmp_path: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("ReduceMean", ["x"], ["y"], axes=[0], keepdims=0)],
        "mean",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["k", 1024])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1024])],
    )
    file = tmp_path / "mean.onnx"
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), file)
    values = np.ones((100_000, 1024), np.float32)
    engine = _process.engine()
    start = time.perf_counter()
    bagscope.Bag(values).open(engine, bagscope.open(file))
    seconds = time.perf_counter() - start
    print(f"a bag of 400 MB is open after {seconds:.2f} s")
    assert seconds < 3 * ARRAY
