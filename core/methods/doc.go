// Package methods has the methods that explain: the nine of the paper, Consensus and Shapley, with
// their options and the settings of the paper's data sets.
//
// Each method is a struct with a usable zero value, such as [Consensus], which needs no settings. A
// program that takes methods by name, from flags or requests, looks them up in the table of [All]
// and makes them by [New] of [Options], which [AllOptions] declares for forms and help texts.
//
//	options, err := methods.Options{}.With([]core.Setting{{Name: "samples", Value: 400}})
//	list, err := methods.New([]string{"milli", "consensus"}, options)
//	report, err := core.Explain(ctx, evaluator, core.Request{Methods: list})
//
// [PresetPaper] and [PresetReference] follow the paper and its code, see METHODS section 1.
//
// # Special cases
//
//   - k = 1: there is no proper coalition. The score of the instance is F_c(X) in every method.
//   - 2^k - 2 <= n: all proper coalitions are listed instead of drawn, unless Repeats is set.
//   - If a sampler finds fewer different coalitions than requested, the surrogate uses those found,
//     and a note states the number.
//   - A surrogate of a constant model has scores 0 and R² = 1.
//   - Equal instances have equal expected scores. A seeded shuffle breaks ties in a ranking.
//
// The promise of compatibility is that of package core.
package methods
