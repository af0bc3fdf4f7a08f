"""Writes cases.zip: nodes of ONNX Runtime's own operators with inputs and its results, in the layout of the official node tests.

python cases.py (onnxruntime 1.32, onnx 1.23)
"""

import io
import math
import pathlib
import zipfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).parent
FOLDER = "onnx/backend/test/data/node/"
OPSETS = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
onnxruntime.set_default_logger_severity(4)
r = np.random.default_rng(11)
models = {}


def f(*shape):
    return r.normal(size=shape).astype(np.float32)


def u8(*shape):
    return r.integers(0, 255, shape).astype(np.uint8)


def i8(*shape):
    """Numbers of 7 bits: on processors without VNNI, ONNX Runtime's sums of larger ones saturate."""
    return r.integers(-63, 64, shape).astype(np.int8)


def scale(*shape):
    return r.uniform(0.01, 0.03, shape).astype(np.float32)


def case(name, op, inputs, weights=(), outputs=1, kind=TensorProto.FLOAT, domain="com.microsoft", opsets=OPSETS, wanted=None, **attributes):
    """Adds a node. wanted are the results of an operator that ONNX Runtime computes on GPUs only. An input None is omitted, and an output that is false is unread; those whose places are in weights are initializers."""
    outputs = [True] * outputs if isinstance(outputs, int) else outputs
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    made = [f"y{i}" if read else "" for i, read in enumerate(outputs)]
    node = helper.make_node(op, names, made, domain=domain, **attributes)
    stored = [numpy_helper.from_array(inputs[i], names[i]) for i in weights]
    given = {n: x for i, (n, x) in enumerate(zip(names, inputs)) if x is not None and i not in weights}
    values = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape) for n, x in given.items()]
    kinds = kind if isinstance(kind, list) else [kind] * len(made)
    results = [helper.make_tensor_value_info(n, k, None) for n, k in zip(made, kinds) if n]
    model = helper.make_model(helper.make_graph([node], name, values, results, stored), opset_imports=opsets, ir_version=9)
    data = model.SerializeToString(deterministic=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    if wanted is None:
        wanted = onnxruntime.InferenceSession(data, options, ["CPUExecutionProvider"]).run(None, given)
    files = {"model.onnx": data}
    for what, tensors in (("input", given.values()), ("output", wanted)):
        for i, x in enumerate(tensors):
            files[f"test_data_set_0/{what}_{i}.pb"] = numpy_helper.from_array(np.asarray(x)).SerializeToString(deterministic=True)
    assert name not in models, name
    models[name] = files


# Layers with what follows them.
for activation, more in {
    "Relu": {}, "Sigmoid": {}, "Tanh": {}, "LeakyRelu": {"alpha": 0.2}, "Elu": {"alpha": 0.7}, "HardSigmoid": {"alpha": 0.3, "beta": 0.4},
    "Softplus": {}, "Softsign": {},
}.items():
    case(f"gemm_{activation}", "FusedGemm", [f(3, 4), f(5, 4), f(5)], (1, 2), transB=1, alpha=0.5, activation=activation,
         **{f"activation_{k}": v for k, v in more.items()})
case("gemm_without_bias", "FusedGemm", [f(4, 3), f(4, 5)], transA=1, activation="Relu")
for activation, more in {"Relu": [], "Sigmoid": [], "Tanh": [], "LeakyRelu": [0.2], "Clip": [-0.5, 0.5], "HardSigmoid": [0.3, 0.4]}.items():
    case(f"conv_{activation}", "FusedConv", [f(2, 3, 6, 6), f(4, 3, 3, 3), f(4)], (1, 2), activation=activation, pads=[1, 1, 1, 1],
         strides=[2, 2], **({"activation_params": [float(v) for v in more]} if more else {}))
case("conv_without_bias", "FusedConv", [f(2, 3, 6, 6), f(4, 3, 3, 3)], (1,), activation="Relu")
case("conv_with_sum", "FusedConv", [f(2, 3, 6, 6), f(4, 3, 3, 3), f(4), f(2, 4, 4, 4)], (1, 2), activation="Relu")
case("conv_with_sum_only", "FusedConv", [f(2, 3, 6, 6), f(4, 3, 3, 3), f(4), f(2, 4, 4, 4)], (1, 2))

case("matmul_scaled", "FusedMatMul", [f(2, 3, 4), f(2, 4, 5)], alpha=0.25)
case("matmul_first_turned", "FusedMatMul", [f(2, 4, 3), f(2, 4, 5)], transA=1)
case("matmul_second_turned", "FusedMatMul", [f(3, 4), f(5, 4)], (1,), transB=1, alpha=-1.5)
case("matmul_both_turned", "FusedMatMul", [f(2, 3, 4, 3), f(2, 3, 5, 4)], transA=1, transB=1, alpha=0.5)
case("matmul_of_heads", "FusedMatMul", [f(4, 2, 3, 5), f(6, 2, 3, 5)], transBatchA=1, transBatchB=1, transB=1)
case("matmul_of_heads_turned", "FusedMatMul", [f(5, 2, 3, 4), f(2, 3, 5, 6)], transBatchA=1, transA=1)
case("matmul_bnormala_vector", "FusedMatMul", [f(2, 3, 4), f(4)], alpha=2.0)
case("matmul_of_different_rank", "FusedMatMul", [f(2, 4, 3), f(5, 4)], transA=1, transB=1)
case("transpose_matmul", "TransposeMatMul", [f(2, 4, 3), f(2, 5, 4)], transA=1, transB=1)

# Activations.
case("gelu", "Gelu", [3 * f(3, 7)])
case("bias_gelu", "BiasGelu", [f(2, 3, 7), f(7)], (1,))
case("fast_gelu", "FastGelu", [3 * f(3, 7)])
case("fast_gelu_with_bias", "FastGelu", [f(2, 3, 7), f(7)], (1,))
case("quick_gelu", "QuickGelu", [f(3, 7)])
case("quick_gelu_alpha", "QuickGelu", [f(3, 7)], alpha=1.0)

# Normalisations.
N = [f(2, 3, 8), f(2, 3, 8), f(8), f(8), f(8)]
case("skip", "SkipLayerNormalization", N[:4], (2, 3))
case("skip_bias", "SkipLayerNormalization", N, (2, 3, 4), epsilon=1e-5)
case("skip_sum", "SkipLayerNormalization", N, (2, 3, 4), [True, False, False, True], epsilon=1e-3)
case("skip_without_beta", "SkipLayerNormalization", N[:3], (2,), epsilon=1e-5)
case("skip_bias_without_beta", "SkipLayerNormalization", [*N[:3], None, N[4]], (2, 4), epsilon=1e-5)
case("skip_of_places", "SkipLayerNormalization", [f(2, 3, 8), f(3, 8), f(8), f(8)], (1, 2, 3), epsilon=1e-5)
case("skip_of_one", "SkipLayerNormalization", [f(2, 3, 8), f(1, 3, 8), f(8), f(8)], (1, 2, 3), epsilon=1e-5)
case("skip_of_constants", "SkipLayerNormalization", [np.full((2, 8), 1e-4, np.float32) + 1e-5 * f(2, 8), f(2, 8) * 0, f(8), f(8)], (2, 3))
case("skip_simplified", "SkipSimplifiedLayerNormalization", N[:3], (2,))
case("skip_simplified_bias", "SkipSimplifiedLayerNormalization", [*N[:3], N[4]], (2, 3), [True, False, False, True], epsilon=1e-4)
before = [helper.make_opsetid("", 13), OPSETS[1]]
case("layer", "LayerNormalization", [f(2, 3, 8), f(8), f(8)], (1, 2), domain="", opsets=before)
case("layer_parts", "LayerNormalization", [f(2, 3, 8), f(8), f(8)], (1, 2), 3, domain="", opsets=before, axis=-1, epsilon=1e-3)
case("layer_of_all", "LayerNormalization", [f(2, 3, 4), f(3, 4)], (1,), domain="", opsets=before, axis=1)
case("simplified", "SimplifiedLayerNormalization", [f(2, 3, 8), f(8)], (1,), domain="")
case("simplified_of_all", "SimplifiedLayerNormalization", [f(2, 3, 4), f(3, 4)], (1,), domain="", opsets=before, axis=1, epsilon=1e-2)

# Attention layers: B bags of S places, H heads, widths D and V.
B, S, T, H, D, V = 2, 5, 7, 2, 8, 12
ones = np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], np.int32)
x, w, b = f(B, S, 6), f(6, 3 * D), f(3 * D)
A = [x, w, b]
case("attention", "Attention", A, (1, 2), num_heads=H)
case("attention_without_bias", "Attention", [x, w], (1,), num_heads=H)
case("attention_scaled", "Attention", A, (1, 2), num_heads=H, scale=0.3)
case("attention_of_widths", "Attention", [x, f(6, 2 * D + V), f(2 * D + V)], (1, 2), num_heads=H, qkv_hidden_sizes=[D, D, V])
case("attention_mask", "Attention", [*A, ones], (1, 2), num_heads=H)
case("attention_mask_value", "Attention", [*A, ones], (1, 2), num_heads=H, mask_filter_value=-1.0)
case("attention_lengths", "Attention", [*A, ones.sum(1, dtype=np.int32)], (1, 2), num_heads=H)
case("attention_mask_of_pairs", "Attention", [*A, r.integers(0, 2, (B, S, S), dtype=np.int32)], (1, 2), num_heads=H)
case("attention_one_way", "Attention", A, (1, 2), num_heads=H, unidirectional=1)
case("attention_one_wanormalmask", "Attention", [*A, ones], (1, 2), num_heads=H, unidirectional=1)
case("attention_scores", "Attention", [*A, None, None, f(B, H, S, S)], (1, 2), num_heads=H)
case("attention_scores_of_all", "Attention", [*A, None, None, f(1, H, S, S)], (1, 2, 5), num_heads=H)
case("attention_scores_mask", "Attention", [*A, ones, None, f(B, H, S, S)], (1, 2), num_heads=H)
case("attention_given_weights", "Attention", A, num_heads=H)

