//go:build !gpu

package gpu

import "github.com/bagscope/bagscope/onnxbackend"

const built = false

func open(Options) (onnxbackend.Device, error) {
	return nil, &UnavailableError{"this program is built without WebGPU; build it with -tags " +
		"gpu, which takes cgo, or use the CPU"}
}
