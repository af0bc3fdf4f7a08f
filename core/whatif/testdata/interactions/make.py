"""Writes games.json: python make.py (requirements.txt pins shapiq and numpy).

Ten games as tables of float64: value n is that of the coalition whose members are the bits of n. For each game
shapiq computes the Shapley interaction index of order 2 and the faithful index of order 2, for single players and
for pairs, the pairs in lexicographic order.
"""

import itertools
import json
import pathlib

import numpy as np
import shapiq

HERE = pathlib.Path(__file__).parent


def table(players, value):
    return [float(value([i for i in range(players) if n >> i & 1])) for n in range(1 << players)]


def games():
    rng = np.random.default_rng(22)
    worth, weight = rng.normal(size=6), rng.normal(size=(6, 6))
    yield "additive", 4, table(4, lambda z: sum(worth[i] for i in z))
    yield "unanimity", 5, table(5, lambda z: {1, 3} <= set(z))
    yield "majority", 6, table(6, lambda z: len(z) >= 3)
    yield "glove", 6, table(6, lambda z: min(sum(i < 2 for i in z), sum(i >= 2 for i in z)))
    yield "max", 5, table(5, lambda z: max([abs(worth[i]) for i in z], default=0))
    yield "noisy-or", 6, table(6, lambda z: 1 - np.prod([1 - 0.1 * (i + 1) for i in z]))
    yield "quadratic", 6, table(6, lambda z: sum(weight[i, j] for i in z for j in z))
    yield "tanh", 7, table(7, lambda z: np.tanh(sum(np.cos(3 * i) for i in z)) + 0.25)
    yield "attention", 5, table(5, lambda z: sum(worth[i] * np.exp(2 * worth[i]) for i in z) / max(sum(np.exp(2 * worth[i]) for i in z), 1e-9))
    yield "random", 7, [float(v) for v in rng.normal(size=1 << 7)]


def indices(players, values):
    def game(coalitions):
        return np.array([values[sum(1 << i for i in range(players) if z[i])] for z in np.atleast_2d(coalitions)])

    out = {}
    for name, index in (("shapley", "SII"), ("faithful", "FSII")):
        got = shapiq.ExactComputer(n_players=players, game=game)(index, order=2)
        out[name] = {
            "alone": [float(got[(i,)]) for i in range(players)],
            "pairs": [float(got[pair]) for pair in itertools.combinations(range(players), 2)],
        }
    return out


answers = [{"name": name, "players": k, "values": values, **indices(k, values)} for name, k, values in games()]
lines = ",\n".join(json.dumps(answer) for answer in answers)
(HERE / "games.json").write_text(f"[\n{lines}\n]\n")
