// Package query prepares, runs and encodes explanations and predictions of one bag. The command
// line and the server share it, so that equal requests give equal bytes.
//
//	Settings ── Plan ──► methods ─┐
//	model, bag ──────── Input ────┴─ Explain ──► Explained ── JSON ──► Explanation
//	                      └───────── Predict ──► Prediction
package query

//go:generate go run ../../gen/options ..
