"""Writes jax_ARCHITECTURE/jax2onnx-OPSET.onnx: python export_jax.py (jax 0.10, flax 0.12, jax2onnx 0.17). The outputs beside them are those of JAX."""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax2onnx import to_onnx

from files import HERE, write, write_bags

FEATURES, WIDTH, CLASSES = 6, 8, 3


class Attention(nnx.Module):
    """Gated attention over the instances, which are the first axis."""

    heads = 1

    def __init__(self, rngs):
        linear = lambda a, b: nnx.Linear(a, b, rngs=rngs)
        self.encode, self.v, self.u = linear(FEATURES, WIDTH), linear(WIDTH, 5), linear(WIDTH, 5)
        self.w, self.head = linear(5, self.heads), linear(WIDTH * self.heads, CLASSES)

    def weights(self, x, axis):
        h = jax.nn.relu(self.encode(x))
        return h, jax.nn.softmax(self.w(jnp.tanh(self.v(h)) * jax.nn.sigmoid(self.u(h))), axis=axis)

    def __call__(self, x):
        h, a = self.weights(x, 0)
        return self.head(jnp.sum(a * h, axis=0, keepdims=True))


class Einsum(Attention):
    """Two heads, pooled by einsum."""

    heads = 2

    def __call__(self, x):
        h, a = self.weights(x, 0)
        return self.head(jnp.einsum("kh,kd->hd", a, h).reshape(1, -1))


class Batched(Attention):
    """A batch of one bag."""

    def __call__(self, x):
        h, a = self.weights(x, 1)
        return self.head(jnp.einsum("bkh,bkd->bhd", a, h)[:, 0])


class Moments(nnx.Module):
    """Layer normalization, then the mean and the largest."""

    def __init__(self, rngs):
        self.encode, self.norm, self.head = nnx.Linear(FEATURES, WIDTH, rngs=rngs), nnx.LayerNorm(WIDTH, rngs=rngs), nnx.Linear(2 * WIDTH, CLASSES, rngs=rngs)

    def __call__(self, x):
        h = self.norm(jax.nn.gelu(self.encode(x)))
        return self.head(jnp.concatenate([h.mean(0, keepdims=True), h.max(0, keepdims=True)], axis=1))


class LogMeanExp(nnx.Module):
    """The smooth maximum of each class, less the logarithm of the number of instances."""

    def __init__(self, rngs):
        self.encode, self.head = nnx.Linear(FEATURES, WIDTH, rngs=rngs), nnx.Linear(WIDTH, CLASSES, rngs=rngs)

    def __call__(self, x):
        return jax.nn.logsumexp(self.head(jax.nn.silu(self.encode(x))), axis=0) - jnp.log(x.shape[0])


class Pictures(nnx.Module):
    """Pictures with channels last."""

    def __init__(self, rngs):
        conv = lambda a, b, s: nnx.Conv(a, b, (3, 3), strides=s, rngs=rngs)
        self.a, self.b, self.norm = conv(2, 3, 2), conv(3, 4, 2), nnx.BatchNorm(3, rngs=rngs, use_running_average=True)
        self.encode, self.w, self.head = nnx.Linear(36, WIDTH, rngs=rngs), nnx.Linear(WIDTH, 1, rngs=rngs), nnx.Linear(WIDTH, CLASSES, rngs=rngs)

    def __call__(self, x):
        h = jax.nn.relu(self.b(jax.nn.relu(self.norm(self.a(x)))))
        h = jax.nn.elu(self.encode(h.reshape(h.shape[0], -1)))
        return self.head((jax.nn.softmax(self.w(h), axis=0) * h).sum(0, keepdims=True))


ALL = {"attention": Attention, "einsum": Einsum, "batched": Batched, "moments": Moments, "log_mean_exp": LogMeanExp, "pictures": Pictures}

for seed, (name, make) in enumerate(ALL.items()):
    net = make(nnx.Rngs(seed))
    shape = (9, 9, 2) if name == "pictures" else (FEATURES,)
    spec = ("k", *shape)
    for opset in (18, 23):
        m = to_onnx(net, [("B", *spec) if name == "batched" else spec], opset=opset)
        m.graph.input[0].name, was = "bag", m.graph.input[0].name
        for n in m.graph.node:
            n.input[:] = ["bag" if x == was else x for x in n.input]
        write(HERE / f"jax_{name}", f"jax2onnx-{opset}", m)
    bags = {}
    for k in (4,) if name == "pictures" else (4, 7, 20):
        x = np.random.RandomState(1000 * seed + k).randn(k, *shape).astype(np.float32)
        bags[k] = x, np.asarray(net(jnp.asarray(x[None] if name == "batched" else x)))
    write_bags(HERE / f"jax_{name}", shape, bags)
