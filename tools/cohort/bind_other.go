//go:build !linux

package cohort

import "errors"

// bindLoopback is only supported on Linux. Other systems cannot change the address of a listening
// socket.
func bindLoopback(int) error { return errors.New("only Linux supports this") }
