"""Writes shapley_peers.json: root mean square errors of other packages' Shapley values.

Run with shap 0.51.0 and shapiq 1.4.1: python shapley_peers.py > shapley_peers.json
TestShapleyPeers computes the same games and compares.
"""

import json
import math
import sys
import warnings

import numpy as np
import shap
import shapiq


def seeds_of(k):
    return 60 if k == 12 else 8  # errors differ most in small games



def noisy_or(k):
    p = np.array([0.5 / (1 + i) for i in range(k)])
    return lambda z: 1 - np.prod(1 - p * z, axis=1)


def airport(k):
    costs = np.array([abs(math.sin(i * 1.7)) * 3 for i in range(k)])
    return lambda z: np.max(z * costs, axis=1)


def majority(k):
    return lambda z: (z.sum(axis=1) >= k // 4) * 1.0


def attention(k):
    weights = np.array([math.exp(1.5 * math.sin(i * 2.3)) for i in range(k)])
    worths = weights * np.array([math.cos(i * 1.1) for i in range(k)])
    return lambda z: 1 / (1 + np.exp(-4 * (z @ worths) / np.maximum(z @ weights, 1e-9)))


GAMES = [
    (noisy_or, 12), (noisy_or, 60), (noisy_or, 264), (airport, 12), (airport, 60), (airport, 264),
    (majority, 30), (majority, 110), (attention, 12), (attention, 60),
]


def marginals(f, k, orders):
    """Returns Shapley values from random orders and their reverses; exact ones of few players."""
    if k <= 12:
        z = (np.arange(2**k)[:, None] >> np.arange(k) & 1).astype(float)
        value, size = f(z), z.sum(axis=1).astype(int)
        weight = np.array([1 / (k * math.comb(k - 1, min(s, k - 1))) for s in range(k + 1)])
        without = [np.flatnonzero(z[:, i] == 0) for i in range(k)]
        return np.array([
            np.sum(weight[size[w]] * (value[w + 2**i] - value[w])) for i, w in enumerate(without)
        ])
    rng, total = np.random.default_rng(0), np.zeros(k)
    for _ in range(orders):
        order = rng.permutation(k)
        for line in (order, order[::-1]):
            z = np.zeros((k + 1, k))
            for n, i in enumerate(line):
                z[n + 1 :, i] = 1
            total[line] += np.diff(f(z))
    return total / (2 * orders)


def truth(kind, f, k):
    if kind is majority:
        return np.full(k, 1 / k)
    if kind is noisy_or:
        p = 1 - np.array([f(np.eye(k)[i : i + 1])[0] for i in range(k)])
        x, w = np.polynomial.legendre.leggauss(k)
        x, w = (x + 1) / 2, w / 2
        none = np.prod(1 - x[:, None] * (1 - p), axis=1)
        return np.array([np.sum(w * (1 - q) * none / (1 - x * (1 - q))) for q in p])
    if kind is airport:
        costs = f(np.eye(k))
        ranks, steps = np.sort(costs), np.diff(np.sort(costs), prepend=0)
        shares = np.cumsum(steps / (k - np.arange(k)))
        return shares[np.searchsorted(ranks, costs)]
    return marginals(f, k, 50_000)


def estimates(f, k, n, seed):
    """Yields the name and the values of each estimator, given n evaluations."""
    np.random.seed(seed)
    kernel = shap.KernelExplainer(lambda z: f(np.asarray(z)), np.zeros((1, k)))
    yield "shap", kernel.shap_values(np.ones((1, k)), nsamples=n, silent=True, l1_reg=False)
    game = lambda z: f(np.atleast_2d(np.asarray(z, float)))
    kinds = [shapiq.KernelSHAP, shapiq.StratifiedSamplingSV, shapiq.PermutationSamplingSV]
    if k < 200:
        kinds.append(shapiq.SVARM)  # it takes minutes for one sample of 264 players
    for kind in kinds:
        found = kind(n=k, random_state=seed).approximate(n, game)
        yield "shapiq " + kind.__name__, found.get_n_order_values(1)


def main():
    warnings.filterwarnings("ignore")
    rows = []
    for kind, k in GAMES:
        f = kind(k)
        want = truth(kind, f, k)
        for n in (4 * k + 100, max(1000, 8 * k)):
            squares = {}
            for seed in range(seeds_of(k)):
                for name, found in estimates(f, k, n, seed):
                    square = np.mean((np.ravel(found) - want) ** 2)
                    squares.setdefault(name, []).append(square)
            errors = {a: float("%.3g" % math.sqrt(np.mean(s))) for a, s in squares.items()}
            row = {"game": kind.__name__, "players": k, "evaluations": n,
                   "seeds": seeds_of(k), "errors": errors}
            if kind is attention:
                row["shapley"] = [float("%.6g" % v) for v in want]
            rows.append(row)
            print(kind.__name__, k, n, errors, file=sys.stderr, flush=True)
    print(json.dumps({"shap": shap.__version__, "shapiq": shapiq.__version__, "rows": rows},
                     indent=1))


if __name__ == "__main__":
    main()
