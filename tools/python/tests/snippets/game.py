import numpy as np

import bagscope

features = np.load("features.npy")
game = bagscope.game("features.onnx", features, class_=0, empty=0)
coalitions = np.eye(len(features))  # (n, k) zeros and ones
print(game(coalitions))  # (n,) scores

# shapiq.KernelSHAP(n=game.instances).approximate(2000, game)
# shap.KernelExplainer(game, np.zeros((1, k))).shap_values(np.ones((1, k)))
