//go:build !unix

package server

// openWithoutWaiting is not needed where folders contain no pipes.
const openWithoutWaiting = 0

// openFiles returns a number of files that is no bound of connections.
func openFiles() int { return 2 * maxConnections }
