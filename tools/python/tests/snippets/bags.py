import numpy as np

import bagscope

features = np.load("features.npy")  # (k, d)
bag = bagscope.Bag(features, places=np.load("places.npy"), patch_size=256)
e = bagscope.explain("features.onnx", bag, method="milli", samples=500, seed=1)
e.save("e.geojson")  # patches with scores, for QuPath
