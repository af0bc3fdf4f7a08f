/*
Package onnxbackend runs multiple-instance-learning models stored as ONNX files. It is made for one
use: a bag of instances is bound once, and then thousands of coalitions of its instances are scored.

The way of the data through the folders:

	bytes ─ internal/decode ─► ModelProto as plain structs, sizes checked before they are believed
	      ─ internal/graph ──► numbered values, nodes with their operator's row, constants computed
	      ─ internal/passes ─► the same outputs by fewer nodes: constants, identities, fused layers
	      ─ internal/plan ───► the steps that a result needs, and when each value is dropped
	      ─ internal/machine ► memory of a run, its limits, its context
	      ─ internal/ops ────► one row per operator: versions, arity, instance axis, function
	      ─ kernel ──────────► the hand-tuned loops

# Opening

Open decodes the file, merges the model cards, finds the input that takes the bag, the axis of its
instances and the output with the class scores. A model whose output lengths are symbolic is
decided by the first bag, by comparing two sizes of it. What was assumed stands in ModelInfo.Notes. What the scores are, which
axis holds the instances and which bags are too small is found as README.md says, which lists the keys of a card too.

Tensors may lie in files beside the model, each at an offset. Options.External gets them: ExternalFS from a folder,
ExternalFiles from memory, or a function of the caller's. Names that lead out of the model's folder are refused, and every
length is compared with the tensor's shape before a byte is asked for. A *MissingError lists all files that are not there.

# Inputs beside the bag

Besides the bag a model may take a mask over the instances, of any type and shape, or their number: models that were trained on padded batches
do. What it takes is not read from names. Open runs the graph on random instances with padding behind them: a filling under which the padding
changes no score, while other instances do, is the right one, and a note names it. It becomes nodes in front of the graph that read
the bag's shape, so that each coalition has a mask of its own size and the axis analysis sees through it. An input that nobody reads may be anything,
and one with an initializer has its default.

Several inputs that hold numbers of each instance, such as features (k, 512) and coordinates (k, 2), become one: an instance of a bag
then has 514 values, those of the first input, then those of the second.

Where no filling passes, or several do with different scores, Open refuses with an *UnsupportedError. The key "inputs" of the model card
then says what each is given: a number, a list of numbers, "count" for the number of instances, or "instances" for values of each.

	{"inputs": {"mask": 1, "stage": [0, 0, 1], "n": "count", "areas": "instances"}}

# Passes

One ordered list of passes rewrites the graph: sizes that are the same for every bag become constants,
nodes that hand on their input go, biases, normalizations and activations move into the layer beside
them. A chain of convolutions, maximum pools and activations becomes one step, which computes several
pictures side by side in lanes when a bag has enough of them. Model.Passes tells what each did, and
Options.Plain leaves them out.

# The cut

In most of these models everything before the first operator that mixes instances treats each
instance alone. Bind runs the whole bag once. Meanwhile each node's row says what becomes of
the instance axis, so that every value is marked: constant, per instance along some axis, or of the
bag as a whole. Values of the first two kinds that a node of the third reads are the boundary. A
coalition gathers its instances from the boundary and runs only what comes after it. Where an
operator's behaviour is not certain, its result is of the bag: a wrong guess in that direction costs
time, one in the other would cost truth.

Rules are not trusted alone: Bind also scores three random coalitions the plain way, with the whole
graph on their instances, and drops the cut with a note when the scores differ. A row of a
matrix product does not depend on the other rows, so that both ways agree to the last bit but
for sums over instances of a different memory layout.

What the plain way proves of the cut is a claim about operators, axes and shapes, not about numbers. A model
therefore remembers it as proved for all bags whose values lie alike, whatever their size, once coalitions
whose scores differ from one another have agreed: to encode eight instances again would be a quarter of the work for a
bag of thirty. What depends on a bag's numbers is how the masked way pools them, and that is compared for every bag: with gathered runs of three
random coalitions, and with the run of the whole bag.

Where coalitions are not pooled all at once, Bind also scores a few instances in two orders. If that makes a difference, as in
recurrent networks and those with codes of positions, a note says so. Coalitions keep the order of the bag in any case.

Bound.Plan tells what is run once, what begins a coalition, what is run for coalitions, and why.

# Memory

A bag of more than 16 MB is encoded in blocks of 8 MB of its values: hidden layers exist for one block at a time, and of
all instances only what lies at the cut is kept. With k instances of d values, and e values of each at the cut, binding
takes at most

	4 k d      the bag itself
	12 k e     what lies at the cut: as it is, weighted, and laid out to be pooled; 8 k e stay
	8 h/d MB   one block, where an instance has h values in all layers before the cut together

and an explanation adds what core.Request.Needs tells: with n coalitions about 4 n k / 8 bytes of masks and 24 n² of the
system that is solved, for n up to k. Single instances, and the bag without each, are never masks. Model.Needs estimates
the first part before Bind, and core.Request.Fits compares the sum with Request.Memory.

Gated attention over k instances of 1024 features, 256 wide at the cut, MILLI with n = 1000, in one Worker of Chromium, on a
machine that was not at rest; a page without a bag takes 190 MB:

	k          read     encoded  explained beyond  peak of the page
	1,000      33 ms    106 ms   99 ms             250 MB
	10,000     118 ms   335 ms   205 ms            360 MB
	100,000    881 ms   2.3 s    1.2 s             1050 MB

# Numbers

Values are computed in the type that the graph gives them, with sums in double precision where
they run over many elements; only float64 instances are pooled as float32 where all coalitions are pooled at once; 16-bit floats are widened to float32, and numbers of 8 bits or fewer are held as they are, to be
quantised and scaled back. Operators are known from opset 7 to 27 and computed as the imported version defines them; those
of older opsets that did not change before 7 are too. Of the branches of If only the one that its condition chooses is run,
which may differ between a bag and a coalition of it; Loop and Scan take at most Limits.LoopTrips trips. Functions of the
file are inlined when it is opened, and so are operators of two other domains, which are short for some of the default one: linear models, scalers and
trees of ai.onnx.ml, which converters of scikit-learn write, and quantised layers of com.microsoft, which ONNX Runtime's quantiser writes. Values are
tensors: sequences, optional values and text are not run.

A bag with NaN or an infinity is refused with the instance and the feature, unless the model looks for such values itself, as one
that imputes what is missing: in between they may vanish, and scores would look like others.

The smallest use:

	model, err := onnxbackend.Open(file, onnxbackend.Options{})
	...
	report, err := core.Explain(ctx, evaluator, core.Request{Methods: methods})

where evaluator comes from model.Bind(ctx, bag).
*/
package onnxbackend
