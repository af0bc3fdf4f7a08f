//go:build js && wasm

// Command wasm is bagscope for browsers and Node: a js/wasm program that lives in a Web Worker (or
// a worker thread, or the page's own thread) and answers messages.
//
//	wasm/npm   model.explain(...) ──► Promise ◄─────────────────────────────┐
//	              │ encode                                                  │ decode
//	worker     postMessage ──► alloc ──► receive                         post
//	              │                        │                                ▲
//	this program  bytes in Go's memory ──► host.Receive ──► core ──► wire.Append
//
// JavaScript and Go exchange messages in Go's memory. JavaScript calls alloc, a wasm export, to
// allocate memory, copies a message into it, and calls receive. The JavaScript function post copies
// answers out of Go's memory. All other calls use safejs, which returns exceptions of JavaScript as
// errors.
//
// There is one thread. A long computation calls Err of its context often. Every yieldInterval, that
// call sleeps until the event loop has run. Messages, such as cancellations, arrive then, and
// predictions are computed during an explanation.
//
// Several programs, each in a Worker, can share an explanation. The explaining program creates
// tasks, and JavaScript transfers them to the other programs as opaque bytes. The result of a task
// depends only on the task. If no helper replies in time, the first program computes the task.
//
// A panic in a request becomes its Failure. Fatal errors, such as out of memory, end the program.
// The JavaScript side then rejects all pending calls with a message, and starts a new program with
// the same models and bags.
package main
