"""Several bags in one call: the results of calls for each, with fewer waits."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import TINY, TINY_BAGS

import bagscope
from bagscope import _many, _process
from bagscope import _wire as wire

RANDOM = np.random.default_rng(3)
ARRAYS = [RANDOM.normal(size=(k, 6)).astype(np.float32) for k in (5, 3, 8, 2, 7, 4, 6)]
PATIENCE = 120  # seconds in which the engine does the next thing, on any machine


def bags() -> list[bagscope.Bag]:
    return [bagscope.Bag(a) for a in ARRAYS]


def total(x: Any) -> Any:
    return x.sum(axis=0)[:2]


@pytest.mark.parametrize("most", [1, 3, 64])
@pytest.mark.parametrize("model", [TINY, total], ids=["file", "function"])
def test_results_are_those_of_single_calls(
    model: Any, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_many, "MOST", most)
    m = bagscope.open(model)
    seen: list[tuple[int, int]] = []
    got = bagscope.explain(m, bags(), seed=4, progress=lambda *at: seen.append(at))
    assert got == [bagscope.explain(m, a, seed=4) for a in ARRAYS]
    assert seen == [(n + 1, len(ARRAYS)) for n in range(len(ARRAYS))]
    assert bagscope.predict(m, tuple(bags())) == [bagscope.predict(m, a) for a in ARRAYS]
    both = bagscope.explain(m, bags()[:2], method=["single", "milli"], without=[0])
    assert [list(e) for e in both] == [["single", "milli"]] * 2
    assert both[1] == bagscope.explain(m, ARRAYS[1], method=["single", "milli"], without=[0])


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list to which every sent request and every answer waited for is appended."""
    events: list[str] = []
    child = _process.engine()
    start, answer = child._start, child._answer

    def started(body: wire.Body) -> int:
        events.append(type(body).__name__)
        return start(body)

    def answered(*args: Any) -> wire.Body:
        events.append("wait")
        return answer(*args)

    monkeypatch.setattr(child, "_start", started)
    monkeypatch.setattr(child, "_answer", answered)
    return events


def test_requests_are_sent_before_answers_are_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    m = bagscope.open(TINY)
    events = recorded(monkeypatch)
    bagscope.predict(m, bags()[:3])
    waits = ["wait"] * 3
    assert events == [
        *["ReadArray"] * 3, *waits, *["OpenBag"] * 3, *waits, *["Predict"] * 3, *waits,
    ]  # fmt: skip


def test_a_file_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    m = bagscope.open(TINY)
    want = [bagscope.predict(m, TINY_BAGS, index=i) for i in (3, 1, 2)]
    events = recorded(monkeypatch)
    assert bagscope.predict(m, [bagscope.Bag(TINY_BAGS, index=i) for i in (3, 1, 2)]) == want
    assert events.count("ReadBagFile") == 1
    del events[:]
    monkeypatch.setattr(_many, "MOST_BYTES", 1)  # large bags of a file are computed one by one
    assert bagscope.predict(m, [bagscope.Bag(TINY_BAGS, index=i) for i in (3, 1, 2)]) == want
    assert events[-6:] == ["Predict", "wait"] * 3


def test_large_bags_are_not_open_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_many, "MOST_BYTES", ARRAYS[0].nbytes + ARRAYS[1].nbytes)
    other = bagscope.Bag(TINY_BAGS, index=3)
    parts = list(_many._together([*bags(), other]))
    assert [len(p) for p in parts] == [2, 1, 1, 1, 1, 1, 1]
    assert parts[-1] == [other]


def test_bags_of_the_caller_stay_as_they_were() -> None:
    m = bagscope.open(TINY)
    first, second = bags()[:2]
    bagscope.predict(m, first)
    bagscope.predict(m, [first, second, first])
    assert (first.is_open, second.is_open) == (True, False)


