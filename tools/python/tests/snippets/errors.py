import bagscope

try:
    bagscope.explain("model.onnx", "missing.npz")
except bagscope.BagscopeError as error:
    print(type(error).__name__, error.kind, error)
