//go:build js && !gpu

package onnxbackend

import (
	"testing"

	"github.com/bagscope/bagscope/core"
)

// sameWithDevice has nothing to compare in the small program for browsers, which knows no device.
func sameWithDevice(*testing.T, *Bound, []byte, *core.Bag) {}
