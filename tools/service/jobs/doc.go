// Package jobs keeps cohorts of bags and what has been answered of them in a file, so that a server that is killed at any
// moment loses none that it has acknowledged, and answers no bag twice.
//
//	Add ──► spec, files, items ── Take, Begin ──► Work ── Put ──► results, in the order in which they came
//
// A job is a list of items, which whoever works understands and the store does not. Everything that belongs together is
// written in one transaction, and on disk before the call returns: a job with all its files before it has a name, a result
// together with the mark that its item is done. Claims are in memory alone: what was being worked at when a server ended is
// nobody's when the next one opens the store. That an item is begun is written, too, so that one which ends every server that
// works at it is given up after some.
//
// # Why bbolt
//
// go.etcd.io/bbolt is one file, one writer and transactions that a crash cannot tear, in pure Go and without dependencies
// beyond golang.org/x/sys. There is one kind of question, by key, so that a database with a language of its own, such as a
// translated SQLite of 8 MB, would buy nothing.
package jobs
