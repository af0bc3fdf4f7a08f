// Package study measures how faithful attribution methods are on whole data sets, and lays the
// results out as the paper's tables.
//
//	dataset.Set, models ── Prepare ──► Plan ── Run ──► Report ── Markdown, CSV, LaTeX, each beside the paper's numbers
//	                                            │
//	                               Job.Judge, a bag at a time: explain by all methods, judge by all metrics
//
// A [Job] is one request over many bags under one model, and [Each] runs it on all processors;
// bagscope evaluate is no more than that. A [Store] keeps what each bag gave in a file, so that a
// study that was interrupted goes on where it stopped.
package study
