//go:build !linux

package cohort

import "errors"

// bindLoopback cannot be had elsewhere: a socket that listens keeps its addresses.
func bindLoopback(int) error { return errors.New("only Linux can") }
