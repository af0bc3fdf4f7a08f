//go:build gpu

package gpu

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/cogentcore/webgpu/wgpu"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

// built is true with the tag gpu.
const built = true

// limits bound what kernels and buffers may use.
type limits struct {
	groups  int // workgroups along a dimension
	binding int // bytes of a buffer that are bound
	align   int // alignment of what is bound, in bytes
	memory  int // bytes of all buffers
	least   int // elements or multiplications from which a node is computed on the device
}

// A processor is an adapter's device with its pipelines and its memory. WebGPU reports errors to a
// device, not to the caller of a function, so that one goroutine uses the processor at a time.
type processor struct {
	adapter
	limits

	mu      sync.Mutex // guards all below, and the adapter
	kernels map[string]*kernel
	layouts map[int]*layout // layouts by number of inputs
	memory  pool
	params  *wgpu.Buffer
	omitted *buffer // bound if an optional input is omitted: WebGPU has no empty bindings

	mapped *buffer // the buffer of downloads, nil before the first one
	counts counts

	lost string // reason why the device computes no more, "" while it does
	fail error  // error that the next wait returns, set by tests
}

// counts is what has crossed to and from a processor.
type counts struct {
	up, down   int // bytes of values
	waits      int // times that the CPU waited until the device had nothing to compute
	dispatches int // kernels run
}

// open opens the preferred adapter.
func open(o Options) (onnxbackend.Device, error) { return openProcessor(o) }

// openProcessor opens the preferred adapter and its device.
func openProcessor(o Options) (p *processor, err error) {
	p = &processor{kernels: map[string]*kernel{}, layouts: map[int]*layout{}}
	defer p.guard(&err)
	if p.adapter, p.limits, err = openAdapter(); err != nil {
		return nil, err
	}
	return p, p.start(o)
}

// start sets the limits of the options and allocates the buffers that all kernels share.
func (p *processor) start(o Options) (err error) {
	p.limits.memory, p.limits.least = o.Memory, o.Least
	if o.Memory <= 0 {
		p.limits.memory = 1 << 30
	}
	if o.Least == 0 {
		p.limits.least = 4096
	}
	p.memory = pool{p: p, limit: p.limits.memory, free: map[int][]*buffer{}}
	if p.omitted, err = p.memory.alloc(16); err != nil {
		return err
	}
	p.params, err = p.device.CreateBuffer(&wgpu.BufferDescriptor{Size: paramsBytes,
		Usage: wgpu.BufferUsageUniform | wgpu.BufferUsageCopyDst})
	return err
}

// Name implements device.Device.
func (p *processor) Name() string { return p.adapter.name }

// Software implements device.Device.
func (p *processor) Software() bool { return p.adapter.software }

// LargestTensor implements device.Device.
func (p *processor) LargestTensor() int { return p.binding }

// Memory implements device.Device.
func (p *processor) Memory() int { return p.limits.memory }

// Load implements device.Device. The buffers of a model are freed after the model, by a cleanup of
// the garbage collector.
func (p *processor) Load() device.Loaded {
	l := &loaded{p: p, store: &store{map[*tensor.Tensor]*buffer{},
		map[[4]*tensor.Tensor][2]*tensor.Tensor{}, map[*tensor.Tensor]*tensor.Tensor{}}}
	runtime.AddCleanup(l, func(s *store) {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, b := range s.constants {
			p.memory.put(b)
		}
	}, l.store)
	return l
}

// A loaded holds a model's constants on the device. Its buffers are freed after the garbage
// collector has freed the model.
type loaded struct {
	p *processor
	*store
}

// A store is a struct of its own because the cleanup of a loaded must not refer to it.
type store struct {
	constants map[*tensor.Tensor]*buffer
	affine    map[[4]*tensor.Tensor][2]*tensor.Tensor // scale and shift, by BatchNormalization
	converted map[*tensor.Tensor]*tensor.Tensor       // constants that kernels read converted
}

// Session implements device.Loaded.
func (l *loaded) Session(dry bool) device.Session {
	return &session{p: l.p, loaded: l, dry: dry, at: map[*tensor.Tensor]*value{}}
}

// use calls f while no other goroutine uses the processor. If the device is lost, before or during
// the call, it returns a *device.Retreat.
func (p *processor) use(f func() error) (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.guard(&err)
	if p.lost != "" {
		return p.retreat(p.lost)
	}
	return f()
}

// guard recovers from a panic of the binding and marks the device as lost. In a browser such a
// panic is an exception of JavaScript.
func (p *processor) guard(err *error) {
	if r := recover(); r != nil {
		*err = p.lose(fmt.Errorf("%v", r))
	}
}

// lose marks the device as lost and returns a *device.Retreat with the first reason, or nil if
// reason is nil. The state of a device after an error is unknown, so that it is not used again.
func (p *processor) lose(reason error) error {
	if reason == nil {
		return nil
	}
	if p.lost == "" {
		p.lost = reason.Error()
	}
	return p.retreat(p.lost)
}

// retreat returns the error after which the CPU computes the whole run again.
func (p *processor) retreat(reason string) error {
	return &device.Retreat{Device: p.Name(), Reason: reason, Lost: p.lost != ""}
}
