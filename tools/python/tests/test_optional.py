"""Errors without the packages that are optional."""

import sys
from collections.abc import Callable

import pytest

from bagscope import Explanation, _optional, _progress
from bagscope._answer import Answer


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, Callable[[], object]]] = [
        ("pandas", lambda: Answer.to_dataframe(object.__new__(Answer))),
        ("shap", lambda: Explanation.to_shap(object.__new__(Explanation))),
        ("tqdm", lambda: _progress.progress_bar(True, 1, "bags").__enter__()),
        ("tqdm", lambda: _progress.watched(True).__enter__()),  # before the engine works
    ]
    for package, call in calls:
        # None in sys.modules stands for a package that is not there.
        monkeypatch.setitem(sys.modules, package, None)
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        with pytest.raises(ImportError, match=f"pip install {package}$"):
            call()


def test_bar_shows_a_later_total(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bar:
        n = 0

        def __init__(self, total: int | None, unit: str) -> None:
            self.total = total

        def __enter__(self) -> "Bar":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def update(self, more: int) -> None:
            self.n += more

    bar = Bar(None, "")
    monkeypatch.setattr(_progress, "_bars", lambda: lambda total, unit: bar)
    with _progress.progress_bar(True, 0, "bags") as show:
        for done in (2, 5):
            show(done, 9)
            assert (bar.n, bar.total) == (done, 9)


def test_a_package_that_a_package_needs_is_named() -> None:
    with pytest.raises(ImportError, match="needs pandas, and zz is not installed"):  # noqa: SIM117
        with _optional.needed("pandas"):
            raise ModuleNotFoundError(name="zz")
