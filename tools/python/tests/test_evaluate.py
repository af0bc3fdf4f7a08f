"""evaluate, plan and inspect beside the command line."""

import json
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, TINY, TINY_BAGS, command

import bagscope
from bagscope._evaluate import bag_seed

DIGITS = ROOT / "examples/digits"


def test_statistics_equal_the_commands() -> None:
    """Means differ by rounding only, because NumPy adds in another order."""
    model, bags = DIGITS / "model.onnx", DIGITS / "bags.npz"
    got = bagscope.evaluate(model, bags, methods=["single", "milli"], seed=4, samples=60)
    want = json.loads(
        command(
            "evaluate", "--model", model, "--bags", bags, "--method", "single,milli", "--seed", 4,
            "--samples", 60, "--metrics", "all", "--json",
        )
    )  # fmt: skip
    summary = got.summary()
    assert list(summary) == [m["method"] for m in want["methods"]]
    compared = 0
    for line in want["methods"]:
        for metric, stats in line.items():
            if metric == "method" or stats["n"] == 0:
                continue
            for name, value in stats.items():
                mine = summary[line["method"]][metric][name]
                if value is None:
                    assert np.isnan(mine), (line["method"], metric, name)
                else:
                    assert mine == pytest.approx(value, rel=1e-9, abs=1e-12)
                    compared += 1
    assert compared > 30


def test_seeds_are_go_s() -> None:
    """The values are those of rand.NewPCG(seed, bag) in Go 1.26."""
    assert [bag_seed(0, 0), bag_seed(4, 2)] == [4107282207882862730, 1637688608008630415]


def test_foreign_scores_are_judged_beside() -> None:
    """Scores of a method under another name have the metrics of the method."""
    bags = [bagscope.Bag(TINY_BAGS, index=i) for i in range(3)]
    own = [bagscope.explain(TINY, b, method="single").scores for b in bags]
    calls: list[Any] = []

    def none(bag: Any) -> Any:
        calls.append(bag)
        return np.zeros(own[len(calls) - 1].shape[1])

    e = bagscope.evaluate(TINY, bags, methods=["single"], scores={"mine": own, "zeros": none})
    summary = e.summary()
    assert list(summary) == ["single", "mine", "zeros", "random"]
    assert summary["mine"] == summary["single"]
    assert summary["zeros"]["aopc_r"] != summary["single"]["aopc_r"]
    assert len(calls) == 3
    assert len(e.to_dataframe()) == len(e.rows)
    alone = bagscope.evaluate(TINY, bags, methods=[], scores={"mine": own}, class_="two")
    assert {row["class"] for row in alone.rows} == {2}


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ({"milli": []}, "names of methods"),
        ({"mine": [np.zeros((1, 1, 1))] * 4}, "has shape"),
        ({"mine": [np.zeros(2)] * 4}, "scores"),
    ],
)
def test_wrong_scores(scores: Any, says: str) -> None:
    with pytest.raises(bagscope.SettingError, match=says):
        bagscope.evaluate(TINY, TINY_BAGS, methods=["single"], scores=scores)


def test_progress_counts_bags() -> None:
    seen: list[tuple[int, int]] = []
    bagscope.evaluate(
        TINY, TINY_BAGS, methods=["single"], progress=lambda done, total: seen.append((done, total))
    )
    assert seen == [(i + 1, 4) for i in range(4)]


def test_plan_and_inspect() -> None:
    p = bagscope.plan(TINY, bagscope.Bag(TINY_BAGS, index=3))
    assert p.once
    assert p.each
    assert set(p.meet) <= set(p.each)
    with pytest.raises(bagscope.UnavailableError, match="no graph"):
        bagscope.plan(lambda x: x.sum(0), np.ones((3, 2)))


@pytest.mark.parametrize("stage", [None, "graph", "passes", "plan"])
@pytest.mark.parametrize("index", [None, 3])
def test_inspect_equals_the_command(stage: Any, index: int | None) -> None:
    asked = [] if stage is None else ["--stage", stage]
    bag = None
    if index is not None:
        bag = bagscope.Bag(TINY_BAGS, index=index)
        asked += ["--bag", TINY_BAGS, "--index", index]
    want = json.loads(command("inspect", "--model", TINY, "--json", *asked))
    assert bagscope.inspect(TINY, bag, stage=stage) == want
    assert ("nodes" in want) == (stage in ("graph", "plan"))


def test_inspect_errors() -> None:
    with pytest.raises(bagscope.UnavailableError, match="no graph"):
        bagscope.inspect(lambda x: x.sum(0))
    with pytest.raises(bagscope.SettingError, match="graph, passes, plan"):
        bagscope.inspect(TINY, stage="soup")  # type: ignore[arg-type]
