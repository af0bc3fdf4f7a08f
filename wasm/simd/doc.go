// Package simd holds the JavaScript that lends the fast loops of onnxbackend/kernel to a Go program in
// a browser or in Node: simd.js (link, attach), selftest.js (the exam a module sits before it is
// used) and modules.js (the modules, written by tools/gen/kernels/wasm). There is no Go code here: the
// tests, in Go, run the tests of the kernels on both hosts.
//
// A Go program that is built with the tag bagscope_simd imports the functions of the module and starts
// only where simd.js has linked them; without the tag it runs under any host, with plain Go.
package simd
