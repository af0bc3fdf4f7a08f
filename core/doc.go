// Package core says which instances of a bag mattered to a model, and which class each one supported or
// refuted.
//
//	model bytes ── onnxbackend.Open ──► Model ─┐
//	                                           ├─ Bind ──► Evaluator ── Explain ──► Report ─┬─► core/metric (is it faithful?)
//	bag bytes ──── core/bagio ────────► Bag ───┘   coalitions in,                           └─► core/draw   (pixels)
//	                                               scores of all classes out
//
// The science is Early, Evers and Ramchurn, "Model Agnostic Interpretability for Multiple Instance
// Learning" (ICLR 2022), called the paper. The package knows nothing of files, browsers and model formats:
// whatever implements [Evaluator] can be explained.
//
// # Words
//
//   - A bag is k instances, and a model gives it a score for each of C classes. Instances carry no order.
//   - A coalition is a subset of the instances, written z. An instance that is not in it is removed from the
//     bag, not zeroed: a multiple-instance model takes bags of any size.
//   - F_c(X) is the model's output for class c and the whole bag X: a probability, unless the request asks for
//     logits or the model gives none.
//   - An attribution phi has a number for each instance: above zero it supports the class, below it refutes it.
//   - A surrogate is an additive game phi_0 + sum phi_i z_i fitted to values of F_c on drawn coalitions; pi(z)
//     is the weight of coalition z, given by a kernel.
//   - One model evaluation scores one coalition for all classes. A [Game] keeps values, so that no
//     coalition is evaluated twice but for the neighbours of Consensus's contexts, which are evaluated together.
//
// # The smallest program
//
//	model, err := onnxbackend.Open(modelBytes, onnxbackend.Options{})
//	set, err := bagio.Read("bag.npy", bagBytes, bagio.Options{})
//	bag, err := set.Bag(0)
//	evaluator, err := model.Bind(ctx, bag)
//	report, err := core.Explain(ctx, evaluator, core.Request{Methods: []core.Method{core.Consensus{}}})
//
// # Where the paper's print and its code differ
//
// [PresetPaper] follows the print and [PresetReference] the published code, whose golden numbers it meets.
// The default takes from each what holds up:
//
//	                              default                 paper               reference
//	MILLI's curve ends at         rank k-1, with 1-alpha  rank k, cut short   rank k-1
//	MILLI ranks by                the negative class      the explained class the negative class
//	                              where there is one
//	weights before the solve      logarithms, scaled      as default          as they are
//	                              to sum to 1
//	ridge                         none, unless singular   as default          1e-10
//	unfinished size of a          drawn at random         as default          first in
//	guided sampler                                                            lexicographic order
//
// The unscaled weights of the reference drown in its ridge for large bags (1e-78 against 1e-10 at k = 264);
// lexicographic prefixes make the result hang on the order of the instances; and ranking by the negative
// class is the better of the two on 4-MNIST-Bags (NDCG@n .993 against .904 on an idealised model).
//
// # Edges
//
//   - k = 1: no proper coalition exists, and the instance is the bag: its score is F_c(X) in every method.
//   - 2^k - 2 <= n: all proper coalitions are listed instead of drawn, unless repeats are wanted.
//   - A curve that reaches fewer different coalitions than were asked for ends with those found, and a note.
//   - A constant model scores 0 everywhere in a surrogate, with R² = 1.
//   - A model that gives NaN or an infinity ends the request with a [NonFiniteError].
//   - Equal instances score alike up to the draw; ties in a ranking are broken by a seeded shuffle.
package core
