import bagscope

e = bagscope.explain("model.onnx", "bags.npz")
w = e.widget()
w.observe(lambda change: print("selected", change.new), "selected")
w.removed = [15, 21]  # the page removes them, and w.prediction is without them
w  # at the end of a cell, as e is
