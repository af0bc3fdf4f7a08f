"""Architectures that multiple-instance-learning models have in the wild, small, with random weights.

Every network takes a bag (instance, feature...) and returns class logits (class), and with attention = True what it returns beside them.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

FEATURES, WIDTH, CLASSES = 6, 8, 3


def encoder(width=WIDTH):
    return nn.Sequential(nn.Linear(FEATURES, width), nn.ReLU())


class GatedAttention(nn.Module):
    """Attention with a gate (Ilse 2018), several heads with a row of attention each."""

    def __init__(self, heads=1):
        super().__init__()
        self.encode = encoder()
        self.v, self.u, self.w = nn.Linear(WIDTH, 5), nn.Linear(WIDTH, 5), nn.Linear(5, heads)
        self.head = nn.Linear(WIDTH * heads, CLASSES)

    def forward(self, x):
        h = self.encode(x)
        a = F.softmax(self.w(torch.tanh(self.v(h)) * torch.sigmoid(self.u(h))).transpose(0, 1), dim=1)
        return self.head((a @ h).flatten()), a


class CLAM(nn.Module):
    """CLAM with a branch and a head for each class (Lu 2021)."""

    def __init__(self):
        super().__init__()
        self.attend = nn.ModuleList([nn.Sequential(nn.Linear(WIDTH, 5), nn.Tanh(), nn.Linear(5, 1)) for _ in range(CLASSES)])
        self.encode, self.heads = encoder(), nn.ModuleList([nn.Linear(WIDTH, 1) for _ in range(CLASSES)])

    def forward(self, x):
        h = self.encode(x)
        a = F.softmax(torch.cat([f(h) for f in self.attend], dim=1).t(), dim=1)
        m = a @ h
        return torch.cat([head(m[c]) for c, head in enumerate(self.heads)]), a


class DSMIL(nn.Module):
    """Dual stream (Li 2021): the critical instance of each class asks, all instances answer."""

    def __init__(self):
        super().__init__()
        self.encode, self.score = encoder(), nn.Linear(WIDTH, CLASSES)
        self.q, self.v = nn.Sequential(nn.Linear(WIDTH, 4), nn.Tanh()), nn.Linear(WIDTH, WIDTH)
        self.head = nn.Conv1d(CLASSES, CLASSES, WIDTH)

    def forward(self, x):
        h = self.encode(x)
        c = self.score(h)
        _, critical = torch.sort(c, 0, descending=True)
        q = self.q(h)
        asks = self.q(torch.index_select(h, 0, critical[0]))
        a = F.softmax(q @ asks.t() / math.sqrt(4), 0)
        b = a.t() @ self.v(h)
        bag = self.head(b.unsqueeze(0)).flatten()
        return (bag + c.max(0).values) / 2, a


class Additive(nn.Module):
    """Attention scales each instance, its own logits are summed (Javed 2022)."""

    def __init__(self):
        super().__init__()
        self.encode, self.a = encoder(), nn.Sequential(nn.Linear(WIDTH, 4), nn.Tanh(), nn.Linear(4, 1))
        self.head = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, CLASSES))

    def forward(self, x):
        h = self.encode(x)
        a = F.softmax(self.a(h), 0)
        each = self.head(a * h)
        return each.sum(0), a


class Conjunctive(nn.Module):
    """Attention weighs the instances' own logits, which are then averaged (Early 2024)."""

    def __init__(self):
        super().__init__()
        self.encode, self.a, self.head = encoder(), nn.Sequential(nn.Linear(WIDTH, 4), nn.Tanh(), nn.Linear(4, 1)), nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        h = self.encode(x)
        a = torch.sigmoid(self.a(h))
        return (a * self.head(h)).mean(0), a


class Moments(nn.Module):
    """Mean, variance and maximum side by side."""

    def __init__(self):
        super().__init__()
        self.encode, self.head = encoder(), nn.Linear(3 * WIDTH, CLASSES)

    def forward(self, x):
        h = self.encode(x)
        return self.head(torch.cat([h.mean(0), h.var(0, unbiased=False), h.max(0).values])), h


class MIB(nn.Module):
    """Set Transformer (Lee 2019): an induced block over the bag, pooled by an attention with one seed."""

    def __init__(self):
        super().__init__()
        self.encode = encoder()
        self.points, self.seed = nn.Parameter(torch.randn(1, 3, WIDTH)), nn.Parameter(torch.randn(1, 1, WIDTH))
        self.down, self.up, self.pool = (nn.MultiheadAttention(WIDTH, 2, batch_first=True) for _ in range(3))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        h = self.encode(x).unsqueeze(0)
        i, _ = self.down(self.points, h, h, need_weights=False)
        o, _ = self.up(h, i, i, need_weights=False)
        h = self.norm(h + o)
        p, _ = self.pool(self.seed, h, h, need_weights=False)
        return self.head(p[0, 0]), h


