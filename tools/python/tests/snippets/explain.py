import bagscope

# model: a path, bytes, an onnx.ModelProto, a function
# bag: a path, an array (k, ...), a tensor, AnnData
e = bagscope.explain("model.onnx", "bags.npz")
print(e)  # also e.notes: what was assumed
print(e.summary)
print("scores (classes, instances):", e.scores.shape)
e.save("e.png")  # or .json, .csv, .geojson
