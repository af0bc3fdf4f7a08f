"""What instances do by themselves, and what the bag loses without them."""

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import TINY, TINY_BAGS, command

import bagscope


@pytest.mark.parametrize("without", [[], [0]])
def test_missed_is_one_removed(without: list[int]) -> None:
    """In probabilities, the loss is what one_removed scores."""
    e = bagscope.explain(
        TINY, TINY_BAGS, index=3, method=["single", "one_removed"], without=without
    )
    removed = e["one_removed"]
    assert removed.missed
    assert {m.method for m in e.missed} == {"single", "one_removed"}
    for method, one in e.items():
        assert one.missed == [m for m in e.missed if m.method == method]
        for m in one.missed:
            row, at = one.row(m.class_), one.instances.index(m.instance)
            assert m.class_ == np.argmax(e.prediction)
            assert m.unit == "probability"
            np.testing.assert_allclose(m.missed_here, removed.scores[row, at], rtol=1e-12)
            np.testing.assert_allclose(m.by_itself, one.scores[row, at] - one.neutral[row])
            opposed = m.by_itself * m.missed_here < 0
            opposed &= abs(m.missed_here) >= abs(m.by_itself) / 20
            assert (m.sentence != "") == opposed


def test_files_of_older_versions_have_none(tmp_path: Path) -> None:
    """A file without the key is read as one that states nothing."""
    args = ("explain", "--model", TINY, "--bag", TINY_BAGS, "--index", 3, "--json")
    answer = json.loads(command(*args))
    assert answer.pop("missed")
    (tmp_path / "old.json").write_text(json.dumps(answer))
    old = bagscope.load(tmp_path / "old.json")
    assert isinstance(old, bagscope.Explanation)
    assert old.missed == []
