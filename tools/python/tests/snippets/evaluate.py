import bagscope


def ink(bag):
    """Return the mean of each picture: a score for each instance."""
    return bag.mean(axis=(1, 2, 3))


methods = ["consensus", "single"]
result = bagscope.evaluate("model.onnx", "bags.npz", methods=methods, scores={"ink": ink})
print(result)
table = result.to_dataframe()  # with pandas
