"""The notebooks of examples/python compute what they show.

``python test_executed.py NAME ...`` executes notebooks and writes them with their outputs.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[4] / "examples" / "python"
NAMES = ("torchmil", "peers", "trident")
VARIES = "varies"
"""The tag of cells whose numbers differ from run to run: times."""
TOLERANCE = 0.02
"""Largest difference of two numbers, divided by the larger of 1 and the expected number.

Training and sums in float32 differ between processors. Notebooks print two or three digits.
"""
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def executed(path: Path) -> Any:
    """Return a notebook with the outputs of a run in its folder."""
    book = nbformat.read(path, as_version=4)
    client = NotebookClient(
        book,
        timeout=600,
        kernel_name="python3",
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    client.execute()
    return cleaned(book)


def cleaned(book: Any) -> Any:
    """Remove what belongs to one run: times, counters of widgets and the version of Python."""
    book.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    book.metadata["kernelspec"]["language"] = "python"
    for number, cell in enumerate(c for c in book.cells if c.cell_type == "code"):
        cell.execution_count = number + 1
        cell.metadata.pop("execution", None)
        cell.outputs = joined(cell.outputs)
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = number + 1
            # Without a kernel the widget is an empty box; its picture stays.
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    return book


def joined(outputs: list[Any]) -> list[Any]:
    """Return outputs without warnings, and with one stream for those that follow each other."""
    out: list[Any] = []
    for output in outputs:
        if output.get("name") == "stderr":
            continue
        if out and output.output_type == out[-1].output_type == "stream":
            out[-1].text += output.text
        else:
            out.append(output)
    return out


def words(output: Any) -> tuple[str, list[float], set[str]]:
    """Return the text of an output without its numbers, these numbers, and its types."""
    data = output.get("data", {})
    text = str(output.get("text") or data.get("text/plain", ""))
    numbers = [float(n) for n in NUMBER.findall(text)]
    # The width of a column depends on its numbers.
    rest = re.sub(r"[\s-]+", " ", NUMBER.sub("#", text))
    return rest, numbers, set(data)


def difference(want: Any, got: Any, varies: bool) -> str:
    """Return what two outputs differ in, or an empty string. Pictures are not compared."""
    (text, numbers, kinds), (text2, numbers2, kinds2) = words(want), words(got)
    if kinds != kinds2:
        return f"types {sorted(kinds2)} instead of {sorted(kinds)}"
    if text != text2 or len(numbers) != len(numbers2):
        return f"{text2!r} instead of {text!r}"
    if varies:
        return ""
    for a, b in zip(numbers, numbers2, strict=True):
        if abs(a - b) > TOLERANCE * max(1, abs(a)):
            return f"{b} instead of {a}"
    return ""


@pytest.mark.parametrize("name", NAMES)
def test_outputs(name: str) -> None:
    path = FOLDER / f"{name}.ipynb"
    stored, found = nbformat.read(path, as_version=4), executed(path)
    assert path.stat().st_size < 300_000
    for number, (want, got) in enumerate(zip(stored.cells, found.cells, strict=True)):
        if want.cell_type != "code":
            continue
        assert len(want.outputs) == len(got.outputs), f"{name}, cell {number}"
        for a, b in zip(want.outputs, got.outputs, strict=True):
            assert "/tmp" not in str(b), f"{name}, cell {number} shows a path of this machine"
            varies = VARIES in want.metadata.get("tags", [])
            assert not (said := difference(a, b, varies)), f"{name}, cell {number}: {said}"


def test_differences_are_found() -> None:
    def text(words: str) -> Any:
        return nbformat.v4.new_output("stream", name="stdout", text=words)

    want = text("single  0.951 and 12")
    assert not difference(want, text("single   0.952 and 12"), False)
    assert difference(want, text("single  0.991 and 12"), False)
    assert not difference(want, text("single  0.991 and 12"), True)
    assert difference(want, text("milli  0.951 and 12"), True)
    assert difference(want, text("single  0.951"), True)
    picture = nbformat.v4.new_output("display_data", data={"image/png": ""})
    assert difference(picture, text(""), False)


if __name__ == "__main__":
    for given in sys.argv[1:]:
        nbformat.write(executed(FOLDER / f"{given}.ipynb"), FOLDER / f"{given}.ipynb")
