"""Architectures as users of Keras write them, small, with random weights.

Each of ALL makes a model whose input is (bag, instance, feature...) or (instance, feature...).
"""

import keras
from keras import layers

FEATURES, WIDTH, CLASSES = 6, 8, 3


def encoder(x, width=WIDTH):
    return layers.Dense(width, activation="relu")(x)


def gated_attention():
    """Softmax over the instances of a batch of bags, and Dot."""
    x = keras.Input((None, FEATURES))
    h = encoder(x)
    g = layers.Multiply()([layers.Dense(5, activation="tanh")(h), layers.Dense(5, activation="sigmoid")(h)])
    a = layers.Softmax(axis=1)(layers.Dense(1)(g))
    return keras.Model(x, layers.Dense(CLASSES)(layers.Reshape((WIDTH,))(layers.Dot(axes=1)([a, h]))))


def attention_multiply():
    """Attention by Multiply and a sum over the instances, scores behind a softmax."""
    x = keras.Input((None, FEATURES))
    h = encoder(encoder(x))
    a = layers.Softmax(axis=1)(layers.Dense(1)(layers.Dense(4, activation="tanh")(h)))
    m = keras.ops.sum(a * h, axis=1)
    return keras.Model(x, layers.Dense(CLASSES, activation="softmax")(m))


def attention_permuted():
    """Attention with the softmax along the last axis, as after a Permute."""
    x = keras.Input((None, FEATURES))
    h = layers.BatchNormalization()(encoder(x))
    a = layers.Activation("softmax")(layers.Permute((2, 1))(layers.Dense(2)(layers.Dense(4, activation="tanh")(h))))
    m = keras.ops.matmul(a, h)
    return keras.Model(x, layers.Dense(CLASSES)(layers.Reshape((2 * WIDTH,))(m)))


def instances_as_batch():
    """The instances are the batch, as in ports of PyTorch code."""
    x = keras.Input((FEATURES,))
    h = encoder(x)
    a = keras.ops.softmax(keras.ops.transpose(layers.Dense(1)(layers.Dense(4, activation="tanh")(h))), axis=1)
    return keras.Model(x, layers.Dense(CLASSES)(keras.ops.matmul(a, h)))


def masked_attention():
    """Zero instances are padding: the scores of such are lowered before the softmax."""
    x = keras.Input((None, FEATURES))
    h = encoder(x)
    there = keras.ops.any(keras.ops.not_equal(x, 0.0), axis=-1, keepdims=True)
    s = layers.Dense(1)(layers.Dense(4, activation="tanh")(h))
    s = keras.ops.where(there, s, -1e9)
    a = keras.ops.softmax(s, axis=1)
    return keras.Model(x, layers.Dense(CLASSES)(keras.ops.sum(a * h, axis=1)))


def masked_mean():
    """The mean of the instances that are not zero."""
    x = keras.Input((None, FEATURES))
    h = encoder(x)
    there = keras.ops.cast(keras.ops.any(keras.ops.not_equal(x, 0.0), axis=-1, keepdims=True), "float32")
    m = keras.ops.sum(h * there, axis=1) / keras.ops.maximum(keras.ops.sum(there, axis=1), 1.0)
    return keras.Model(x, layers.Dense(CLASSES)(m))


def masking_layer():
    """Masking and a layer that takes the mask."""
    x = keras.Input((None, FEATURES))
    h = layers.Dense(WIDTH, activation="relu")(layers.Masking()(x))
    m = layers.GlobalAveragePooling1D()(h)
    return keras.Model(x, layers.Dense(CLASSES)(m))


def mean_pool():
    x = keras.Input((None, FEATURES))
    return keras.Model(x, layers.Dense(CLASSES)(layers.GlobalAveragePooling1D()(encoder(x))))


def mean_and_max():
    x = keras.Input((None, FEATURES))
    h = layers.LayerNormalization()(encoder(x))
    m = layers.Concatenate()([layers.GlobalAveragePooling1D()(h), layers.GlobalMaxPooling1D()(h)])
    return keras.Model(x, layers.Dense(CLASSES)(layers.Dropout(.5)(keras.ops.gelu(layers.Dense(WIDTH)(m), approximate=True))))


