// Package server answers over HTTP what the command line answers: the same questions, through package answer, with the
// same bytes.
//
//	request ─ guard ──► who may ask, an id, a line in the log, no panic
//	        ─ gate ───► a place in the queue, or 429
//	        ─ upload ─► parts of the body, none larger than the limits
//	        ─ answer ─► one JSON object, or progress as events and then that object
//
//	job ─ cohort ─► files and items on disk, 202
//	    ─ turn ───► one bag after another, making way for requests between evaluations
//	    ─ answer ─► a line of results for each, on disk before it is told
//
// It speaks three tongues, all in the table of routes:
//
//	/v1/...            explanations and predictions of bags in files; /v1/openapi.json describes them
//	/v1/jobs/...       cohorts of bags, kept by package jobs and worked at where requests leave turns over
//	/v2/...            predictions of tensors, by the Open Inference Protocol, version 2
//	/healthz, /readyz, /metrics
//
// # Trust
//
// Whoever asks is a stranger. What a request may take is bounded by Limits before it is allocated; an answer that a client
// no longer waits for is given up within 100 ms; a name of a model is looked up in a table and is never a path. The log and
// the metrics tell routes, statuses, sizes and times, and nothing of what was sent.
package server
