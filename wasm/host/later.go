package host

import (
	"context"
	"sync"

	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/wasm/wire"
)

// A laterBag is a bag of a deferred set: a page shows a series after its headers are read, and its
// first slice before the others.
type laterBag struct {
	set       *bagio.Set
	index     int
	instances int
	bytes     int64 // size of all values
	step      int   // see thumbStep

	mu    sync.Mutex
	read  *heldBag // nil until the values of all instances are needed
	small *heldBag // nil until it is drawn, see thumbs
}

// openLater opens a bag of a deferred set.
func (h *Host) openLater(set *bagio.Set, index int) (any, error) {
	outline, instances, err := set.Outline(index)
	if err != nil {
		return nil, err
	}
	b := &laterBag{set: set, index: index, instances: instances,
		bytes: 4 * int64(instances*outline.Stride()), step: thumbStep(outline.Shape)}
	return wire.BagOpened{Handle: h.handles.add(b), Info: infoOf(outline, instances)}, nil
}

// some opens a bag of some instances, and reads no others.
func (b *laterBag) some(h *Host, instances []int) (any, error) {
	if err := inRange("instances", instances, b.instances); err != nil {
		return nil, err
	}
	bag, err := b.set.Some(h.inRoom(context.Background()), b.index, instances, nil)
	if err != nil {
		return nil, h.withoutRoom(err)
	}
	return h.opened(&heldBag{bag: bag, notes: b.set.Notes()}), nil
}

// whole implements openBag. What other requests wait for is read once.
func (b *laterBag) whole(
	h *Host, ctx context.Context, progress func(done, total int),
) (*heldBag, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read != nil {
		return b.read, nil
	}
	if h.config.Expect != nil {
		h.config.Expect(b.bytes)
	}
	bag, err := b.set.Some(h.inRoom(ctx), b.index, nil, h.steps(ctx, progress))
	if err != nil {
		return nil, h.withoutRoom(err)
	}
	b.small = nil
	b.read = &heldBag{bag: bag, notes: b.set.Notes(), covariates: b.set.Covariates()}
	return b.read, nil
}

// thumbSide is the side in pixels of slices in drawings: more than cells have.
const thumbSide = 128

// drawnBag returns a bag for drawings that show slices small.
func (h *Host) drawnBag(handle int) (*heldBag, error) {
	if later, err := find[*laterBag](&h.handles, handle, "bag"); err == nil && later.step > 1 {
		return later.thumbs(h)
	}
	return h.bag(handle)
}

// thumbs returns the bag with slices made small, so that a page can draw all of them and hold the
// values of none.
func (b *laterBag) thumbs(h *Host) (*heldBag, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read != nil {
		return b.read, nil
	}
	if b.small != nil {
		return b.small, nil
	}
	out, _, err := b.set.Outline(b.index)
	if err != nil {
		return nil, err
	}
	ctx := h.inRoom(context.Background())
	for i := range b.instances {
		one, err := b.set.Some(ctx, b.index, []int{i}, nil)
		if err != nil {
			return nil, h.withoutRoom(err)
		}
		quota.MemoryOf(ctx).Release(4 * int64(len(one.Values)))
		height, width := sides(out.Shape)
		for at := 0; at < len(one.Values); at += height * width {
			out.Values = appendSmall(out.Values, one.Values[at:][:height*width], width, b.step)
		}
	}
	height, width := sides(out.Shape)
	n := len(out.Shape)
	out.Shape[n-2], out.Shape[n-1] = height/b.step, width/b.step
	b.small = &heldBag{bag: out, notes: b.set.Notes()}
	return b.small, nil
}

// thumbStep returns how many pixels of slices of a shape are one of their thumbs, 1 for those that
// stay as they are.
func thumbStep(shape []int) int {
	if len(shape) < 2 {
		return 1
	}
	height, width := sides(shape)
	return min(max(1, (max(height, width)+thumbSide-1)/thumbSide), height, width)
}

// sides returns the height and the width of slices.
func sides(shape []int) (height, width int) {
	return shape[len(shape)-2], shape[len(shape)-1]
}

// appendSmall appends the means of squares of a plane.
func appendSmall(to, plane []float32, width, step int) []float32 {
	for y := 0; y+step <= len(plane)/width; y += step {
		for x := 0; x+step <= width; x += step {
			sum := float32(0)
			for row := y; row < y+step; row++ {
				for _, v := range plane[row*width+x:][:step] {
					sum += v
				}
			}
			to = append(to, sum/float32(step*step))
		}
	}
	return to
}
