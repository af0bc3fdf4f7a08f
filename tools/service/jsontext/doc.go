// Package jsontext decodes JSON of untrusted senders strictly, with bounds of memory, and writes
// answers as JSON that is safe on a terminal.
package jsontext
