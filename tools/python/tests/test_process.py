"""The engine's process: crashes, cancellation, threads and forks."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from conftest import TINY, TINY_BAGS

import bagscope
from bagscope import _process
from bagscope import _wire as wire

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals and fork")


def bag(k: int = 20) -> Any:
    return np.random.default_rng(1).normal(size=(k, 6)).astype(np.float32)


PATIENCE = 120  # seconds in which the engine does the next thing, on any machine


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Handle Ctrl-C, which a shell has processes in the background ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_next_call_after_a_crash_works() -> None:
    model, opened = bagscope.open(TINY), bagscope.Bag(TINY_BAGS, index=3)
    want = bagscope.explain(model, opened).scores
    child = _process.engine()
    child.process.kill()
    child.process.wait()
    while child.alive:
        time.sleep(0.01)
    assert (bagscope.explain(model, opened).scores == want).all()
    assert _process.engine() is not child


@posix
def test_crash_during_a_request_is_an_exception() -> None:
    """SIGQUIT makes Go print its goroutines, whose end the exception contains."""

    def stops(x: Any) -> Any:
        if len(x) < 20:
            child.process.send_signal(signal.SIGQUIT)
            child.process.wait()  # else it may have its scores before it has printed everything
        return x.sum(0)[:2]

    child = _process.engine()
    with pytest.raises(bagscope.EngineError, match="exit code 2") as caught:
        bagscope.explain(stops, bag(), method="single")
    assert "goroutine" in caught.value.details["stderr"] or "rip" in caught.value.details["stderr"]
    assert bagscope.explain(TINY, bag()).scores.shape == (3, 20)


def test_crash_between_calls_leaves_no_process() -> None:
    child = _process.engine()
    child.process.kill()
    while child.alive:
        time.sleep(0.01)
    assert bagscope.explain(TINY, bag()).scores.shape == (3, 20)
    assert child.process.returncode is not None


@posix
@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_cancels_and_the_engine_continues() -> None:
    """The signal comes from another thread, after the engine's first report of its progress."""
    child = _process.engine()
    slow = bag(4000)
    interrupt = threading.Thread(target=os.kill, args=(os.getpid(), signal.SIGINT))
    model = bagscope.open(TINY, plain=True)
    reports: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        reports.append((done, total))
        if len(reports) == 1:
            interrupt.start()

    with pytest.raises(KeyboardInterrupt):
        bagscope.explain(model, slow, method="random_shap", samples=100_000, progress=progress)
    interrupt.join()
    done, total = reports[-1]
    assert done < total
    assert _process.engine() is child
    assert bagscope.explain(TINY, bag()).scores.shape == (3, 20)
    assert child.alive


def test_threads_get_their_own_results() -> None:
    model = bagscope.open(TINY)
    bags = [bag(k) for k in range(5, 25)]
    want = [bagscope.explain(model, b, method="single").scores for b in bags]

    def one(n: int) -> bool:
        got = bagscope.explain(model, bags[n % len(bags)], method="single").scores
        return bool((got == want[n % len(bags)]).all())

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(200)))


def test_function_may_explain() -> None:
    """A function that itself explains another model does not wait for its own explanation."""
    model = bagscope.open(TINY)

    def nested(x: Any) -> Any:
        return bagscope.explain(model, x, method="single").scores.sum(1)

    assert bagscope.explain(nested, bag(4), method="single").scores.shape == (3, 4)


@posix
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_has_an_engine_of_its_own() -> None:
    model = bagscope.open(TINY)
    want = bagscope.explain(model, bag()).scores
    parent = _process.engine()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            got = bagscope.explain(model, bag()).scores
            same = (got == want).all() and _process.engine() is not parent
            os.write(write, b"1" if same else b"0")
            _process.close()
        finally:
            os._exit(0)
    os.close(write)
    assert os.read(read, 1) == b"1"
    os.close(read)
    os.waitpid(pid, 0)
    assert _process.engine() is parent
    assert (bagscope.explain(model, bag()).scores == want).all()


def test_missing_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_process.VARIABLE, "/no/such/program")
    bagscope.close()
    with pytest.raises(bagscope.EngineError, match="does not exist"):
        bagscope.explain(TINY, bag())


def test_closed_handles_are_released() -> None:
    """The engine closes bags and models that Python has dropped."""
    model = bagscope.open(TINY)
    bagscope.explain(model, bag(), method="single")
    opened = bagscope.Bag(bag())
    bagscope.explain(model, opened, method="single")
    handle = next(iter(opened._open.values())).handle
    del opened
    # The engine answers requests concurrently, so that the bag is closed at a later time.
    end = time.monotonic() + PATIENCE
    while True:
        try:
            _process.engine().call(wire.GetValues(handle))
        except bagscope.SettingError as e:
            message = str(e)
            break
        assert time.monotonic() < end, "the dropped bag stays open"
        time.sleep(0.01)
    assert "not open" in message
