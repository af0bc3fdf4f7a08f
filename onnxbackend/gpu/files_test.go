//go:build gpu && !js

package gpu

import (
	"testing"

	"github.com/bagscope/bagscope/internal/testfile"
)

var triedWithPasses = []bool{false, true}

// nodeTests returns the archive of the official ONNX node tests.
func nodeTests(t testing.TB) []byte {
	t.Helper()
	return testfile.Fetched(t, testfile.NodeTests)
}
