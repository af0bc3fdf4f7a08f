import numpy as np
from sklearn.linear_model import LogisticRegression

import bagscope

random = np.random.default_rng(0)
rows, labels = random.normal(size=(200, 8)), random.integers(0, 2, 200)
classifier = LogisticRegression().fit(rows, labels)
model = bagscope.export(classifier, rows[:20], "rows.onnx", pool="mean")
