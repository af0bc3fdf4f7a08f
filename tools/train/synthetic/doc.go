// Package synthetic writes cohorts of simulated slides as laboratories keep theirs, so that a
// pipeline can be tried without a patient. Their truth is known.
package synthetic
