import bagscope

plan = bagscope.plan("model.onnx", "bags.npz")
print(plan.strategy, plan.once, plan.each)
model = bagscope.inspect("model.onnx", "bags.npz", stage="plan")
print(model["classes"], model["why"], len(model["nodes"]))