class TransMIL(nn.Module):
    """A class token, attention, and a convolutional code of positions on the sequence padded to a square (Shao 2021)."""

    def __init__(self):
        super().__init__()
        self.encode, self.token = encoder(), nn.Parameter(torch.randn(1, 1, WIDTH))
        self.layers = nn.ModuleList([nn.MultiheadAttention(WIDTH, 2, batch_first=True) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH) for _ in range(3)])
        self.codes = nn.ModuleList([nn.Conv2d(WIDTH, WIDTH, k, 1, k // 2, groups=WIDTH) for k in (5, 3)])
        self.head = nn.Linear(WIDTH, CLASSES)

    def attend(self, i, h):
        n = self.norms[i](h)
        return h + self.layers[i](n, n, n, need_weights=False)[0]

    def forward(self, x):
        h = self.encode(x).unsqueeze(0)
        k = h.shape[1]
        if torch.onnx.is_in_onnx_export():  # a length that is known when the model runs
            k = k if torch.is_tensor(k) else torch.tensor(k)
            side = torch.ceil(torch.sqrt(k.to(torch.float32))).to(torch.int64)
        else:
            side = math.ceil(math.sqrt(k))
        h = torch.cat([h, h[:, : side * side - k]], 1)
        h = self.attend(0, torch.cat([self.token, h], 1))
        grid = h[:, 1:].transpose(1, 2).reshape(1, WIDTH, side, side)
        grid = grid + self.codes[0](grid) + self.codes[1](grid)
        h = self.attend(1, torch.cat([h[:, :1], grid.flatten(2).transpose(1, 2)], 1))
        return self.head(self.norms[2](h)[0, 0]), h


class Affinity(nn.Module):
    """A graph network on the affinities of all pairs (Tu 2019), two SAGE-like steps, mean at the end."""

    def __init__(self):
        super().__init__()
        self.encode, self.own, self.near = encoder(), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        h = self.encode(x)
        for _ in range(2):
            a = torch.exp(-((h[:, None] - h[None]) ** 2).sum(-1) / 2)
            h = F.relu(self.own(h) + self.near((a / a.sum(1, keepdim=True)) @ h))
        return self.head(h.mean(0)), h


class Neighbours(nn.Module):
    """A graph network on the three nearest neighbours of each instance, found inside the graph."""

    def __init__(self):
        super().__init__()
        self.encode, self.own, self.near = encoder(), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        h = self.encode(x)
        d = ((h[:, None] - h[None]) ** 2).sum(-1)
        near = torch.topk(d, 3, dim=1, largest=False).indices
        h = F.relu(self.own(h) + self.near(h[near].mean(1)))
        return self.head(h.max(0).values), h


class SAGE(nn.Module):
    """Each instance beside the mean of all, as GraphSAGE does on a complete graph."""

    def __init__(self):
        super().__init__()
        self.encode, self.own, self.near = encoder(), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x):
        h = self.encode(x)
        h = F.relu(self.own(h) + self.near(h.mean(0, keepdim=True)))
        return self.head(h.mean(0)), h


class Ordered(nn.Module):
    """An LSTM both ways over instances in their order, the last states pooled."""

    def __init__(self):
        super().__init__()
        self.encode, self.lstm = encoder(), nn.LSTM(WIDTH, 4, bidirectional=True, batch_first=True)
        self.head = nn.Linear(8, CLASSES)

    def forward(self, x):
        o, _ = self.lstm(self.encode(x).unsqueeze(0))
        return self.head(o.mean(1)[0]), o


class Regression(nn.Module):
    """A count: what each instance adds, summed."""

    def __init__(self):
        super().__init__()
        self.each = nn.Sequential(nn.Linear(FEATURES, WIDTH), nn.GELU(), nn.Linear(WIDTH, 1), nn.Softplus())

    def forward(self, x):
        v = self.each(x)
        return v.sum(0), v


class Survival(nn.Module):
    """Hazards of four intervals of time after gated attention; the outputs are probabilities of an event in each."""

    def __init__(self):
        super().__init__()
        self.pool = GatedAttention()
        self.pool.head = nn.Linear(WIDTH, 4)

    def forward(self, x):
        logits, a = self.pool(x)
        return torch.sigmoid(logits), a


class TopMean(nn.Module):
    """The mean of the two highest instance scores of each class."""

    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(FEATURES, WIDTH), nn.ReLU(), nn.Linear(WIDTH, CLASSES))

    def forward(self, x):
        s = self.score(x)
        return torch.topk(s, 2, dim=0).values.mean(0), s


class LogSumExp(nn.Module):
    """Instance logits pooled smoothly."""

    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(FEATURES, WIDTH), nn.LeakyReLU(0.1), nn.Linear(WIDTH, CLASSES))

    def forward(self, x):
        s = self.score(x)
        return torch.logsumexp(3 * s, 0) / 3, s


class Pictures(nn.Module):
    """Convolutions over small pictures with BatchNormalization, then attention."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(2, 5, 3, padding=1), nn.BatchNorm2d(5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(5, 7, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.a, self.head = nn.Sequential(nn.Linear(7, 4), nn.Tanh(), nn.Linear(4, 1)), nn.Linear(7, CLASSES)

    def forward(self, x):
        h = self.features(x)
        a = F.softmax(self.a(h), 0)
        return self.head((a * h).sum(0)), a


ALL = {
    "gated_attention": GatedAttention, "multi_head_attention": lambda: GatedAttention(3), "clam": CLAM, "dsmil": DSMIL, "additive": Additive,
    "conjunctive": Conjunctive, "moments": Moments, "set_transformer": MIB, "transmil": TransMIL, "graph_affinity": Affinity,
    "graph_neighbours": Neighbours, "graph_sage": SAGE, "lstm": Ordered, "regression": Regression, "survival": Survival, "top_mean": TopMean,
    "logsumexp": LogSumExp, "pictures": Pictures,
}
