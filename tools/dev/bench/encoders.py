"""Write the encoders of the benchmark, with random weights and gated attention, to a folder.

pip install torch==2.15.0 timm==1.0.31 onnx==1.23.2 onnxscript==0.7.2
python tools/dev/bench/encoders.py build/encoders
"""

import sys
from pathlib import Path

import timm
import torch

SIDE = 224
ENCODERS = {
    "resnet18": "resnet18",
    "vit_tiny": "vit_tiny_patch16_224",
    "swin_tiny": "swin_tiny_patch4_window7_224",
    "convnext_atto": "convnext_atto",
    "efficientnet_b0": "efficientnet_b0",
    "mobilenetv3_small": "mobilenetv3_small_100",
}


class Bag(torch.nn.Module):
    """An encoder of pictures (k, 3, side, side) with gated attention and two classes."""

    def __init__(self, encoder: torch.nn.Module, features: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.value, self.gate = torch.nn.Linear(features, 64), torch.nn.Linear(features, 64)
        self.weight, self.head = torch.nn.Linear(64, 1), torch.nn.Linear(features, 2)

    def forward(self, bag: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits (2) and the attention (k)."""
        h = self.encoder(bag).flatten(1)
        gated = torch.tanh(self.value(h)) * torch.sigmoid(self.gate(h))
        attention = torch.softmax(self.weight(gated), 0)
        return self.head((attention * h).sum(0)), attention[:, 0]


def write(folder: Path, name: str) -> None:
    """Export one encoder with an axis of instances of any length."""
    torch.manual_seed(0)
    encoder = timm.create_model(ENCODERS[name], num_classes=0).eval()
    bag = torch.randn(4, 3, SIDE, SIDE)
    with torch.no_grad():
        features = encoder(bag).flatten(1).shape[1]
    torch.onnx.export(
        Bag(encoder, features).eval(),
        (bag,),
        folder / f"{name}.onnx",
        input_names=["bag"],
        output_names=["logits", "attention"],
        dynamic_axes={"bag": {0: "k"}, "attention": {0: "k"}},
        opset_version=17,
        dynamo=False,
    )


if __name__ == "__main__":
    to = Path(sys.argv[1])
    to.mkdir(parents=True, exist_ok=True)
    for encoder_name in ENCODERS:
        write(to, encoder_name)
