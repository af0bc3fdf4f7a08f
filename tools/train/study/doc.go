// Package study measures how faithful attribution methods are on whole data sets, and lays the
// results out as the paper's tables.
//
//	dataset.Set, models ── Prepare ──► Plan ── Run ──► Report ── Markdown, CSV, LaTeX, each beside
//	                                            │                the paper's numbers
//	                      Job.Judge, a bag at a time: explain by all methods, judge by all metrics
//
// A [Job] explains and judges bags under one model, and [Each] runs it on all processors; bagscope
// evaluate does the same for a user's bags. A [Store] saves the result of each bag in a file, so
// that an interrupted study continues where it stopped.
package study
