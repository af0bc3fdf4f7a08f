//go:build gpu && !js

package gpu

import "github.com/cogentcore/webgpu/wgpu"

// copyBuffer records a copy of n bytes to a place in another buffer.
func copyBuffer(e *wgpu.CommandEncoder, from, to *wgpu.Buffer, at, n int) error {
	return e.CopyBufferToBuffer(from, 0, to, uint64(at), uint64(n))
}
