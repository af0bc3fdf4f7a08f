"""The memory of large arrays, and leaks."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, TINY

import bagscope
from bagscope import _process

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
MB = 1 << 20


def memory(pid: int, name: str) -> int:
    """Return a number of bytes of /proc/PID/status, such as VmRSS."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(name)


@linux
def test_calls_leave_nothing() -> None:
    """After 1,000 calls both processes have their memory, files and threads of before."""
    model = bagscope.open(TINY)
    bag = np.random.default_rng(1).normal(size=(4000, 6)).astype(np.float32)  # in shared memory

    def state() -> tuple[int, int, int, int]:
        gc.collect()
        pid = _process.engine().process.pid
        return (
            memory(os.getpid(), "VmRSS"),
            memory(pid, "VmRSS"),
            len(os.listdir("/proc/self/fd")),
            len(os.listdir(f"/proc/{pid}/fd")),
        )

    def calls(n: int) -> None:
        for i in range(n):
            bagscope.explain(model, bag, method="single", class_=0)
            if i % 10 == 0:
                bagscope.explain(lambda x: x[:, :2].sum(0), bag[:5], method="single")
                bagscope.predict(TINY, bag)
                with pytest.raises(bagscope.BagError):
                    bagscope.explain(model, bag[:, :5])

    calls(200)
    before = state()
    calls(1000)
    after = state()
    print(f"before {before}, after {after}")
    assert after[0] < before[0] + 8 * MB
    assert after[1] < before[1] + 32 * MB
    assert after[2] <= before[2]
    assert after[3] <= before[3] + 1
    mappings = Path(f"/proc/{_process.engine().process.pid}/maps").read_text()
    assert mappings.count("bagscope-") <= 1


LARGE = """
import sys
import numpy as np
import bagscope
from bagscope import _process
kind, file = sys.argv[1:]
if kind == "mapped":
    values = np.memmap(file, np.float32, mode="r", shape=(100_000, 1024))
else:
    values = np.ones((100_000, 1024), np.float32)
    values += np.arange(1024, dtype=np.float32) / 1024
status = lambda pid, name: next(int(l.split()[1]) // 1024 for l in open(f"/proc/{pid}/status")
                                if l.startswith(name + ":"))
before = status("self", "VmHWM")
engine = _process.engine()
child_before = status(engine.process.pid, "RssAnon")
model = bagscope.open(sys.argv[2] + ".onnx")
bag = bagscope.Bag(values)
bag.open(engine, model)
print(status("self", "VmHWM") - before,
      status(engine.process.pid, "RssAnon") - child_before)
"""


@linux
@pytest.mark.parametrize("kind", ["array", "mapped"])
def test_array_of_400_mb(kind: str, tmp_path: Path) -> None:
    """Neither process holds a second copy of a bag of 100,000 instances of 1024 values.

    An array is copied once, into shared memory that the engine maps. A mapped file is not copied.
    """
    import onnx
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("ReduceMean", ["x"], ["y"], axes=[0], keepdims=0)],
        "mean",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["k", 1024])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1024])],
    )
    file = tmp_path / "values"
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), f"{file}.onnx")
    if kind == "mapped":
        np.memmap(file, np.float32, mode="w+", shape=(100_000, 1024))[:] = 1
    out = subprocess.run(
        [sys.executable, "-c", LARGE, kind, str(file)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tools/python/src")},
    ).stdout
    python_mb, engine_mb = (float(x) for x in out.split())
    print(f"{kind}: Python {python_mb:.0f} MB, engine {engine_mb:.0f} MB more")
    assert python_mb < 60
    assert engine_mb < 60


def test_two_processes_at_a_time() -> None:
    """Two programs explain at once, each with an engine of its own."""
    program = (
        "import sys, numpy as np, bagscope\n"
        "m = bagscope.open(sys.argv[1])\n"
        "x = np.random.default_rng(3).normal(size=(30, 6))\n"
        "for i in range(50): e = bagscope.explain(m, x, method='milli', seed=i)\n"
        "print(e.scores.tobytes().hex())\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "tools/python/src")}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(TINY)], stdout=subprocess.PIPE, env=env
        )
        for _ in range(2)
    ]
    outputs = [p.communicate()[0] for p in running]
    assert [p.returncode for p in running] == [0, 0]
    assert outputs[0] == outputs[1] != b""
