//go:build gpu

package gpu

import (
	"runtime"
	"sync"

	"github.com/cogentcore/webgpu/wgpu"

	"github.com/bagscope/bagscope/onnxbackend"
	"github.com/bagscope/bagscope/onnxbackend/internal/device"
	"github.com/bagscope/bagscope/onnxbackend/internal/tensor"
)

const built = true

// limits are what kernels and buffers keep to.
type limits struct {
	groups  int // workgroups along a dimension
	binding int // bytes of a buffer that are bound
	align   int // of what is bound, in bytes
	memory  int // bytes of all buffers
	least   int // elements or multiplications of a node that is worth asking for
}

// A processor is an adapter's device with its pipelines and its memory. One session uses it at a
// time: errors are told to a device, not to a caller.
type processor struct {
	adapter
	limits

	mu      sync.Mutex
	kernels map[string]*kernel
	layouts map[int]*layout // by number of inputs
	memory  pool
	params  *wgpu.Buffer
	nothing *buffer // bound where an optional input is omitted

	lost string // why it computes no more, "" while it does
	fail error  // what the next wait returns instead, set by tests
}

// open finds an adapter and makes its device.
func open(o Options) (onnxbackend.Device, error) { return openProcessor(o) }

func openProcessor(o Options) (p *processor, err error) {
	p = &processor{kernels: map[string]*kernel{}, layouts: map[int]*layout{}}
	defer p.guard(&err)
	if p.adapter, p.limits, err = openAdapter(); err != nil {
		return nil, err
	}
	return p, p.start(o)
}

// start makes the processor's memory.
func (p *processor) start(o Options) (err error) {
	p.limits.memory, p.limits.least = o.Memory, o.Least
	if o.Memory <= 0 {
		p.limits.memory = 1 << 30
	}
	if o.Least == 0 {
		p.limits.least = 4096
	}
	p.memory = pool{p: p, limit: p.limits.memory, free: map[int][]*buffer{}}
	if p.nothing, err = p.memory.take(16); err != nil {
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

// Load implements device.Device.
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

// A loaded is the memory of a model's constants. The device has it until the model is gone.
type loaded struct {
	p *processor
	*store
}

type store struct {
	constants map[*tensor.Tensor]*buffer
	affine    map[[4]*tensor.Tensor][2]*tensor.Tensor // of BatchNormalization, by its parameters
	converted map[*tensor.Tensor]*tensor.Tensor       // what is read in another form
}

// Session implements device.Loaded.
func (l *loaded) Session(dry bool) device.Session {
	return &session{p: l.p, loaded: l, dry: dry, at: map[*tensor.Tensor]*value{}}
}

// guard turns a panic of the binding, which in a browser is an exception of JavaScript, into a lost
// device.
func (p *processor) guard(err *error) {
	if r := recover(); r != nil {
		*err = p.lose(reasonOf(r))
	}
}

// lose marks the device as lost.
func (p *processor) lose(reason string) error {
	if p.lost == "" {
		p.lost = reason
	}
	return p.retreat(p.lost)
}

func (p *processor) retreat(reason string) error {
	return &device.Retreat{Device: p.Name(), Reason: reason, Lost: p.lost != ""}
}
