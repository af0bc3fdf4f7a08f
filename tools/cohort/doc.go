// Package cohort explains cohorts. It reads a manifest of models and bags, and writes an
// explanation of each bag and tables over all of them. It is an Apache Beam pipeline, which runs on
// one machine or on an existing engine.
//
//	manifest ── readFn
//	   │ batches of lines, one model each, reshuffled
//	explainFn ──► store: one file per finished bag, named by a hash of everything it depends on
//	   ├─► places ── group by file ── resultsFn ──► results.jsonl, in the order of the manifest
//	   ├─► failures ── group ── failuresFn ──► dead-letters.jsonl
//	   └─► aggregates ── combine per key ── group ── tablesFn ──► tables/*.csv, summary.json
//
// It explains each bag with onnxbackend/ask, as `bagscope explain --json` does, so that the
// result has the same bytes.
//
// Outputs do not depend on the number of workers or their order: files are sorted by line, and sums
// are exact until the mean is rounded once. The next run reuses the store of a killed run.
package cohort
