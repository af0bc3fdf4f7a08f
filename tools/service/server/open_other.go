//go:build !unix

package server

// openWithoutWaiting is not needed where folders contain no pipes.
const openWithoutWaiting = 0