def instance_max():
    """mi-Net: each instance has a probability, and the bag the largest."""
    x = keras.Input((None, FEATURES))
    p = layers.Dense(1, activation="sigmoid")(encoder(x))
    return keras.Model(x, keras.ops.max(p, axis=1))


def noisy_or():
    x = keras.Input((None, FEATURES))
    p = layers.Dense(1, activation="sigmoid")(encoder(x))
    return keras.Model(x, 1.0 - keras.ops.prod(1.0 - p, axis=1))


def conv_pictures():
    """Pictures with channels last, the instances as the batch."""
    x = keras.Input((9, 9, 2))
    h = layers.Conv2D(3, 3, activation="relu", padding="same")(x)
    h = layers.MaxPooling2D()(h)
    h = layers.Conv2D(4, 3, strides=2, padding="same", use_bias=False)(h)
    h = layers.ReLU()(layers.BatchNormalization()(h))
    h = layers.Dense(WIDTH, activation="relu")(layers.Flatten()(h))
    a = keras.ops.softmax(layers.Dense(1)(layers.Dense(4, activation="tanh")(h)), axis=0)
    return keras.Model(x, layers.Dense(CLASSES)(keras.ops.sum(a * h, axis=0, keepdims=True)))


class Merge(layers.Layer):
    """Merges the instances with the batch of bags."""

    def call(self, x):
        return keras.ops.reshape(x, (-1, *x.shape[2:]))


class Part(layers.Layer):
    """Tells instances apart that were merged, by the bags that they came from."""

    def call(self, h, x):
        return keras.ops.reshape(h, (keras.ops.shape(x)[0], keras.ops.shape(x)[1], WIDTH))


def merged_pictures():
    """The instances of a batch of bags are merged with it before the layers for one picture."""
    x = keras.Input((None, 9, 9, 2))
    h = layers.AveragePooling2D(2)(layers.Conv2D(3, 3, activation="relu")(Merge()(x)))
    h = layers.GlobalAveragePooling2D()(layers.SeparableConv2D(4, 2)(h))
    h = Part()(layers.Dense(WIDTH, activation="elu")(h), x)
    a = layers.Softmax(axis=1)(layers.Dense(1)(layers.Dense(4, activation="tanh")(h)))
    return keras.Model(x, layers.Dense(CLASSES)(keras.ops.sum(a * h, axis=1)))


def query_attention():
    """A learned query asks all instances, in several heads."""
    x = keras.Input((None, FEATURES))
    h = encoder(x)

    class Query(layers.Layer):
        def build(self, shape):
            self.q = self.add_weight(shape=(1, 1, WIDTH), initializer="glorot_uniform")

        def call(self, h):
            return keras.ops.repeat(self.q, keras.ops.shape(h)[0], axis=0)

    m = layers.MultiHeadAttention(2, 4)(Query()(h), h)
    return keras.Model(x, layers.Dense(CLASSES)(layers.Reshape((WIDTH,))(m)))


def transformer():
    """Instances attend to each other, then their mean."""
    x = keras.Input((None, FEATURES))
    h = encoder(x)
    h = layers.LayerNormalization()(h + layers.MultiHeadAttention(2, 4)(h, h))
    return keras.Model(x, layers.Dense(CLASSES)(layers.GlobalAveragePooling1D()(h)))


def recurrent():
    """The instances in their order, both ways."""
    x = keras.Input((None, FEATURES))
    h = layers.Bidirectional(layers.LSTM(4, return_sequences=True))(x)
    return keras.Model(x, layers.Dense(CLASSES)(layers.GRU(4)(h)))


ALL = (gated_attention, attention_multiply, attention_permuted, instances_as_batch, masked_attention, masked_mean, masking_layer, mean_pool, mean_and_max,
       instance_max, noisy_or, conv_pictures, merged_pictures, query_attention, transformer, recurrent)