q, k, v, bias = f(B, S, D), f(B, T, D), f(B, T, V), f(2 * D + V)
more = np.array([[1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1, 0]], np.int32)
case("heads", "MultiHeadAttention", [q, k, v], num_heads=H)
case("heads_bias", "MultiHeadAttention", [q, k, v, bias], (3,), num_heads=H)
case("heads_given_bias", "MultiHeadAttention", [q, k, v, bias], num_heads=H, scale=0.2)
case("heads_mask", "MultiHeadAttention", [q, k, v, bias, more], (3,), num_heads=H)
case("heads_mask_value", "MultiHeadAttention", [q, k, v, None, more], num_heads=H, mask_filter_value=-2.0)
case("heads_lengths", "MultiHeadAttention", [q, k, v, None, more.sum(1, dtype=np.int32)], num_heads=H)
case("heads_mask_of_pairs", "MultiHeadAttention", [q, k, v, None, r.integers(0, 2, (B, S, T), dtype=np.int32)], num_heads=H)
case("heads_scores", "MultiHeadAttention", [q, k, v, None, None, f(1, 1, S, T)], num_heads=H)
case("heads_scores_mask", "MultiHeadAttention", [q, k, v, bias, more, f(B, H, S, T)], (3,), num_heads=H)
case("heads_one_way", "MultiHeadAttention", [q, f(B, S, D), f(B, S, V)], num_heads=H, unidirectional=1)
case("heads_of_places", "MultiHeadAttention", [q, f(B, H, T, 4), f(B, H, T, 4)], num_heads=H)


