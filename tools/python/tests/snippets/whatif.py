import bagscope

sets = bagscope.sets("model.onnx", "bags.npz", several=2)
print(sets.sufficient[0].instances)  # these alone give the prediction
print(sets.necessary[0].instances)  # without these the bag does not give it
pairs = bagscope.pairs("model.onnx", "bags.npz", among=8)
print(pairs.pairs[0], pairs.values[0], pairs.evident[0])  # the largest interaction
change = bagscope.whatif("model.onnx", "bags.npz")
print(change.fewest.removed, change.fewest.smallest)  # the fewest that turn the prediction
parts = bagscope.inside("model.onnx", "bags.npz", instance=15)
print(parts.scores.shape, parts.evident.sum())  # (rows, columns) cells of the picture
checks = bagscope.check("model.onnx", "bags.npz", method="milli")
print(checks.noise.passed, checks.mark.sentence)
