//go:build gpu

package gpu

import (
	"context"
	"runtime"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
)

// A part of what is held is some of its instances, where sums are taken, or some of its columns,
// where members are taken in an order: as much as can be bound at a time.
type part struct {
	from, count   int
	values, order *buffer
}

// held is what coalitions of a bag are pooled from, on the device.
type held struct {
	p     *processor
	k     int
	what  []device.Pooled // without values and orders
	parts [][]part
}

// sliceWords is how many words of a coalition, of 32 instances each, a workgroup sums: few enough
// for several to share the instances of a bag, and enough for what they leave to be little beside
// what they read.
const sliceWords = 64

// Hold implements device.Device.
func (p *processor) Hold(k int, what []device.Pooled) (pooler device.Pooler, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.guard(&err)
	if p.lost != "" {
		return nil, p.retreat(p.lost)
	}
	h, err := p.hold(k, what)
	if err == errFull || err == errNotFinite {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	runtime.AddCleanup(h, func(parts [][]part) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.letGo(parts)
	}, h.parts)
	return h, nil
}

// letGo gives the buffers of parts back.
func (p *processor) letGo(parts [][]part) {
	for _, list := range parts {
		for _, t := range list {
			p.memory.put(t.values)
			if t.order != nil {
				p.memory.put(t.order)
			}
		}
	}
}

func (p *processor) hold(k int, what []device.Pooled) (_ *held, err error) {
	h := &held{p: p, k: k, parts: make([][]part, len(what))}
	defer func() {
		if err != nil {
			p.letGo(h.parts)
		}
	}()
	for i, w := range what {
		if !finite(w.Values) {
			return nil, errNotFinite
		}
		if w.Take == 0 {
			err = h.holdRows(i, w)
		} else {
			err = h.holdOrder(i, w)
		}
		if err != nil {
			return nil, err
		}
		w.Values, w.Order = nil, nil
		h.what = append(h.what, w)
	}
	return h, nil
}

// holdRows uploads rows that are summed: whole slices of instances at a time, or whole words where
// a slice is more than can be bound.
func (h *held) holdRows(i int, w device.Pooled) error {
	most := h.p.binding / (4 * w.Columns) / 32 * 32
	if slice := 32 * sliceWords; most > slice {
		most = most / slice * slice
	}
	if most == 0 {
		return errFull
	}
	for from := 0; from < h.k; from += most {
		count := min(most, h.k-from)
		b, err := h.p.upload(bytesOf(w.Values[from*w.Columns : (from+count)*w.Columns]))
		if err != nil {
			return err
		}
		h.parts[i] = append(h.parts[i], part{from: from, count: count, values: b})
	}
	return nil
}

// holdOrder uploads orders and the values in them, (rank, column), some columns at a time.
func (h *held) holdOrder(i int, w device.Pooled) error {
	most := min(h.p.binding/(4*h.k), w.Columns)
	if most == 0 || w.Take > walkMost {
		return errFull
	}
	order, values := make([]int32, most*h.k), make([]float32, most*h.k)
	for from := 0; from < w.Columns; from += most {
		count := min(most, w.Columns-from)
		for c := range count {
			for rank, instance := range w.Order[(from+c)*h.k : (from+c+1)*h.k] {
				order[rank*count+c], values[rank*count+c] = instance,
					w.Values[int(instance)*w.Columns+from+c]
			}
		}
		t := part{from: from, count: count}
		var err error
		if t.values, err = h.p.upload(bytesOf(values[:count*h.k])); err != nil {
			return err
		}
		if t.order, err = h.p.upload(bytesOf(order[:count*h.k])); err != nil {
			h.p.memory.put(t.values)
			return err
		}
		h.parts[i] = append(h.parts[i], t)
	}
	return nil
}

// upload returns a buffer that holds data.
func (p *processor) upload(data []byte) (*buffer, error) {
	b, err := p.memory.take(len(data))
	if err != nil {
		return nil, err
	}
	if err := p.write(b.gpu, data); err != nil {
		p.memory.put(b)
		return nil, p.lose(err.Error())
	}
	return b, nil
}

// Pool implements device.Pooler. As many coalitions go at a time as their results can be bound.
func (h *held) Pool(ctx context.Context, z []uint64, words, n int) (out [][]float32, err error) {
	h.p.mu.Lock()
	defer h.p.mu.Unlock()
	defer h.p.guard(&err)
	if h.p.lost != "" {
		return nil, h.p.retreat(h.p.lost)
	}
	widths := 2 * words
	for i := range h.what {
		out = append(out, make([]float32, n*h.what[i].Width()))
		widths = max(widths, h.what[i].Width()*max(1, h.slices(i)))
	}
	most := h.p.binding / (4 * widths)
	if most == 0 {
		return nil, h.p.retreat(errFull.Error())
	}
	for lo := 0; lo < n; lo += most {
		hi := min(lo+most, n)
		to := make([][]float32, len(out))
		for i := range out {
			to[i] = out[i][lo*h.what[i].Width() : hi*h.what[i].Width()]
		}
		b := batch{held: h, words: 2 * words, n: hi - lo}
		err := b.pool(ctx, z[lo*words:hi*words], to)
		if err == errFull {
			err = h.p.retreat(errFull.Error())
		}
		if err != nil {
			return nil, err
		}
	}
	runtime.KeepAlive(h)
	return out, nil
}

// slices returns how many slices of instances there are of what is summed, 0 of what is not.
func (h *held) slices(i int) int {
	n := 0
	for _, t := range h.parts[i] {
		if t.order == nil {
			n += slicesOf(t.count)
		}
	}
	return n
}

func slicesOf(instances int) int { return (instances + 32*sliceWords - 1) / (32 * sliceWords) }
