"""Writes sklearn_MODEL/skl2onnx-OPSET.onnx: python export_sklearn.py (scikit-learn 1.9, skl2onnx 1.20).

Each is a model of one instance, to which the pooling of its scores over the instances is added. The outputs beside them are those of onnxruntime.
"""

import warnings

warnings.filterwarnings("ignore")

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from skl2onnx import to_onnx
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeRegressor

from files import HERE, run, write, write_bags

FEATURES = 6
ALL = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "binary": make_pipeline(StandardScaler(), LogisticRegression()),
    "network": make_pipeline(MinMaxScaler(), PCA(4), MLPClassifier((8,), max_iter=30)),
    "network_regressor": make_pipeline(StandardScaler(), MLPRegressor(hidden_layer_sizes=(8,), max_iter=30)),
    "ridge": make_pipeline(Normalizer(), Ridge()),
    "imputed": make_pipeline(SimpleImputer(), RobustScaler(), LogisticRegression()),
    "polynomial": make_pipeline(PolynomialFeatures(2), LogisticRegression(max_iter=50)),
    "forest": RandomForestClassifier(4, max_depth=3),
    "boosted": GradientBoostingClassifier(n_estimators=4, max_depth=2),
    "tree": DecisionTreeRegressor(max_depth=3),
}
POOLS = {"network": "ReduceMean", "ridge": "ReduceSum"}  # the others take the largest


def pooled(m, op, opset, scores):
    g, given, axes = m.graph, [scores], {"axes": [0]}
    if opset >= (13 if op == "ReduceSum" else 18):
        g.initializer.append(numpy_helper.from_array(np.array([0]), "instances"))
        given, axes = [scores, "instances"], {}
    g.node.append(helper.make_node(op, given, ["logits"], keepdims=0, **axes))
    del g.output[:]
    g.output.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, [None]))
    onnx.checker.check_model(m)
    return m


for seed, (name, model) in enumerate(ALL.items()):
    random = np.random.RandomState(seed)
    x = random.randn(80, FEATURES).astype(np.float32)
    y = (x[:, 0] + x[:, 1] > 0).astype(int) + (x[:, 2] > 0.5)
    if name == "binary":
        y = (y > 0).astype(int)
    if not hasattr(model, "predict_proba"):
        y = x[:, 0] * 2 - x[:, 3]
    model.fit(x, y)
    classifier = hasattr(model, "predict_proba")
    paths = []
    for opset in (9, 18):
        m = to_onnx(model, x[:1], target_opset={"": opset, "ai.onnx.ml": 3 if opset == 18 else 1}, options={"zipmap": False} if classifier else None)
        paths.append(write(HERE / f"sklearn_{name}", f"skl2onnx-{opset}", pooled(m, POOLS.get(name, "ReduceMax"), opset, m.graph.output[-1].name)))
    bags = {}
    for k in (4, 7, 20):
        x = random.randn(k, FEATURES).astype(np.float32)
        if name == "imputed":
            x[1, 2] = np.nan
        bags[k] = x, {p.name: run(p, x) for p in paths}
    write_bags(HERE / f"sklearn_{name}", (FEATURES,), bags)
