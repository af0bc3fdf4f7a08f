// Package simd holds the JavaScript that connects the kernels of onnxbackend/kernel, compiled to
// WebAssembly SIMD, to a Go program in a browser or in Node: simd.js (link, attach), selftest.js
// (the test of a module before its use) and modules.js (the modules, written by
// tools/gen/kernels/wasm). It has no Go code except tests, which run the tests of the kernels on
// both hosts.
//
// A Go program with the build tag bagscope_simd imports the functions of the module, and starts
// only if simd.js has linked them. Without the tag it runs on any host, in plain Go.
package simd
