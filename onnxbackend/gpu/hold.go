//go:build gpu

package gpu

import (
	"context"
	"runtime"

	"github.com/bagscope/bagscope/onnxbackend/internal/device"
)

// A part is as much of a table or an order as can be bound at a time: some of the instances of a
// table that is summed, or some columns of an order.
type part struct {
	from, count   int
	values, order *buffer // order is nil for tables
}

// held is what the coalitions of a bag are pooled from, on the device.
type held struct {
	p     *processor
	k     int             // instances of the bag
	what  []device.Pooled // Values and Order are not set
	parts [][]part        // (table or order, part)
}

// sliceWords is the number of a coalition's words, of 32 instances each, that a workgroup sums. It
// is small enough for several workgroups to share the instances of a bag, and large enough for the
// partial sums to be few beside what is read.
const sliceWords = 64

// Hold implements device.Device. It returns nil if the device's memory is too small or a value is
// not finite.
func (p *processor) Hold(k int, what []device.Pooled) (pooler device.Pooler, err error) {
	err = p.use(func() error {
		j := &job{p: p}
		h, err := p.hold(j, k, what)
		if err != nil {
			j.close()
			return err
		}
		runtime.AddCleanup(h, func(j *job) {
			p.mu.Lock()
			defer p.mu.Unlock()
			j.close()
		}, j)
		pooler = h
		return nil
	})
	if err == errFull || err == errNotFinite {
		return nil, nil
	}
	return pooler, err
}

// hold uploads all tables and orders into buffers of a job.
func (p *processor) hold(j *job, k int, what []device.Pooled) (*held, error) {
	h := &held{p: p, k: k}
	for _, w := range what {
		if !finite(w.Values) {
			return nil, errNotFinite
		}
		upload := h.holdOrder
		if w.Take == 0 {
			upload = h.holdRows
		}
		parts, err := upload(j, w)
		if err != nil {
			return nil, err
		}
		w.Values, w.Order = nil, nil
		h.what, h.parts = append(h.what, w), append(h.parts, parts)
	}
	return h, nil
}

// holdRows uploads a table that is summed: whole slices of instances at a time, or whole words if a
// slice is larger than what can be bound.
func (h *held) holdRows(j *job, w device.Pooled) (parts []part, err error) {
	most := h.p.binding / (4 * w.Columns) / 32 * 32
	if slice := 32 * sliceWords; most > slice {
		most = most / slice * slice
	}
	if most == 0 {
		return nil, errFull
	}
	for from := 0; from < h.k; from += most {
		t := part{from: from, count: min(most, h.k-from)}
		rows := w.Values[from*w.Columns : (from+t.count)*w.Columns]
		if t.values, err = j.upload(bytesOf(rows)); err != nil {
			return nil, err
		}
		parts = append(parts, t)
	}
	return parts, nil
}

// holdOrder uploads orders and the values in these orders, (rank, column), some columns at a time.
// Neighbouring invocations search neighbouring columns, so that they read neighbouring words.
func (h *held) holdOrder(j *job, w device.Pooled) (parts []part, err error) {
	most := min(h.p.binding/(4*h.k), w.Columns)
	if most == 0 || w.Take > walkMost {
		return nil, errFull
	}
	order, values := make([]int32, most*h.k), make([]float32, most*h.k)
	for from := 0; from < w.Columns; from += most {
		t := part{from: from, count: min(most, w.Columns-from)}
		for c := range t.count {
			for rank, instance := range w.Order[(from+c)*h.k : (from+c+1)*h.k] {
				order[rank*t.count+c] = instance
				values[rank*t.count+c] = w.Values[int(instance)*w.Columns+from+c]
			}
		}
		if t.values, err = j.upload(bytesOf(values[:t.count*h.k])); err != nil {
			return nil, err
		}
		if t.order, err = j.upload(bytesOf(order[:t.count*h.k])); err != nil {
			return nil, err
		}
		parts = append(parts, t)
	}
	return parts, nil
}

// upload returns a buffer with a copy of data, whose length is a multiple of four.
func (p *processor) upload(data []byte) (*buffer, error) {
	b, err := p.memory.alloc(len(data))
	if err != nil {
		return nil, err
	}
	if err := p.fill(b, data); err != nil {
		p.memory.put(b)
		return nil, err
	}
	return b, nil
}

// Pool implements device.Pooler. It pools as many coalitions at a time as their results can be
// bound.
func (h *held) Pool(ctx context.Context, z []uint64, words, n int) (out [][]float32, err error) {
	widest := 2 * words // floats of a coalition's bits, or of its results and partial sums
	for i := range h.what {
		out = append(out, make([]float32, n*h.what[i].Width()))
		widest = max(widest, h.what[i].Width()*max(1, h.slices(i)))
	}
	err = h.p.use(func() error {
		most := h.p.binding / (4 * widest)
		if most == 0 {
			return errFull
		}
		for lo := 0; lo < n; lo += most {
			hi := min(lo+most, n)
			to := make([][]float32, len(out))
			for i := range out {
				to[i] = out[i][lo*h.what[i].Width() : hi*h.what[i].Width()]
			}
			b := batch{job: job{p: h.p}, held: h, words: 2 * words, n: hi - lo}
			if err := b.pool(ctx, z[lo*words:hi*words], to); err != nil {
				return err
			}
		}
		return nil
	})
	runtime.KeepAlive(h) // its cleanup frees the buffers
	if err == errFull {
		err = h.p.retreat(errFull.Error())
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// slices returns the number of slices of table i, 0 for an order.
func (h *held) slices(i int) int {
	n := 0
	for _, t := range h.parts[i] {
		if t.order == nil {
			n += slicesOf(t.count)
		}
	}
	return n
}

// slicesOf returns the number of slices of so many instances.
func slicesOf(instances int) int { return (instances + 32*sliceWords - 1) / (32 * sliceWords) }
