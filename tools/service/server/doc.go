// Package server serves explanations and predictions over HTTP. It returns the same bytes as the
// command line, because both use package ask.
//
//	request ─ guard ──► access, an id, a line in the log, recovery from panics
//	        ─ gate ───► a place in the queue, or status 429
//	        ─ upload ─► the parts of the body, within the limits
//	        ─ answer ─► one JSON object, or progress events and then that object
//
//	job ─ cohort ─► files and items on disk, status 202
//	    ─ turn ───► one bag after another; requests take priority between evaluations
//	    ─ answer ─► a line of results for each bag, on disk before a client can read it
//
// The table of routes has three interfaces:
//
//	/v1/...            explanations and predictions of bags in files, see /v1/openapi.json
//	/v1/jobs/...       cohorts of bags, stored by package jobs and computed between requests
//	/v2/...            predictions of tensors, by the Open Inference Protocol, version 2
//	/healthz, /readyz, /metrics
//
// # Trust
//
// No client is trusted. Limits bound memory before it is allocated. The server stops the work of a
// client that disconnects before the next evaluation. Model names are keys of a table, never paths.
// The log and the metrics contain routes, statuses, sizes and times, but nothing that a client
// sent.
package server
