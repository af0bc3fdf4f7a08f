// Package codec decodes compressed pictures that Go's libraries do not read: JPEG-LS (ITU-T T.87),
// lossless JPEG and JPEG of 12 bits (ITU-T T.81) in Go, and JPEG 2000 (ISO/IEC 15444-1, with the
// fast block coder of part 15) by OpenJPEG 2.5 as a WebAssembly module.
//
// The module imports nothing, so that a damaged or hostile stream can do no more than fail: it is
// decoded in the memory of an instance, whose size is bounded, and stops after a bounded number of
// steps. After a trap the instance is thrown away. The same bytes decode the same pixels on every
// machine.
//
// Programs for an operating system run the module by wazero. A program for browsers and Node is
// WebAssembly itself: JavaScript runs the module beside it, see [SetHost] of such programs.
package codec
