// Package cohort explains whole cohorts: a manifest of models and bags goes in, an explanation of each bag and tables over
// all of them come out. It is an Apache Beam pipeline, so that one machine runs it, or an engine that somebody already has.
//
//	manifest ── readFn ──► batches of lines, one model each
//	                          │ reshuffle
//	                       explainFn ──► store: one file per finished bag, named by a hash of all that it depends on
//	                          ├─► places ── group by file ── resultsFn ──► results.jsonl, in the order of the manifest
//	                          ├─► failures ── group ── failuresFn ──► dead-letters.jsonl
//	                          └─► aggregates ── combine per key ── group ── tablesFn ──► tables/*.csv, summary.json
//
// Each bag is asked about through tools/service/query, as `bagscope explain --json` does, and its answer has the same bytes.
//
// No output depends on how many workers there are or which of them is first: files are sorted by line, and sums are
// exact until their mean is rounded once. A run that is killed leaves its store; the next one takes from it what is there.
package cohort
