"""Writes MODEL.onnx, classifiers of instances by scikit-learn, and expected.json: a bag and what scikit-learn predicts of its instances.

python export.py (scikit-learn 1.9, skl2onnx 1.20). Labels are texts, and the probabilities a list of dicts, unless the name says otherwise.
"""

import json
import pathlib
import warnings

import numpy as np
from skl2onnx import to_onnx
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import SVC, SVR

warnings.filterwarnings("ignore")
HERE = pathlib.Path(__file__).parent
r = np.random.default_rng(1)
X = r.normal(size=(60, 4)).astype(np.float32)
value = X[:, 0] + X[:, 1] * X[:, 2]
texts = np.array(["benign", "malignant"])[(value > 0).astype(int)]
grades = np.array(["low", "middle", "high"])[np.digitize(value, [-0.5, 0.5])]
bag = r.normal(size=(6, 4)).astype(np.float32)
expected = {"bag": bag.tolist(), "models": {}}

for name, (model, y, options) in {
    "forest": (RandomForestClassifier(4, max_depth=3, random_state=1), texts, {}),
    "forest_array": (RandomForestClassifier(4, max_depth=3, random_state=1), texts, {"zipmap": False}),
    "forest_grades": (RandomForestClassifier(4, max_depth=3, random_state=1), grades, {}),
    "boosted": (GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=1), texts, {}),
    "adaboost": (AdaBoostClassifier(n_estimators=3, random_state=1), texts, {}),
    "machine": (SVC(probability=True, random_state=1), texts, {}),
    "machine_grades": (SVC(probability=True, random_state=1), grades, {}),
    "machine_scaled": (make_pipeline(StandardScaler(), SVC(probability=True, random_state=1)), (value > 0).astype(int), {}),
    "logistic": (make_pipeline(StandardScaler(), LogisticRegression()), texts, {}),
    "logistic_normalised": (make_pipeline(Normalizer(), LogisticRegression()), grades, {"zipmap": False}),
    "network": (MLPClassifier((4,), max_iter=30, random_state=1), texts, {}),
    "neighbours": (KNeighborsClassifier(3), texts, {}),
    "bayes": (GaussianNB(), grades, {}),
    "quadratic": (QuadraticDiscriminantAnalysis(), texts, {}),
    "regressor": (SVR(), value, None),
}.items():
    model.fit(X, y)
    options = None if options is None else {id(model): {"zipmap": True, **options}}
    onnx = to_onnx(model, X[:1], options=options, target_opset={"": 17, "ai.onnx.ml": 3})
    (HERE / f"{name}.onnx").write_bytes(onnx.SerializeToString(deterministic=True))
    scores = model.predict_proba(bag) if hasattr(model, "predict_proba") else model.predict(bag)[:, None]
    expected["models"][name] = scores.tolist()
(HERE / "expected.json").write_text(json.dumps(expected))
