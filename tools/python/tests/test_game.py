"""The scores of coalitions."""

import numpy as np
import pytest
from conftest import TINY, TINY_BAGS

import bagscope

BAG = bagscope.Bag(TINY_BAGS, index=3)  # 24 instances
RANDOM = np.random.default_rng(5)


def test_scores_are_predictions_without_the_other_instances() -> None:
    model = bagscope.open(TINY)
    game = bagscope.game(model, BAG)
    members = RANDOM.random((20, game.instances)) < 0.3
    members[:, 4] = True
    scores = game(members)
    assert scores.shape == (20, len(game.classes))
    for row, chosen in zip(scores, members, strict=True):
        want = bagscope.predict(model, BAG, without=np.flatnonzero(~chosen).tolist()).scores
        np.testing.assert_allclose(row, want, atol=1e-6)  # float32 sums in another order
    np.testing.assert_allclose(game(members[3]), scores[3:4], atol=1e-6)
    one = bagscope.game(model, BAG, class_=1, output="logit")(members)
    assert one.shape == (20,)
    assert not np.allclose(one, scores[:, 1])


def test_blocks_equal_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    game = bagscope.game(TINY, BAG, empty=0)
    members = RANDOM.integers(0, 2, (50, game.instances))
    whole = game(members)
    monkeypatch.setattr("bagscope._game._BLOCK", 7)
    np.testing.assert_allclose(game(members), whole, atol=1e-6)


def test_the_empty_coalition_needs_a_value() -> None:
    none = np.zeros(bagscope.game(TINY, BAG).instances)
    with pytest.raises(bagscope.SettingError, match="empty=0"):
        bagscope.game(TINY, BAG)(none)
    assert bagscope.game(TINY, BAG, class_=0, empty=0.25)(none).tolist() == [0.25]
    np.testing.assert_array_equal(
        bagscope.game(TINY, BAG, empty=[0.5, 0.25, 0.25])(none), [[0.5, 0.25, 0.25]]
    )


def test_wrong_settings_are_errors() -> None:
    game = bagscope.game(TINY, BAG)
    for shape in [(3, game.instances + 1), (), (2, 2, game.instances)]:
        with pytest.raises(bagscope.SettingError, match="shape"):
            game(np.ones(shape))
    with pytest.raises(bagscope.SettingError, match="no class 9"):
        bagscope.game(TINY, BAG, class_=9)


def test_a_function_of_python_is_a_game() -> None:
    bag = RANDOM.random((6, 2))
    game = bagscope.game(lambda part: part.sum(axis=0), bag, empty=0)
    members = RANDOM.random((9, 6)) < 0.5
    np.testing.assert_allclose(game(members), members @ bag)