def nan(i: int) -> list[Any]:
    arrays = [a.copy() for a in ARRAYS]
    arrays[i][1, 2] = np.nan
    return [bagscope.Bag(a) for a in arrays]


def nothing() -> Any:
    return [bagscope.Bag(TINY_BAGS, index=i) for i in (1, 2, 3, 400)]


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        (nan(4), bagscope.FormatError, "^bag 4: .*NaN"),
        ([*nan(6)[:6], ARRAYS[0][:, :5]], bagscope.BagscopeError, "^bag 6: .*6"),
        (nothing(), bagscope.SettingError, "^bag 3: index: there is no bag 400"),
        ([bagscope.Bag(ARRAYS[0]), "absent.npy"], bagscope.MissingError, "^bag 1: .*absent"),
        ([bagscope.Bag(ARRAYS[0]), object()], bagscope.FormatError, "^bag 1: "),
    ],
    ids=["NaN", "shape", "index", "file", "type"],
)
@pytest.mark.parametrize("call", [bagscope.predict, bagscope.explain])
def test_errors_name_the_bag(
    call: Callable[..., Any], given: Any, error: type[bagscope.BagscopeError], says: str
) -> None:
    with pytest.raises(error, match=says) as caught:
        call(TINY, given)
    assert caught.value.details["index"] == int(says[5])
    assert _process.engine()._waiting == {}
    assert not any(b.is_open for b in given if isinstance(b, bagscope.Bag))


def test_index_belongs_to_the_bags() -> None:
    with pytest.raises(bagscope.BagError, match=r"^bag 0: .*pass index= to Bag"):
        bagscope.predict(TINY, bags(), index=1)


@pytest.mark.parametrize("cause", [KeyboardInterrupt, ZeroDivisionError])
def test_exceptions_end_the_call(cause: type[BaseException]) -> None:
    """Those of functions and of Ctrl-C are raised as they are, and the engine continues."""
    calls = 0

    def fails(x: Any) -> Any:
        nonlocal calls
        calls += 1
        if len(x) < 8 and calls > 20:
            raise cause
        return total(x)

    child = _process.engine()
    with pytest.raises(cause) as caught:
        bagscope.explain(fails, bags(), method="single")
    if cause is ZeroDivisionError and sys.version_info >= (3, 11):
        assert caught.value.__notes__[0].startswith("bag ")
    m = bagscope.open(TINY)
    done: list[int] = []

    def progress(finished: int, _: int) -> None:
        done.append(finished)
        if finished == 2:
            raise cause

    with pytest.raises(cause):
        bagscope.explain(m, bags(), progress=progress)
    assert done == [1, 2]
    assert child._waiting == {}
    assert _process.engine() is child
    assert len(bagscope.predict(m, bags())) == len(ARRAYS)


@pytest.mark.parametrize("late", [False, True], ids=["answered", "on its way"])
def test_what_a_cancelled_request_opened_is_closed(
    late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = _process.engine()
    closed: list[int] = []
    send = child.send

    def sent(body: wire.Body, *args: Any) -> None:
        if isinstance(body, wire.Release):
            closed.append(body.handle)
        send(body, *args)

    monkeypatch.setattr(child, "send", sent)
    body = wire.ReadBagFile(path=str(TINY_BAGS))
    with child._lock:  # the reader waits for it, so that no answer is taken in between
        request = child._start(body)
        inbox = child._waiting[request]
        if late:
            child._waiting.pop(request)
    end = time.monotonic() + PATIENCE
    while not late and inbox.empty():
        assert time.monotonic() < end
        time.sleep(0.01)
    if not late:
        child._cancel(request)
    while not closed:
        assert time.monotonic() < end
        time.sleep(0.01)

    def opens_until_closed() -> None:  # requests are answered concurrently
        while time.monotonic() < end:
            child.call(wire.OpenBag(closed[0], 0, None))

    with pytest.raises(bagscope.SettingError, match="not open"):
        opens_until_closed()
