//go:build !gpu

package host

import "github.com/bagscope/bagscope/onnxbackend"

func (h *Host) device() (onnxbackend.Device, bool, error) { return nil, false, nil }

func unavailable(error) bool { return false }
