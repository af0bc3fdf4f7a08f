/*
Package gpu computes the heavy part of a model on a graphics processor, through WebGPU: one Go code that reaches
navigator.gpu in a browser and wgpu-native on a server.

	device, err := gpu.Open(gpu.Options{})
	...
	model, err := onnxbackend.Open(file, onnxbackend.Options{Device: device})

It is in programs that are built with the tag gpu, natively with cgo. In others Open returns an *UnavailableError, and nothing is linked.

# How a bag gets there

A plan's runner asks a session about every node. What has a kernel is recorded: nothing is computed until a value
is read back, and what lies between two kernels stays on the device. A bag goes in blocks, as it does on the CPU, so that
hidden layers exist for one block at a time; blocks are made small enough for the largest of them to be bound. Weights are
uploaded once for a model.

	session.go ─ which node runs where, and where each value lies
	product.go, conv.go, pool.go, unary.go, arithmetic.go, along.go, move.go, part.go ─ a kernel's sizes and parameters for a node
	hold.go, batch.go ─ what is pooled of a bag, and coalitions on their way through it
	gram.go    ─ the Gram matrix of a surrogate
	wgsl/      ─ the kernels
	record.go  ─ commands that are not submitted yet
	memory.go  ─ buffers, used again
	adapter_*.go, wait_*.go ─ the difference between a browser and a server

# Limits

Kernels keep to what every WebGPU device has: 256 invocations and 16 KB of memory in a workgroup, 65,535 workgroups along a
dimension, 128 MB of a buffer bound at a time. A value beyond what can be bound, a type other than float32, more
dimensions than a kernel counts: such nodes are left to the CPU, one by one.

# Numbers

Sums are in float32 and in another order than on the CPU: scores agree within 1e-4 of the largest. Those of a Gram matrix are of whole
numbers, and exact. Shaders may take it that no value is NaN or
infinite. Therefore values that hold such are not uploaded, and a run whose results hold such is begun again on the CPU, as is one
whose device is lost.
*/
package gpu

import "github.com/bagscope/bagscope/onnxbackend"

// Options say which adapter is used, and how. The zero value works.
type Options struct {
	// Memory is how many bytes the device may hold for this program; 0 means 1 GiB.
	Memory int
	// Least is the number of elements or multiplications from which a node whose inputs do not lie
	// on the device goes there; 0 means 4096, below which it costs more to ask than to compute.
	// Below 0 all nodes go that can.
	Least int
}

// Open opens the adapter that the system prefers. It returns an *UnavailableError when there is
// none, and in programs that are built without the tag gpu.
func Open(o Options) (onnxbackend.Device, error) {
	d, err := open(o)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Built reports whether the program is built with the tag gpu.
const Built = built

// An UnavailableError says why no graphics processor is used, and the way out.
type UnavailableError struct{ Reason string }

func (e *UnavailableError) Error() string {
	return "no graphics processor can be used: " +
		e.Reason
}
