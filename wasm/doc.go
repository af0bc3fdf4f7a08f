//go:build js && wasm

// Command wasm is bagscope for browsers and Node: a js/wasm program that lives in a Web Worker (or a
// worker thread, or the page's own thread) and answers messages.
//
//	wasm/npm   model.explain(...) ──► Promise ◄─────────────────────────────┐
//	              │ encode                                                  │ decode
//	worker     postMessage ──► alloc ──► receive                         post
//	              │                        │                                ▲
//	this program  bytes in Go's memory ──► host.Receive ──► core ──► wire.Append
//
// Bytes cross between JavaScript and Go in Go's own memory: JavaScript asks alloc, a plain wasm
// export, for room, copies a message in, and calls receive. Answers are copied out of Go's memory by
// the JavaScript function post. Everything else goes through safejs, so that an exception of
// JavaScript is an error here.
//
// There is one thread. A long computation calls Err of its context often, and every breathPause that
// call goes to sleep until the event loop has had a turn: messages come in, a cancellation among them,
// and a prediction is answered while an explanation runs.
//
// Several such programs, each in a Worker, can share an explanation: the one that explains gives tasks away, which
// the JavaScript side carries to the others as bytes that it does not look into. What a task gives depends on nothing
// but the task, and what no helper answers in time the first program does itself.
//
// A panic of a request becomes its failure. What cannot be recovered, such as memory that has run
// out, ends the program; the JavaScript side then rejects what is pending with words, and starts
// another with the same models and bags.
package main
