// Package parity holds no program, only a promise and its test: natively and in the browser a seed
// gives the same coalitions, and scores within 1e-5, for every method.
//
// testdata/cases.json says what is explained and how. The test here computes every case with the
// core, and writes what it finds:
//
//	go test ./wasm/parity -update            testdata/expected.json, for the small network beside it
//	go test ./wasm/parity -networks=FILE     FILE, for the trained networks
//
// and the tests of wasm/npm compare the answers of the wasm program with both, in Node and in a
// browser.
package parity
