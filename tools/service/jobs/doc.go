// Package jobs stores cohorts of bags and their results in a file. A server that is killed at any
// moment loses no acknowledged job and computes no finished bag twice.
//
//	Add ──► spec, files, items ── Take, Begin ──► Work ── Put ──► results, in order of completion
//
// A job is a list of items. The store does not interpret items. Data that belongs together is
// written in one transaction, and is on disk before the call returns: a job with all its files, or
// a result with the mark that its item is done. Claims are only in memory, so the next server that
// opens the store can claim every unfinished item. The start of an item is also recorded, so that
// an item that repeatedly ends the server fails after several attempts. A job for whose results
// there is no room ends as Full.
//
// # Why bbolt
//
// go.etcd.io/bbolt is a single file with one writer and crash-safe transactions. It is pure Go and
// its only dependency is golang.org/x/sys. All look-ups are by key, so that an SQL database, such
// as SQLite translated to Go with 8 MB, has no advantage.
package jobs
