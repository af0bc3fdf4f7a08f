import numpy as np

import bagscope

weights = np.array([[1.0, 0.0], [-0.5, 2.0]])


def model(bag):
    """Return the scores of two classes for any part of a bag."""
    return (bag @ weights).max(axis=0)


bag = np.random.default_rng(0).normal(size=(20, 2))
e = bagscope.explain(model, bag, method="single")
