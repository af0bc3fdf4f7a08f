//go:build gpu

package gpu

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/cogentcore/webgpu/wgpu"
)

// Parameters of a dispatch take 128 bytes of a uniform buffer, at an offset that any device can
// bind.
const (
	paramsSize  = 128
	paramsBytes = 1 << 16
)

// submitWork is the work, in multiplications, after which recorded commands are submitted. A
// cancelled run leaves at most this work on the device: a millisecond on a large one, and half a
// second on a software adapter.
const submitWork = 1 << 32

// errFull is the error if the device's memory is too small for a node, which the CPU then computes.
var errFull = errors.New("its memory is full")

// params are the parameters of a dispatch, numbered as in the struct of the kernel's WGSL file.
type params [paramsSize / 4]uint32

// ints sets neighbouring parameters to integers.
func (p *params) ints(from int, v ...int) {
	for i, x := range v {
		p[from+i] = uint32(x)
	}
}

// reals sets neighbouring parameters to floating-point numbers.
func (p *params) reals(from int, v ...float32) {
	for i, x := range v {
		p[from+i] = math.Float32bits(x)
	}
}

// A record holds commands that are not submitted yet.
type record struct {
	encoder *wgpu.CommandEncoder // nil if there are no commands
	pass    *wgpu.ComputePassEncoder
	groups  []*wgpu.BindGroup
	params  []byte    // parameters of all dispatches
	work    int       // work of all dispatches
	dropped []*buffer // buffers that only recorded commands use
	bytes   int       // size of these buffers
}

// droppedBytes is the size of dropped buffers after which commands are submitted, so that the
// buffers can be reused.
const droppedBytes = 64 << 20

// drop ends one use of a buffer. The last one returns the buffer to the pool as soon as the
// recorded commands are submitted. It reports whether this is the last one.
func (r *record) drop(b *buffer) bool {
	if b.refs--; b.refs > 0 {
		return false
	}
	r.dropped = append(r.dropped, b)
	r.bytes += b.size
	return true
}

// dispatch records a run of a kernel with a number of workgroups. The kernel writes to and reads
// in; nil inputs are omitted ones.
func (p *processor) dispatch(
	r *record, name string, with params, workgroups, work int, to *buffer, in ...*buffer,
) error {
	k, err := p.kernel(name)
	if err != nil {
		return p.lose(err)
	}
	slot := max(paramsSize, p.align)
	if len(r.params)+slot > paramsBytes || r.work > submitWork || r.bytes > droppedBytes {
		if err := p.submit(r); err != nil {
			return err
		}
	}
	offset := len(r.params)
	for _, v := range with {
		r.params = binary.LittleEndian.AppendUint32(r.params, v)
	}
	r.params = append(r.params, make([]byte, slot-paramsSize)...)
	entries := make([]wgpu.BindGroupEntry, 2+k.inputs)
	entries[0] = wgpu.BindGroupEntry{Binding: 0, Buffer: p.params, Offset: uint64(offset),
		Size: paramsSize}
	for i := range entries[1:] {
		b := p.omitted
		switch {
		case i == 0:
			b = to
		case i <= len(in) && in[i-1] != nil:
			b = in[i-1]
		}
		entries[1+i] = wgpu.BindGroupEntry{Binding: uint32(1 + i), Buffer: b.gpu,
			Size: uint64(min(b.size, p.bindable()))}
	}
	group, err := p.device.CreateBindGroup(&wgpu.BindGroupDescriptor{Layout: k.group,
		Entries: entries})
	if err != nil {
		return p.lose(err)
	}
	r.groups = append(r.groups, group)
	if err := p.encode(r); err != nil {
		return err
	}
	if r.pass == nil {
		r.pass = r.encoder.BeginComputePass(nil)
	}
	r.pass.SetPipeline(k.pipeline)
	r.pass.SetBindGroup(0, group, nil)
	// Kernels compute their number from both dimensions: one has at most 65,535 workgroups.
	across := min(workgroups, p.groups)
	r.pass.DispatchWorkgroups(uint32(across), uint32((workgroups+across-1)/across), 1)
	r.work += work
	p.counts.dispatches++
	return nil
}

// encode begins a list of commands, unless the record has one.
func (p *processor) encode(r *record) (err error) {
	if r.encoder != nil {
		return nil
	}
	p.pushErrors()
	r.encoder, err = p.device.CreateCommandEncoder(nil)
	return p.lose(err)
}

// bindable returns how many bytes of a buffer may be bound: a multiple of the size of an element.
func (p *processor) bindable() int { return p.deviceBinding &^ 3 }

// endPass ends a sequence of dispatches. Copies between buffers must be outside of one.
func (r *record) endPass() error {
	if r.pass == nil {
		return nil
	}
	err := endOf(r.pass)
	r.pass.Release()
	r.pass = nil
	return err
}

// submit sends the recorded commands to the device and returns dropped buffers to the pool. It does
// not wait. The record is empty afterwards, also after an error.
func (p *processor) submit(r *record) error {
	defer func() {
		for _, g := range r.groups {
			g.Release()
		}
		for _, b := range r.dropped {
			p.memory.put(b)
		}
		*r = record{params: r.params[:0]}
	}()
	if r.encoder == nil {
		return nil
	}
	if err := r.endPass(); err != nil {
		return p.lose(err)
	}
	commands, err := r.encoder.Finish(nil)
	r.encoder.Release()
	if err != nil {
		return p.lose(err)
	}
	defer commands.Release()
	if len(r.params) > 0 {
		if err := p.write(p.params, r.params); err != nil {
			return p.lose(err)
		}
	}
	p.send(commands)
	return p.popErrors()
}

// A job is work outside of a session: recorded commands, and the buffers that they use until close.
type job struct {
	p *processor
	record
	buffers []*buffer
}

// keep adds a buffer to those that close frees.
func (j *job) keep(b *buffer, err error) (*buffer, error) {
	if err == nil {
		j.buffers = append(j.buffers, b)
	}
	return b, err
}

// upload returns a buffer with a copy of data.
func (j *job) upload(data []byte) (*buffer, error) { return j.keep(j.p.upload(data)) }

// close frees the buffers. It submits commands that an error has left in the record, since recorded
// commands cannot be withdrawn and use the buffers.
func (j *job) close() {
	if j.p.lost == "" {
		_ = j.p.submit(&j.record)
	}
	for _, b := range j.buffers {
		j.p.memory.put(b)
	}
}
