// Package metric evaluates explanations. It measures whether a ranking of instances agrees with
// labels, and whether it agrees with the model's predictions after instances are removed.
//
//	labels       ndcg, auprc                        (supporting, neutral, refuting, unlabelled)
//	model        aopc-r, srg, insertion, deletion,  (coalitions of one core.Game)
//	             millet-aopcr
//	surrogate    r2                                 (fit of an additive function to the samples)
//
// All rankings are from the highest score to the lowest. A seeded shuffle breaks ties. Ties are not
// broken by index, because constant scores would then be good or bad in files with the key
// instances last.
//
// BagMetrics computes the metrics of explanations of one bag, which share random orders and cached
// values. Evaluate evaluates all explanations of a bag and adds two rows for comparison: "random",
// a random ranking evaluated like a method, and "oracle", the ranking by true relevance. A Study
// pools the rows of many bags into means and standard errors.
//
// MeasureTrust measures, for one bag, whether the scores can be trusted: AOPC-R beside that of
// simple methods and of random orders, and the correlation of two seeds. It returns numbers and a
// sentence.
//
// The definitions follow Early, Evers and Ramchurn, Model Agnostic Interpretability for Multiple
// Instance Learning (ICLR 2022), unless stated otherwise. Removal curves are values of F in the
// game's output, probabilities by default.
package metric
