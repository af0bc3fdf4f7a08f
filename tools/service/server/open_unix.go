//go:build unix

package server

import "syscall"

// openWithoutWaiting makes opening a pipe return at once.
const openWithoutWaiting = syscall.O_NONBLOCK
