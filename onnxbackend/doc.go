/*
Package onnxbackend runs multiple-instance-learning models stored as ONNX files. A bag of instances
is bound once, and then thousands of coalitions of its instances are scored.

This folder is the public face: it opens models and binds bags. The work is done by packages with
one reason each:

	signature            what the inputs and outputs of a model mean
	internal/auxinput    inputs beside the bag: masks, counts, constants
	internal/prefix      encoding a bag: all that treats instances alone, once
	internal/suffix      the class scores of coalitions
	internal/workshare   helpers and goroutines that share the work on a bag
	internal/offload     the work that goes to a device

They run graphs with the packages that follow:

	bytes ─ internal/decode ─► ModelProto as plain structs; sizes are checked before allocation
	      ─ internal/graph ──► numbered values, nodes with their operator's row, constants
	      ─ internal/passes ─► fewer nodes with the same outputs: identities, fused layers
	      ─ internal/plan ───► the steps that a result needs, and when each value is freed
	      ─ internal/masked ─► pooling of all coalitions together
	      ─ internal/machine ► memory of a run, its limits, its context
	      ─ internal/ops ────► one row per operator: versions, arity, instance axis, batching
	      ─ internal/compute ► the functions that compute nodes
	      ─ kernel ──────────► the hand-tuned loops

# Opening

Open decodes the file and merges the model cards. It finds the input that takes the bag, the axis of
its instances, and the output with the class scores. If output lengths are symbolic, the first bag
decides: two sizes of it are compared. ModelInfo.Notes lists all assumptions. README.md describes
how the scale of the scores, the instance axis and the smallest bag are found, and lists the card's
keys.

Tensors may lie in files beside the model, each at an offset. Options.External reads them:
ExternalFS from a folder, ExternalFiles from memory, or a function of the caller. Names that lead
out of the model's folder are rejected. Every length is compared with the tensor's shape before it
is read. A *MissingError lists all missing files.

# Auxiliary inputs

Besides the bag, a model may take a mask over the instances, of any type and shape, or their number.
Models that were trained on padded batches do. The meaning is not read from names. Open runs the
graph on random instances, followed by padding. A filling is right if padding changes no score under
it while other instances do, and a note names it. It becomes nodes in front of the graph that read
the bag's shape. Each coalition therefore has a mask of its own size, and the axis analysis sees
through it, and through masks that the graph computes from the number of instances. Only a name
distinguishes the lengths of a batch from a mask. An input that nothing reads may have any value,
and an input with an initializer has its default.

Several inputs that hold values of each instance become one. With features (k, 512) and coordinates
(k, 2), an instance of a bag has 514 values, in the order of the inputs. ModelInfo.Places says which
of them are coordinates, so that bagio.Options.Places joins those of a file with its features.

If no filling passes, or several pass with different scores, Open returns an *UnsupportedError. The
card's key "inputs" then states the value of each input: a number, a list of numbers, "count" for
the number of instances, or "instances" for values of each instance.

	{"inputs": {"mask": 1, "stage": [0, 0, 1], "n": "count", "areas": "instances"}}

Options.Inputs states the same over all cards, and core.Bag.Covariates for one bag, such as the age
of a patient.

# Passes

An ordered list of passes rewrites the graph. Sizes that are the same for every bag become
constants. Identities are removed. Biases, normalizations and activations are fused into the layer
before them. A chain of convolutions, maximum pools and activations becomes one step, which computes
several pictures side by side in lanes if a bag has enough of them. Model.Passes reports what each
pass did, and Options.Plain turns all passes off.

# Prefix and suffix

In most of these models, everything before the first operator that mixes instances treats each
instance alone. This prefix runs once per bag. Each node's row states what happens to the instance
axis, so that every value is marked: constant, per instance along some axis, or of the whole bag.
Values of the first two kinds that a node of the third kind reads are boundary values. A coalition
gathers its instances from the boundary values and runs only the suffix. If the behaviour of an
operator is not certain, its result counts as of the whole bag: that costs time, and the opposite
mistake would give wrong scores.

Encoders such as vision transformers merge instances with heads or windows into one axis and part
them again. The analysis knows the factors of such an axis. If a model pools a merged axis, the
prefix ends before the merge. Sizes that are computed from the number of instances are followed as
its multiples, so that a class token that is expanded to the batch counts as per instance.

Bind verifies the rules. It also scores three random coalitions with the whole graph, and drops the
prefix, with a note, if the scores differ. A row of a matrix product does not depend on the other
rows, so that both ways agree to the last bit, except for sums over instances in another memory
layout.

This verification is a statement about operators, axes and shapes, not about numbers. The model
therefore remembers it for all bags whose values have the same layout, whatever their size, once
coalitions with different scores have agreed. Encoding eight instances again would cost a quarter of
the work for a bag of thirty. How masked pooling treats the numbers of a bag is verified for every
bag, with gathered runs of three random coalitions and with the run of the whole bag.

Graph networks and transformers give each member of a coalition values that depend on the other
members. Nodes that keep instances apart then run once for the members of many coalitions, other
nodes for each coalition. What does not depend on the coalition is computed once for the bag.

If coalitions are not pooled together, or have such values, Bind also scores a few instances in two
orders. If the scores differ, as in recurrent networks and with positional encodings, a note says
so. Coalitions always keep the order of the bag.

Bound.Plan describes what runs once, what each coalition runs, and why.

# Memory

A bag of more than 16 MB is encoded in blocks of 8 MB of its values. Hidden layers exist for one
block at a time, and boundary values exist for all instances. With k instances of d values,
and e boundary values of each instance, Bind takes at most

	4 k d      the bag itself
	12 k e     boundary values: as they are, weighted, and laid out for pooling; 8 k e remain
	8 h/d MB   one block, if an instance has h values in all layers of the prefix together

An explanation adds what core.Request.Needs returns: with n coalitions about 4 n k / 8 bytes of
masks and 24 n² bytes of the system that is solved, for n up to k. Model.Needs estimates the first
part before Bind, and core.Request.CheckMemory compares the sum with Request.Memory.

# Numbers

Values are computed in the type that the graph gives them. Sums over many elements use double
precision. If all coalitions are pooled together, float64 instances are pooled as float32. 16-bit
floats are widened to float32. Numbers of 8 bits or fewer keep their type, to be quantised and
scaled back.

Operators are known from opset 7 to 27 and computed as the imported version defines them; those of
older opsets that did not change before 7 are known too. If runs only the branch that its condition
chooses, which may differ between a bag and its coalitions. Loop and Scan take at most
Limits.LoopTrips trips. Functions of the file are inlined when it is opened. So are operators of two
other domains. Of ai.onnx.ml these are linear models, scalers, trees and support vector machines,
which converters of scikit-learn write; lists of dicts (ZipMap) are arrays, and labels of text are
left out. Of com.microsoft these are what ONNX Runtime's quantizer and optimizers write, up to the
level extended, and Optimum's levels O1 to O3: fused layers, activations and normalisations,
attention and quantised layers. They become the nodes that they were made of, so that an optimised
model is evaluated as it was before. Not read are layouts for one processor (com.microsoft.nchwc),
attention with a cache, packed inputs or rotated queries, and quantised recurrent layers.

Values are tensors. Sequences of tensors are followed if the graph states their length and every
index, as that of a Python list of tensors does; other sequences, optional values and text that
scores depend on are not supported.

A bag with NaN or an infinity is rejected, with the instance and the feature, unless the model tests
for such values itself. An operator such as Max can hide a NaN, and the scores would look right.

# Compatibility

Package core states the promise of this module. Here it also means: a file that a version opens is
opened by the later ones, unless CHANGELOG.md lists it under "Breaking changes", and keys of model
cards keep their meaning. Before 1.0, limits, notes and what Plan reports may change at any time.
So may the packages kernel, signature and onnxtest, which serve the programs of this module.
*/
package onnxbackend
