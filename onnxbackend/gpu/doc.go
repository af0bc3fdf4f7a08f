/*
Package gpu computes the heavy part of a model on a graphics processor, through WebGPU. The same Go
code uses navigator.gpu in a browser and wgpu-native on a server.

	device, err := gpu.Open(gpu.Options{})
	...
	model, err := onnxbackend.Open(file, onnxbackend.Options{Device: device})

Programs must be built with the tag gpu, natively with cgo. In other programs Open returns an
*UnavailableError, and no graphics library is linked.

# A bag on the device

The runner of a plan passes every node to a session. Nodes with a kernel are recorded. They are
computed when a value is read back; values between two kernels stay on the device. A bag is encoded
in blocks, so that hidden layers exist for one block at a time. Blocks are as large as bindings and
half of the memory allow. While the device computes one, the CPU uploads the next one. The results
of blocks are joined on the device, and read back once. Weights are uploaded once for a model.

	device.go   the adapter; adapter_*.go, wait_*.go what differs between a browser and a server
	session.go  where a node runs, and where each value is; fetch.go reads values back; join.go
	            joins the results of blocks
	call.go     which kernel computes a node. Its sizes and parameters: product.go, conv.go,
	            pool.go, unary.go, arithmetic.go, along.go, move.go, part.go, pad.go;
	            attention.go postpones scores of attention until a product needs them
	hold.go     uploads the pooled values of a bag; batch.go pools coalitions
	gram.go     the Gram matrix of a surrogate
	kernels.go  compiles the kernels, which are files of wgsl
	record.go   commands that are not submitted yet
	memory.go   buffers and their reuse; stages_native.go the memory that uploads pass through
	calls_native.go calls of wgpu whose results come later
	none.go     programs without the tag gpu

# Limits

Kernels need only what every WebGPU device has: 256 invocations and 16 KB of memory in a group,
65,535 workgroups along a dimension, 128 MB of a buffer bound at a time. The CPU computes nodes
whose values are too large to be bound, are not float32, or have too many dimensions for a kernel.

# Numbers

Sums are in float32, in another order than on the CPU: scores agree within 1e-4 of the largest one.
Sums of a Gram matrix are sums of integers, and exact. Shaders may assume that no value is NaN or
infinite. Therefore values that are not finite are not uploaded. If results are not finite, or the
device is lost, the CPU computes the run again.
*/
package gpu

import (
	"github.com/bagscope/bagscope/internal/kind"
	"github.com/bagscope/bagscope/onnxbackend"
)

// Options configure a device. The zero value works.
type Options struct {
	// Memory is the limit of the device's memory for this program, in bytes; 0 means 1 GiB.
	Memory int
	// Least is the number of elements or multiplications from which a node is computed on the
	// device if none of its inputs is there. 0 means 4096: below, a dispatch takes longer than the
	// CPU. If it is negative, all nodes with a kernel are computed on the device.
	Least int
}

// Open opens the adapter of the highest performance. It returns an *UnavailableError if there is no
// adapter, or if the program is built without the tag gpu.
func Open(o Options) (onnxbackend.Device, error) {
	d, err := open(o)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Built reports whether the program is built with the tag gpu.
const Built = built

// An UnavailableError states why no graphics processor can be used, and what the user can do.
type UnavailableError struct{ Reason string }

func (e *UnavailableError) Error() string {
	return "no graphics processor can be used: " + e.Reason
}

// Kind returns "unavailable".
func (e *UnavailableError) Kind() string { return kind.Unavailable }
