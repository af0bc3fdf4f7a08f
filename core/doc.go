// Package core explains the prediction of a model for a bag: which instances mattered, and which
// class each instance supports or refutes.
//
//	model bytes ─ onnxbackend.Open ─► Model ─┐
//	                                         ├─ Bind ─► Evaluator ─ Explain ─► Report ─┬► core/metric
//	bag bytes ─── core/bagio ───────► Bag ───┘   coalitions in,                        └► core/draw
//	                                             scores of all classes out
//
// Most methods come from Early, Evers and Ramchurn, "Model Agnostic Interpretability for Multiple
// Instance Learning" (ICLR 2022), called the paper. The package is independent of files, browsers
// and model formats: it explains every model that implements [Evaluator].
//
// # Terms
//
//   - A bag is a set of k instances. A model computes a score of a bag for each of C classes.
//   - A coalition z is a subset of the instances. The other instances are removed from the bag, not
//     zeroed, because a multiple-instance model takes bags of any size.
//   - F_c(X) is the model's output for class c and the whole bag X: a probability, unless the
//     request is for logits or the model has no probabilities.
//   - An attribution phi has a number for each instance. A number above zero supports the class, a
//     number below zero refutes it.
//   - A surrogate is an additive game phi_0 + sum phi_i z_i, fitted to values of F_c on drawn
//     coalitions. A kernel defines the weight pi(z) of coalition z.
//   - One model evaluation scores one coalition for all classes. A [Game] caches values and
//     evaluates no coalition twice, except the neighbours of the contexts of Consensus and of
//     what-ifs, which one call evaluates for all instances, and coalitions that what-ifs enumerate.
//
// # The smallest program
//
//	model, err := onnxbackend.Open(modelBytes, onnxbackend.Options{})
//	set, err := bagio.Read("bag.npy", bagBytes, bagio.Options{})
//	bag, err := set.Bag(0)
//	evaluator, err := model.Bind(ctx, bag)
//	request := core.Request{Methods: []core.Method{core.Consensus{}}}
//	report, err := core.Explain(ctx, evaluator, request)
//
// # Differences between the paper and its code
//
// [PresetPaper] follows the paper's text. [PresetReference] follows the published code and
// reproduces its golden numbers. The default combines them:
//
//	                              default                 paper               reference
//	MILLI's curve ends at         rank k-1, with 1-alpha  rank k, cut short   rank k-1
//	MILLI ranks by                the negative class      the explained class the negative class
//	                              if there is one
//	weights before the solve      logarithms, scaled      as default          unscaled
//	                              to sum to 1
//	ridge                         none, unless singular   as default          1e-10
//	unfinished size of a          drawn at random         as default          first in
//	guided sampler                                                            lexicographic order
//
// For large bags, the reference's unscaled weights are negligible beside its ridge (1e-78 against
// 1e-10 at k = 264). With a lexicographic prefix, the result depends on the order of the instances.
// Ranking by the negative class is better on 4-MNIST-Bags (NDCG@n .993 against .904 on an idealised
// model).
//
// # Special cases
//
//   - k = 1: there is no proper coalition. The score of the instance is F_c(X) in every method.
//   - 2^k - 2 <= n: all proper coalitions are listed instead of drawn, unless Repeats is set.
//   - If a sampler finds fewer different coalitions than requested, the surrogate uses those found,
//     and a note states the number.
//   - A surrogate of a constant model has scores 0 and R² = 1.
//   - If a model returns NaN or an infinity, the request fails with a [NonFiniteError].
//   - Equal instances have equal expected scores. A seeded shuffle breaks ties in a ranking.
package core
