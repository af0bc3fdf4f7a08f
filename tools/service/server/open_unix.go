//go:build unix

package server

import "syscall"

// openWithoutWaiting makes opening a pipe return at once.
const openWithoutWaiting = syscall.O_NONBLOCK

// openFiles returns the number of files that the process can have open.
func openFiles() int {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 2 * maxConnections
	}
	return int(min(uint64(l.Cur), 1<<30))
}
