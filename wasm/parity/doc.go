// Package parity contains only a test of a guarantee: for every method, a seed gives the same
// coalitions natively and in the browser, and scores that differ by at most 1e-5.
//
// testdata/cases.json lists the requests. The test computes every case with the core and writes the
// results:
//
//	go test ./wasm/parity -update            testdata/expected.json, for the small network beside it
//	go test ./wasm/parity -networks=FILE     FILE, for the trained networks
//
// The tests of wasm/npm compare the results of the wasm program with both files, in Node and in a
// browser.
package parity
