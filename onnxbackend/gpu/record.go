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

// submitWork is the work after which what is recorded is submitted, in multiplications: a run that
// is cancelled leaves no more than that behind it, a millisecond of a large device, and half a
// second of one that is a program.
const submitWork = 1 << 32

// errFull says that the device's memory does not hold what a node needs.
var errFull = errors.New("its memory is full")

// params are the parameters of a dispatch, as kernels count them.
type params [paramsSize / 4]uint32

func (p *params) ints(from int, v ...int) {
	for i, x := range v {
		p[from+i] = uint32(x)
	}
}

func (p *params) reals(from int, v ...float32) {
	for i, x := range v {
		p[from+i] = math.Float32bits(x)
	}
}

// A record is commands that are not submitted yet.
type record struct {
	encoder *wgpu.CommandEncoder
	pass    *wgpu.ComputePassEncoder
	groups  []*wgpu.BindGroup
	params  []byte
	work    int
	dropped []*buffer // that commands use and nobody else
	bytes   int       // of these
}

// keepBytes bounds what buffers that could be used again hold until their commands are submitted.
const keepBytes = 64 << 20

// drop gives a buffer back when the commands that use it are submitted, unless another value lies
// in it.
func (r *record) drop(b *buffer) {
	if b.refs--; b.refs == 0 {
		r.dropped = append(r.dropped, b)
		r.bytes += b.size
	}
}

// dispatch records the run of a kernel in so many workgroups.
func (p *processor) dispatch(
	r *record, name string, with params, workgroups, work int, to *buffer, in ...*buffer,
) error {
	k, err := p.kernel(name)
	if err != nil {
		return p.lose(err.Error())
	}
	slot := max(paramsSize, p.align)
	if len(r.params)+slot > paramsBytes || r.work > submitWork || r.bytes > keepBytes {
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
		b := p.nothing
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
		return p.lose(err.Error())
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
	across := min(workgroups, p.groups)
	r.pass.DispatchWorkgroups(uint32(across), uint32((workgroups+across-1)/across), 1)
	r.work += work
	return nil
}

// encode begins a list of commands, unless one is under way.
func (p *processor) encode(r *record) (err error) {
	if r.encoder != nil {
		return nil
	}
	p.watch()
	if r.encoder, err = p.device.CreateCommandEncoder(nil); err != nil {
		return p.lose(err.Error())
	}
	return nil
}

// bindable is how many bytes of a buffer may be bound, of which a whole number of elements has to
// be.
func (p *processor) bindable() int { return p.deviceBinding &^ 3 }

// endPass ends the dispatches, so that copies may follow.
func (r *record) endPass() error {
	if r.pass == nil {
		return nil
	}
	err := endOf(r.pass)
	r.pass.Release()
	r.pass = nil
	return err
}

// submit hands the recorded commands to the device.
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
		return p.lose(err.Error())
	}
	commands, err := r.encoder.Finish(nil)
	r.encoder.Release()
	if err != nil {
		return p.lose(err.Error())
	}
	defer commands.Release()
	if len(r.params) > 0 {
		if err := p.write(p.params, r.params); err != nil {
			return p.lose(err.Error())
		}
	}
	p.queue.Submit(commands)
	return p.unwatch()
}
