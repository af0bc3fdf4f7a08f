// Package parity contains only a test of a guarantee: for every method, a seed gives the same
// coalitions natively and in the browser, and scores that differ by at most 1e-5 of the largest
// score, or of 1 if that is larger. The engine computes in float32, which rounds a logit of 300 by
// 1.5e-5, and both add in other orders. A surrogate of fewer than two coalitions for each instance
// may amplify the rounding further: MILLI with 40 coalitions of 30 instances was off by 3.3e-5.
//
// testdata/cases.json lists the requests. The test computes every case with the core and writes the
// results:
//
//	go test ./wasm/parity -update          testdata/expected.json, for the small network beside it
//	go test ./wasm/parity -networks=FILE   FILE, for the trained networks
//
// The tests of wasm/npm compare the results of the wasm program with both files, in Node and in a
// browser.
package parity
