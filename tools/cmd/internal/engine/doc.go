// Package engine answers the messages of wasm/wire over a pair of streams, for programs that embed
// bagscope as a child process, such as the Python package. A message is preceded by its length,
// four bytes, little-endian.
//
//	stdin ── frames ──► host.Receive ──► core ──► post ──► frames ── stdout
//
// Large arrays do not pass the streams: the client names a file, for example in shared memory, and
// the engine maps it.
package engine
