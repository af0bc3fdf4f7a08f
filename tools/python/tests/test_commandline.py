"""Results equal those of the command line for the same model, bag, method and seed."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, TINY, TINY_BAGS, command

import bagscope

ZOO = sorted((ROOT / "testdata/models/zoo").iterdir())
EXAMPLES = [ROOT / "examples" / name for name in ("digits", "machine", "tissue")]
METHODS = [m.name for m in bagscope.methods()]


def explained(model: Path, bag: Path, index: int, *args: object) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(
        command("explain", "--model", model, "--bag", bag, "--index", index, "--json", *args)
    )
    return out


@pytest.mark.parametrize("method", METHODS)
def test_methods(method: str) -> None:
    got = bagscope.explain(
        bagscope.open(TINY), bagscope.Bag(TINY_BAGS, index=3), method=method, seed=5
    )
    assert got.to_dict() == explained(TINY, TINY_BAGS, 3, "--method", method, "--seed", 5)


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda p: p.name)
def test_examples(folder: Path) -> None:
    model, bags = folder / "model.onnx", folder / "bags.npz"
    got = bagscope.explain(model, bagscope.Bag(bags, index=1), method="all", budget=10**6, seed=1)
    want = explained(model, bags, 1, "--method", "all", "--budget", 10**6, "--seed", 1)
    assert got.to_dict() == want


def test_options_and_reliability() -> None:
    got = bagscope.explain(
        TINY,
        bagscope.Bag(TINY_BAGS, index=2),
        method=["milli", "guided_lime"],
        class_="two",
        samples=300,
        alpha=0.1,
        mean_bag=12,
        paired=True,
        reliability=True,
        output="logit",
    )
    want = explained(
        TINY, TINY_BAGS, 2, "--method", "milli,guided_lime", "--class", "two", "--samples", 300,
        "--alpha", 0.1, "--mean-bag", 12, "--paired", "--trust", "--output", "logit",
    )  # fmt: skip
    assert got.to_dict() == want


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_saved_files_are_the_commands(ending: str, tmp_path: Path) -> None:
    got, want = tmp_path / f"got.{ending}", tmp_path / f"want.{ending}"
    e = bagscope.explain(TINY, bagscope.Bag(TINY_BAGS, index=3), method="milli")
    e.save(got)
    args = ("explain", "--model", TINY, "--bag", TINY_BAGS, "--index", 3, "--method", "milli")
    if ending == "json":
        want.write_text(command(*args, "--json"))
    else:
        command(*args, "--csv", want)
    assert got.read_bytes() == want.read_bytes()


def test_array_equals_file(tmp_path: Path) -> None:
    """A bag of an array has the scores of the same array in a file, without a copy or with one."""
    values = np.random.default_rng(3).normal(size=(40, 6)).astype(np.float32)
    file = tmp_path / "bag.npy"
    np.save(file, values)
    model = bagscope.open(TINY)
    want = explained(TINY, file, 0)
    for data in (values, np.load(file, mmap_mode="r"), values.astype(np.float64), file):
        got = bagscope.explain(model, bagscope.Bag(data, name="bag")).to_dict()
        assert got == want


def test_predict() -> None:
    got = bagscope.predict(TINY, bagscope.Bag(TINY_BAGS, index=3))
    want = json.loads(
        command("predict", "--model", TINY, "--bag", TINY_BAGS, "--index", 3, "--json")
    )
    assert got.scores.tolist() == [row["score"] for row in want["classes"]]
    assert got.raw.tolist() == [row["raw"] for row in want["classes"]]
    assert got.classes == [row["name"] for row in want["classes"]]
    assert (got.output, got.scale) == (want["output"], want["scale"])


def test_methods_table() -> None:
    want = json.loads(command("methods", "--json"))["methods"]
    got = [
        {
            "name": m.name,
            "title": m.title,
            "summary": m.summary,
            "cost": m.cost,
            "options": [o.replace("_", "-") for o in m.options],
        }
        for m in bagscope.methods()
    ]
    assert got == want


def test_readme_has_every_command() -> None:
    """Each command has its counterpart in Python, or the reason why there is none."""
    table = (ROOT / "tools/python/README.md").read_text().split("| command ")[1].split("\n\n")[0]
    named = {n for row in table.splitlines()[2:] for n in re.findall(r"`(\w+)`", row.split("|")[1])}
    listed = command("help").split("Available Commands:\n")[1].split("\n\n")[0]
    assert named == {line.split()[0] for line in listed.splitlines()}
