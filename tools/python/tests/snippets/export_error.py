import torch

import bagscope


class Pool(torch.nn.Module):
    def forward(self, bag):
        total = 0
        for i in range(bag.shape[0]):
            total = total + bag[i]
        return total / bag.shape[0]


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = torch.nn.Linear(8, 2)
        self.pool = Pool()

    def forward(self, bag):
        return self.pool(self.encode(bag))


try:
    bagscope.export(Model(), torch.randn(20, 8), "model.onnx", scale="logits")
except bagscope.ExportError as error:
    print(error)
