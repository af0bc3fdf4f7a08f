// Package ask is the layer between the core with its models and everything that uses them: it opens
// questions about one bag of a model, answers them, and says what kind of error happened. The
// command line, the server, cohorts and the engine of page, Node and Python translate flags,
// requests and messages into its questions and hold no rule of their own, so that equal questions
// have equal answers. Scripts depend on the JSON of answers. Nothing here needs an operating
// system.
//
// wasm/wire/gen makes the TypeScript types of answers. Comments of structs and fields become their
// documentation, and a tag ts holds a type that says more than the Go type.
//
//	Settings ── Plan ──► methods ─┐
//	model, bag ──────── Input ────┴─ Explain ──► Explained ── JSON ──► Explanation
//	                      ├───────── Predict ──► Prediction
//	                      ├───────── Judging.Answer ──► Judged
//	                      └───────── Ask.Sets, Ask.Pairs, Ask.Turn, ... ──► SetsAnswer, ...
package ask

//go:generate go run ../../tools/gen/options ../..
