//go:build !gpu

package gpu

import "github.com/bagscope/bagscope/onnxbackend"

// built is false without the tag gpu.
const built = false

// open returns the error of a program without the tag gpu.
func open(Options) (onnxbackend.Device, error) {
	return nil, &UnavailableError{"this program is built without WebGPU; build it with -tags " +
		"gpu, which takes cgo, or use the CPU"}
}
