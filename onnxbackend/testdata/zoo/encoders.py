"""Encoders of pictures that merge the axis of the instances with heads or windows and part it again, or that run a layer over another axis.

Every network takes a bag of pictures (instance, 2, 4, 4), encodes each to WIDTH features and pools them with attention.
"""

import torch
import torch.nn.functional as F
from torch import nn

from architectures import CLASSES, WIDTH

HEADS, SIDE = 2, 4


class Attention(nn.Module):
    """Self-attention with one product for queries, keys and values, as timm writes it."""

    def __init__(self, fused):
        super().__init__()
        self.qkv, self.out, self.fused = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH), fused

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, HEADS, c // HEADS).permute(2, 0, 3, 1, 4).unbind(0)
        if self.fused:
            x = F.scaled_dot_product_attention(q, k, v)
        else:
            x = (q * (c // HEADS) ** -0.5 @ k.transpose(-2, -1)).softmax(-1) @ v
        return self.out(x.transpose(1, 2).reshape(b, n, c))


class MergedHeads(nn.Module):
    """Self-attention whose batch and heads are one axis."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        b, n, c = x.shape
        part = lambda t: t.view(b, n, HEADS, c // HEADS).transpose(1, 2).reshape(b * HEADS, n, c // HEADS)
        q, k, v = part(self.q(x)), part(self.k(x)), part(self.v(x))
        a = torch.bmm(q, k.transpose(1, 2)).softmax(-1)
        return self.out(torch.bmm(a, v).view(b, HEADS, n, c // HEADS).transpose(1, 2).reshape(b, n, c))


class SequenceFirst(nn.Module):
    """PyTorch's own layer, which takes (place, picture, feature) and merges pictures with heads."""

    def __init__(self):
        super().__init__()
        self.attend = nn.MultiheadAttention(WIDTH, HEADS)

    def forward(self, x):
        x = x.transpose(0, 1)
        return self.attend(x, x, x, need_weights=False)[0].transpose(0, 1)


class Transformer(nn.Module):
    """A vision transformer with a class token."""

    def __init__(self, attend, repeat=False):
        super().__init__()
        self.patch, self.token = nn.Conv2d(2, WIDTH, 2, 2), nn.Parameter(torch.randn(1, 1, WIDTH))
        self.place = nn.Parameter(torch.randn(1, 1 + SIDE * SIDE // 4, WIDTH))
        self.norm, self.attend, self.repeat = nn.LayerNorm(WIDTH), attend, repeat

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        k = x.shape[0]
        token = self.token.repeat(k, 1, 1) if self.repeat else self.token.expand(k, -1, -1)
        x = torch.cat([token, x], dim=1) + self.place
        return (x + self.attend(self.norm(x)))[:, 0]


class Rotary(nn.Module):
    """A layer of EVA: self-attention that rotates queries and keys by their places, then SwiGLU."""

    def __init__(self):
        super().__init__()
        self.patch, self.qkv, self.out = nn.Conv2d(2, WIDTH, 2, 2), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH), nn.LayerNorm(2 * WIDTH)])
        self.gate, self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        angle = torch.arange(SIDE * SIDE // 4)[:, None] / torch.arange(1, WIDTH // HEADS // 2 + 1)[None]
        self.register_buffer("sin", angle.sin().repeat_interleave(2, -1))
        self.register_buffer("cos", angle.cos().repeat_interleave(2, -1))

    def turn(self, x):
        turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
        return x * self.cos + turned * self.sin

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        b, n, c = x.shape
        q, k, v = self.qkv(self.norms[0](x)).reshape(b, n, 3, HEADS, c // HEADS).permute(2, 0, 3, 1, 4).unbind(0)
        a = (self.turn(q) @ self.turn(k).transpose(-2, -1) * (c // HEADS) ** -0.5).softmax(-1)
        x = x + self.out((a @ v).transpose(1, 2).reshape(b, n, c))
        y = self.norms[1](x)
        return (x + self.down(self.norms[2](F.silu(self.gate(y)) * self.up(y)))).mean(1)


class Windows(nn.Module):
    """Attention within windows of 2 x 2 places, shifted in the second layer, as in Swin."""

    def __init__(self):
        super().__init__()
        self.patch, self.attend = nn.Conv2d(2, WIDTH, 1), nn.ModuleList([Attention(False), Attention(False)])
        self.bias = nn.Parameter(torch.randn(4, 1, 4, 1))

    def forward(self, x):
        x = self.patch(x).permute(0, 2, 3, 1)
        k, n = x.shape[0], SIDE // 2
        for shift, attend in enumerate(self.attend):
            y = torch.roll(x, (-shift, -shift), (1, 2))
            y = y.view(k, n, 2, n, 2, WIDTH).permute(0, 1, 3, 2, 4, 5).reshape(k * n * n, 4, WIDTH)
            y = attend(y)
            y = (y.view(y.shape[0] // (n * n), n * n, 1, 4, WIDTH) + self.bias).view(-1, n, n, 2, 2, WIDTH)
            y = y.permute(0, 1, 3, 2, 4, 5).reshape(-1, SIDE, SIDE, WIDTH)
            x = x + torch.roll(y, (shift, shift), (1, 2))
        return x.mean((1, 2))


class Rows(nn.Module):
    """A recurrent layer over the rows of each picture."""

    def __init__(self, layer, batch_first):
        super().__init__()
        self.layer, self.batch_first = layer(2 * SIDE, WIDTH, batch_first=batch_first), batch_first

    def forward(self, x):
        x = x.permute(0, 2, 1, 3).flatten(2)
        if self.batch_first:
            return self.layer(x)[0][:, -1]
        return self.layer(x.transpose(0, 1))[0][-1]


class Encoded(nn.Module):
    """Attention over encoded pictures."""

    def __init__(self, encode):
        super().__init__()
        self.encode, self.a, self.head = encode, nn.Sequential(nn.Linear(WIDTH, 4), nn.Tanh(), nn.Linear(4, 1)), nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        h = self.encode(x)
        a = F.softmax(self.a(h), 0)
        return self.head((a * h).sum(0)), a


class Halves(nn.Module):
    """Attention over the halves of all instances: the merged axis is pooled and never parted."""

    def __init__(self):
        super().__init__()
        self.encode, self.a, self.head = Rows(nn.GRU, True), nn.Linear(WIDTH // 2, 1), nn.Linear(WIDTH // 2, CLASSES)

    def forward(self, x):
        h = torch.tanh(self.encode(x).reshape(-1, WIDTH // 2))
        a = F.softmax(self.a(h), 0)
        return self.head((a * h).sum(0)), a


ENCODERS = {
    "encoder_transformer": lambda: Encoded(Transformer(Attention(False))), "encoder_fused_attention": lambda: Encoded(Transformer(Attention(True))),
    "encoder_merged_heads": lambda: Encoded(Transformer(MergedHeads(), repeat=True)), "encoder_sequence_first": lambda: Encoded(Transformer(SequenceFirst())),
    "encoder_windows": lambda: Encoded(Windows()), "encoder_lstm": lambda: Encoded(Rows(nn.LSTM, True)), "encoder_gru": lambda: Encoded(Rows(nn.GRU, False)),
    "merged_pooling": Halves, "encoder_rotary": lambda: Encoded(Rotary()),
}
