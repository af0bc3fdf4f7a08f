// Package metric judges explanations: does a ranking of instances agree with labels, and does it
// agree with what the model itself does when instances are taken away?
//
//	labels       ndcg, auprc                        (supporting, neutral, refuting, unlabelled)
//	model        aopc-r, srg, insertion, deletion,  (coalitions of one core.Game)
//	             millet-aopcr
//	surrogate    r2                                 (how well an additive function fits the samples)
//
// All rankings go from the highest score to the lowest. Ties are broken by a seeded shuffle and never
// by index: a bag file whose key instances come last would otherwise reward or punish constant scores.
//
// A Judge judges explanations of one bag, which share random orders and every evaluation. Evaluate judges all of them and adds two rows to compare with: "random", a fresh
// random ranking judged like a method, and "oracle", the ranking by true relevance. A Study pools the
// rows of many bags into means and standard errors.
//
// MeasureTrust says in figures and in a sentence how far the scores of one bag can be trusted: AOPC-R
// beside that of simple methods and of random orders, and the correlation of two seeds.
//
// The definitions follow Early, Evers and Ramchurn, Model Agnostic Interpretability for Multiple
// Instance Learning (ICLR 2022), where not said otherwise. Curves of removal measure F on the game's
// output, probabilities by default.
package metric
