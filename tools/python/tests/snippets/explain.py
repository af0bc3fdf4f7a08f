import bagscope

model = bagscope.open("model.onnx")  # a path, bytes, an onnx.ModelProto, a function
e = bagscope.explain(model, "bags.npz")  # a path, an array (k, ...), a tensor, AnnData
print(e.summary)  # what the model says, what that rests on, and what turns it
print(e.classes, e.prediction, e.scores.shape)  # scores (C, k); also e.stderr, e.notes
e.save("e.png")  # or .json, .csv, .geojson
e.plot()  # with matplotlib
