// Package query is what a question about one bag is made of, and how its answer is written: the command line and the
// server ask through it, so that equal questions get equal bytes.
//
//	Settings ── Plan ──► methods ─┐
//	model, bag ──────── Input ────┴─ Explain ──► Explained ── JSON ──► Explanation
//	                      └───────── Predict ──► Prediction
package query
