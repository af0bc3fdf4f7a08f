// Package core explains the prediction of a model for a bag: which instances mattered, and which
// class each instance supports or refutes.
//
//	model bytes ─ onnxbackend.Open ─► Model ┐
//	                                        ├ Bind ─► Evaluator ─ Explain ─► Report ┬► core/metric
//	bag bytes ─── core/bagio ───────► Bag ──┘  coalitions in,                       └► core/draw
//	                                           scores of all classes out
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
// # Where to begin
//
// A program opens a [Model], binds it to a [Bag], and explains the [Evaluator] by a [Request] of
// methods such as [methods.Consensus]. The [Report] has an [Explanation] for each method and class.
//
//	model, err := onnxbackend.Open(modelBytes, onnxbackend.Options{})
//	set, err := bagio.Read("bag.npy", bagBytes, bagio.Options{})
//	bag, err := set.Bag(0)
//	evaluator, err := model.Bind(ctx, bag)
//	request := core.Request{Methods: []core.Method{methods.Consensus{}}}
//	report, err := core.Explain(ctx, evaluator, request)
//
// Package methods has the methods, and package whatif the questions beyond an explanation. The
// examples show models and methods of your own, errors, limits and cancellation.
//
// If a model returns NaN or an infinity, the request fails with a [NonFiniteError], unless the
// method leaves out coalitions without an answer, as Consensus and surrogates do. A method or an
// evaluator that breaks its contract is a [MethodError] or an [EvaluatorError].
//
// # Compatibility
//
// Versions follow semantic versioning. Before 1.0, a minor version may change or remove exported
// names; CHANGELOG.md lists each such change under "Breaking changes". A patch version does not.
// Names of methods, options and kinds of errors, and the definitions and signs of scores change
// only with an entry there. Within one version, equal seeds give equal scores for any number of
// workers; another version, or another kind of processor, may differ by rounding. Structs may get
// fields, so name the fields in literals. New abilities of methods and evaluators are optional
// interfaces. Texts of errors and notes may change at any time: use the types.
//
// Tests run where int has 64 bits. Where it has 32, the packages are compiled and vetted only: read
// files of others on 64 bits.
package core
