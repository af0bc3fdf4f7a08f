import torch

import bagscope


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weigh = torch.nn.Sequential(
            torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1)
        )
        self.head = torch.nn.Linear(8, 2)

    def forward(self, bag):
        attention = self.weigh(bag).softmax(0)
        logits = self.head((attention * bag).sum(0))
        return {"logits": logits, "attention": attention}


bag = torch.randn(20, 8)
model = bagscope.export(
    Attention(), bag, "attention.onnx", classes=["no tumour", "tumour"], scale="logits"
)
print(model.proof)
e = bagscope.explain(model, bag)