# Operators of GPUs, as ONNX Runtime's ContribOperators.md defines them.
def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def groups(x, gamma, beta, count, epsilon):
    """x is (batch, height, width, channels)."""
    parts = x.reshape(len(x), -1, count, x.shape[-1] // count)
    parts = (parts - parts.mean((1, 3), keepdims=True)) / np.sqrt(parts.var((1, 3), keepdims=True) + epsilon)
    return parts.reshape(x.shape) * gamma + beta


x, b = f(2, 3, 8), f(8)
left, right = np.split(x + b, 2, -1)
case("split_gelu", "BiasSplitGelu", [x, b], (1,), wanted=[(left * gelu(right)).astype(np.float32)])
skip = f(2, 3, 8)
case("bias_add", "BiasAdd", [x, b, skip], (1,), wanted=[x + b + skip])
x, b, w = f(2, 3, 5, 8), f(8), f(8)
normal = groups(x, w, b, 4, 1e-5)
case("groups", "GroupNorm", [x, w, b], (1, 2), groups=4, activation=0, wanted=[normal.astype(np.float32)])
normal = groups(x, w, b, 2, 1e-2)
case("groups_swish", "GroupNorm", [x.transpose(0, 3, 1, 2).copy(), w, b], (1, 2), groups=2, activation=1, channels_last=0, epsilon=1e-2,
     wanted=[(normal / (1 + np.exp(-normal))).transpose(0, 3, 1, 2).astype(np.float32)])

# Quantised operators.
z, y = np.uint8(120), np.uint8(100)
one, two, three = scale(), scale(), scale()
U = TensorProto.UINT8
case("q_add", "QLinearAdd", [u8(3, 4), one, z, u8(4), two, y, np.float32(0.05), z], (1, 2, 4, 5, 6, 7), kind=U)
case("q_add_signed", "QLinearAdd", [i8(3, 4), one, np.int8(3), i8(3, 4), two, np.int8(0), np.float32(0.05), np.int8(-4)], (1, 2, 4, 5, 6, 7), kind=TensorProto.INT8)
case("q_mul", "QLinearMul", [u8(3, 4), one, z, u8(3, 1), two, y, np.float32(0.05), z], (1, 2, 4, 5, 6, 7), kind=U)
case("q_sigmoid", "QLinearSigmoid", [u8(3, 4), one, z, np.float32(1 / 256), np.uint8(0)], (1, 2, 3, 4), kind=U)
case("q_leaky", "QLinearLeakyRelu", [u8(3, 4), one, z, two, y], (1, 2, 3, 4), kind=U, alpha=0.2)
case("q_softmax", "QLinearSoftmax", [u8(3, 4), np.float32(0.1), z, np.float32(1 / 256), np.uint8(0)], (1, 2, 3, 4), kind=U, axis=-1, opset=13)
case("q_softmax_before", "QLinearSoftmax", [u8(2, 3, 4), np.float32(0.1), z, np.float32(1 / 256), np.uint8(0)], (1, 2, 3, 4), kind=U, axis=1, opset=11)
case("q_average", "QLinearAveragePool", [u8(1, 2, 5, 5), one, z, one, z], (1, 2, 3, 4), kind=U, kernel_shape=[3, 3], strides=[2, 2])
case("q_average_last", "QLinearAveragePool", [u8(1, 5, 5, 2), one, z, one, z], (1, 2, 3, 4), kind=U, kernel_shape=[3, 3], channels_last=1)
case("q_global", "QLinearGlobalAveragePool", [u8(2, 3, 4, 4), one, z, one, z], (1, 2, 3, 4), kind=U)
case("q_global_last", "QLinearGlobalAveragePool", [u8(2, 4, 5, 3), one, z, one, z], (1, 2, 3, 4), kind=U, channels_last=1)
case("q_concat", "QLinearConcat", [np.float32(0.05), z, u8(2, 3), one, y, u8(2, 2), two, z], (0, 1, 3, 4, 6, 7), kind=U, axis=1)
case("q_where", "QLinearWhere", [r.integers(0, 2, (3, 4)).astype(bool), u8(3, 4), one, z, u8(4), two, y, np.float32(0.05), z], (2, 3, 5, 6, 7, 8), kind=U)
case("q_gemm", "QGemm", [u8(3, 4), one, z, i8(5, 4), scale(5), np.zeros(5, np.int8), r.integers(-99, 99, 5).astype(np.int32), np.float32(0.1), z],
     (1, 2, 3, 4, 5, 6, 7, 8), kind=U, transB=1, alpha=0.5)
case("q_gemm_real", "QGemm", [u8(3, 4), one, z, i8(4, 5), two, np.int8(2)], (1, 2, 3, 4, 5), transB=0)
case("q_conv_last", "QLinearConv", [u8(1, 5, 5, 2), one, z, i8(3, 2, 3, 3), two, np.int8(0), np.float32(0.2), z, r.integers(-99, 99, 3).astype(np.int32)],
     (1, 2, 3, 4, 5, 6, 7, 8), kind=U, channels_last=1, pads=[1, 1, 1, 1])
case("q_max_last", "NhwcMaxPool", [u8(1, 6, 6, 2)], kind=U, kernel_shape=[2, 2], strides=[2, 2])
case("q_linear", "QuantizeLinear", [f(3, 4), np.float32(0.05), np.uint8(9)], (1, 2), kind=U)
case("q_linear_words", "QuantizeLinear", [f(3, 4), np.float32(0.001), np.uint16(999)], (1, 2), kind=TensorProto.UINT16)
case("q_linear_back", "DequantizeLinear", [i8(3, 4), scale(4), np.zeros(4, np.int8)], (1, 2), axis=1)
case("dynamic", "DynamicQuantizeMatMul", [f(3, 8), i8(8, 5), two, np.int8(1)], (1, 2, 3))
case("dynamic_columns", "DynamicQuantizeMatMul", [f(2, 3, 8), i8(8, 5), scale(5), np.arange(5, dtype=np.int8), f(5)], (1, 2, 3, 4))
case("dynamic_without_zero", "DynamicQuantizeMatMul", [f(3, 8), i8(8, 5), two, None, f(5)], (1, 2, 4))
case("integer_to_float", "MatMulIntegerToFloat", [u8(3, 8), i8(8, 5), one, scale(5), z, np.arange(5, dtype=np.int8), f(5)], (1, 2, 3, 4, 5, 6))
case("integer_to_float_plain", "MatMulIntegerToFloat", [u8(3, 8), i8(8, 5), one, two], (1, 2, 3))
Q = [u8(B, S, 8), i8(8, 3 * D), 0.2 * f(3 * D), one, two]
case("q_attention", "QAttention", [*Q, None, z, np.int8(3)], (1, 2, 3, 4, 6, 7), num_heads=H)
case("q_attention_mask", "QAttention", [Q[0], Q[1], Q[2], one, scale(3 * D), ones, z, np.arange(3 * D, dtype=np.int8)], (1, 2, 3, 4, 6, 7), num_heads=H)
case("q_attention_one_way", "QAttention", [*Q, None, z], (1, 2, 3, 4, 6), num_heads=H, unidirectional=1)
# Rows of K = 20 numbers in blocks of 16, the last of which is not whole.
for bits, zeros in ((4, (5, 1)), (8, (5, 2)), (2, (5, 1))):
    rows = [f(3, 20), u8(5, 2, 16 * bits // 8), scale(10)]
    case(f"bits_{bits}", "MatMulNBits", rows, (1, 2), K=20, N=5, bits=bits, block_size=16)
    case(f"bits_{bits}_zeros_bias", "MatMulNBits", [*rows, u8(*zeros).reshape(-1), None, f(5)], (1, 2, 3, 5), K=20, N=5, bits=bits, block_size=16)
case("bits_real_zeros", "MatMulNBits", [f(3, 20), u8(5, 2, 8), scale(5, 2), 8 * f(10)], (1, 2, 3), K=20, N=5, bits=4, block_size=16)


# Turned and packed attention layers. ONNX Runtime unpacks queries, keys and values on GPUs only.
def alone(op, inputs, **attributes):
    """The results of a node of com.microsoft or of the default domain."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    node = helper.make_node(op, names, ["y"], domain="" if op == "Conv" else "com.microsoft", **attributes)
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, x.shape) for n, x in zip(names, inputs) if x is not None]
    model = helper.make_model(helper.make_graph([node], op, values, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]),
                              opset_imports=OPSETS, ir_version=9)
    session = onnxruntime.InferenceSession(model.SerializeToString(), None, ["CPUExecutionProvider"])
    return session.run(None, {n: x for n, x in zip(names, inputs) if x is not None})


heads, others, bias = f(B, S, H, 3, 4), f(B, T, H, 2, 4), f(3 * D)
parts = [heads[:, :, :, i].reshape(B, S, D) for i in range(3)]
case("heads_packed", "MultiHeadAttention", [heads], num_heads=H, wanted=alone("MultiHeadAttention", parts, num_heads=H))
case("heads_packed_bias", "MultiHeadAttention", [heads, None, None, bias], (3,), num_heads=H,
     wanted=alone("MultiHeadAttention", [*parts, bias], num_heads=H))
case("heads_packed_keys", "MultiHeadAttention", [parts[0], others], num_heads=H,
     wanted=alone("MultiHeadAttention", [parts[0], *(others[:, :, :, i].reshape(B, T, D) for i in range(2))], num_heads=H))
cos, sin = np.cos(f(20, 4)), np.sin(f(20, 4))
places = r.integers(0, 20, (B, S))
case("rotary", "RotaryEmbedding", [f(B, S, H * 8), np.array([3]), cos, sin], (1, 2, 3))
case("rotary_places", "RotaryEmbedding", [f(B, S, H * 8), places, cos, sin], (2, 3), interleaved=1)
case("rotary_heads", "RotaryEmbedding", [f(B, H, S, 8), np.array([0]), cos, sin], (1, 2, 3))
case("rotary_part", "RotaryEmbedding", [f(B, S, H * 12), places, cos, sin], (2, 3), num_heads=H, rotary_embedding_dim=8)
case("rotary_part_heads", "RotaryEmbedding", [f(B, H, S, 12), places, cos, sin], (2, 3), num_heads=H, rotary_embedding_dim=8)
ids = r.integers(0, 9, (B, S), dtype=np.int32)
E = [ids, ids % 2, f(9, 6), f(8, 6), f(2, 6), f(6), f(6)]
case("embedding", "EmbedLayerNormalization", E, (2, 3, 4, 5, 6), 2, kind=[TensorProto.FLOAT, TensorProto.INT32])
case("embedding_without_segments", "EmbedLayerNormalization", [ids, None, *E[2:4], None, *E[5:]], (2, 3, 5, 6), [True, False], epsilon=1e-3)
case("embedding_places", "EmbedLayerNormalization", [*E, None, (ids % 8)[:, ::-1].copy()], (2, 3, 4, 5, 6), [True, False])
case("embedding_mask", "EmbedLayerNormalization", [*E, ones], (2, 3, 4, 5, 6), 2, kind=[TensorProto.FLOAT, TensorProto.INT32])
x, w, b = f(2, 3, 6, 6), f(4, 3, 3, 3), f(4)
case("conv_last", "NhwcConv", [x.transpose(0, 2, 3, 1).copy(), w.transpose(0, 2, 3, 1).copy(), b], (1, 2), pads=[1, 1, 1, 1], strides=[2, 2],
     wanted=[alone("Conv", [x, w, b], pads=[1, 1, 1, 1], strides=[2, 2])[0].transpose(0, 2, 3, 1).copy()])

# Numbers for labels, and trees in lists of inner nodes and leaves.
ML = [OPSETS[0], helper.make_opsetid("ai.onnx.ml", 5)]
I, X = np.arange(-2, 6).reshape(2, 4), np.array([[0.5, 1.5, -2], [7, 0, 1.5]], np.float32)
label = dict(op="LabelEncoder", domain="ai.onnx.ml", opsets=ML)
case("labels", inputs=[I], kind=TensorProto.INT64, keys_int64s=[3, 0, -1], values_int64s=[7, 8, 9], **label)
case("labels_default", inputs=[I], kind=TensorProto.FLOAT, keys_int64s=[3, 0, -1], values_floats=[.5, 1.5, -1], default_float=2.5, **label)
case("labels_of_numbers", inputs=[X], kind=TensorProto.INT64, keys_floats=[0.5, 1.5, 9], values_int64s=[1, 2, 3], default_int64=5, **label)
case("labels_of_tensors", inputs=[X], kind=TensorProto.FLOAT, keys_tensor=numpy_helper.from_array(np.array([0.5, 7], np.float32)),
     values_tensor=numpy_helper.from_array(np.array([3, 4], np.float32)), default_tensor=numpy_helper.from_array(np.array([9], np.float32)), **label)


def ensemble(name, trees, nodes, features, targets, transform, aggregate=1, modes=6, missing=False):
    """A TreeEnsemble of random trees, each of so many inner nodes; a child that is no inner node is a leaf."""
    lists = {k: [] for k in ("featureids", "truenodeids", "falsenodeids", "trueleafs", "falseleafs", "missing_value_tracks_true")}
    splits, kinds, roots, weights = [], [], [], []
    for tree in range(trees):
        roots.append(len(splits))
        first, made = len(splits), 1
        for i in range(nodes):
            for side in "true", "false":
                inner = made < nodes and (r.random() < .6 or (side == "false" and made == i + 1))
                lists[f"{side}nodeids"].append(first + made if inner else len(weights))
                lists[f"{side}leafs"].append(0 if inner else 1)
                if inner:
                    made += 1
                else:
                    weights.append(r.normal())
            lists["featureids"].append(int(r.integers(features)))
            lists["missing_value_tracks_true"].append(int(r.integers(2)) if missing else 0)
            splits.append(round(r.normal(), 1))
            kinds.append(int(r.integers(modes)))
    x = np.round(f(9, features), 1)
    if missing:
        x[::2, 0] = np.nan
    tensors = {"nodes_splits": np.array(splits, np.float32), "nodes_modes": np.array(kinds, np.uint8), "leaf_weights": np.array(weights, np.float32)}
    case(name, "TreeEnsemble", [x], domain="ai.onnx.ml", opsets=ML, tree_roots=roots, n_targets=targets, post_transform=transform,
         leaf_targetids=r.integers(0, targets, len(weights)).tolist(), aggregate_function=aggregate,
         **{f"nodes_{k}": v for k, v in lists.items() if missing or k[0] != "m"}, **{k: numpy_helper.from_array(v, k) for k, v in tensors.items()})


ensemble("ensemble", 4, 7, 3, 1, 0, modes=1)
ensemble("ensemble_modes", 5, 9, 4, 3, 0)
ensemble("ensemble_average", 3, 5, 4, 2, 0, aggregate=0, modes=4)
ensemble("ensemble_missing", 3, 6, 2, 2, 0, missing=True)
ensemble("ensemble_stump", 1, 1, 2, 1, 0, modes=1)

whole = io.BytesIO()
with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, files in models.items():
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(f"{FOLDER}{name}/{path}", (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
(HERE / "cases.zip").write_bytes(whole.getvalue())
print(len(models), "cases", len(whole.getvalue()), "bytes")
