//go:build !gpu

package host

import "github.com/bagscope/bagscope/onnxbackend"

// opened is nothing in programs that reach no graphics processor.
type opened struct{}

func (h *Host) device() (onnxbackend.Device, bool, error) { return nil, false, nil }

func unavailable(error) bool { return false }
