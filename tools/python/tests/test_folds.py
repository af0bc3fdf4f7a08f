"""Several models as one."""

import numpy as np
import pytest
from conftest import TINY, TINY_BAGS

import bagscope

BAG = bagscope.Bag(TINY_BAGS, index=3)


def test_several_models_are_one() -> None:
    want = bagscope.explain(TINY, BAG, method="one_removed")
    model = bagscope.open([TINY, TINY.read_bytes()])
    e = bagscope.explain(model, BAG, method="one_removed")
    np.testing.assert_allclose(e.scores, want.scores, rtol=0, atol=1e-12)
    assert [len(f.prediction) for f in e.folds] == [3, 3]
    assert len(e.by_fold) == 3
    np.testing.assert_allclose(e.by_fold[2].scores[1], want.scores[2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(e.by_fold[0].between, 0, atol=1e-12)
    assert set(e.by_fold[0].agree) <= {0, 2}
    assert not want.folds
    assert not want.by_fold
    prediction = bagscope.predict([TINY, TINY], BAG)
    np.testing.assert_allclose(prediction.scores, bagscope.predict(TINY, BAG).scores)
    np.testing.assert_allclose(prediction.folds[1].prediction, prediction.scores)
    check = bagscope.check(model, BAG, method="single")
    assert check.layers is None
    assert any("cannot be opened again" in note for note in check.notes)


def test_what_is_no_ensemble() -> None:
    with pytest.raises(bagscope.SettingError, match="2 to 256"):
        bagscope.open([])
    with pytest.raises(bagscope.SettingError, match="median"):
        bagscope.open([TINY, TINY], mean="median")  # type: ignore[arg-type]
    how = "it is that of several models; pass a list of them, or omit it"
    with pytest.raises(bagscope.SettingError, match=how):
        bagscope.open(TINY, mean="prob")
    assert bagscope.open([TINY, TINY], mean="prob").info.scale == "probabilities"
    assert bagscope.open(TINY).info.scale != "probabilities"
    with pytest.raises(bagscope.SettingError, match="there is one"):
        bagscope.open([TINY], mean="prob")
    with pytest.raises(bagscope.SettingError, match="names of files"):
        bagscope.open([TINY, TINY], name="two")
    with pytest.raises(bagscope.UnavailableError, match="no graph of their own"):
        bagscope.inspect([TINY, TINY], stage="graph")
