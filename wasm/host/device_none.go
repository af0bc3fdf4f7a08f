//go:build !gpu

package host

import "github.com/bagscope/bagscope/onnxbackend"

// opened is nothing in programs that reach no graphics processor.
type opened struct{}

func (h *Host) addDevice(*onnxbackend.Options) error { return nil }

func unavailable(error) bool { return false }
