package patches

import (
	"bytes"
	"context"
	"image"
	"slices"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/bagio"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// A Run encodes the patches of a slide in parts, coarse to fine, and keeps the features of those
// that are done. Its methods are safe for concurrent use.
type Run struct {
	*Patches
	// Stages are numbers of patches after which those that are done lie evenly over the slide; the
	// last one is their number.
	Stages []int

	order   []int         // all patches, in the order in which they are encoded
	working chan struct{} // holds a token while patches are encoded

	mu     sync.Mutex
	done   []bool // (patch)
	count  int    // number of patches that are done
	shape  []int  // shape of a patch's features; nil until one is done
	values []float32
}

// leastStage is the number of patches that a first look at a slide needs.
const leastStage = 8

// NewRun returns a run of which nothing is done.
func NewRun(p *Patches) *Run {
	r := &Run{Patches: p, done: make([]bool, p.Len()), working: make(chan struct{}, 1)}
	// Every fourth patch across and down, then every second one, then all others.
	for _, side := range []int{4, 2, 1} {
		for i, b := range p.Grid.Boxes {
			column, row := b.Min.X/p.Grid.Step, b.Min.Y/p.Grid.Step
			on := column%side == 0 && row%side == 0
			known := side < 4 && column%(2*side) == 0 && row%(2*side) == 0
			if on && !known {
				r.order = append(r.order, i)
			}
		}
		if n := len(r.order); side == 1 || n >= leastStage && n < p.Len() {
			r.Stages = append(r.Stages, n)
		}
	}
	return r
}

// Order returns all patches in the order in which they are encoded. It must not be changed.
func (r *Run) Order() []int { return r.order }

// Encoded returns the patches that are encoded, ascending.
func (r *Run) Encoded() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known()
}

// Done returns how many patches are encoded.
func (r *Run) Done() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count
}

// Shape returns the shape of the features of a patch, nil until one is encoded.
func (r *Run) Shape() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shape
}

// Encode encodes patches until so many are done. What is done when it fails, or when ctx ends,
// stays done, so that a further call goes on from there. progress gets the number of patches that
// are done, and may be nil. A call waits for the one before. Errors are those of [Patches.Encode].
// The features are reserved in the Memory of ctx, and stay so.
func (r *Run) Encode(
	ctx context.Context, e Encoder, until int, progress func(done, total int),
) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	defer r.end()
	return r.encode(ctx, e, r.missing(until), func(list []int, features *core.Bag) error {
		if err := r.put(ctx, list, features); err != nil {
			return err
		}
		if progress != nil {
			progress(r.Done(), r.Len())
		}
		return nil
	})
}

// begin waits for the call before, which may still end its last batch after it was cancelled.
func (r *Run) begin(ctx context.Context) error {
	select {
	case r.working <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *Run) end() { <-r.working }

// missing returns the patches that are to be encoded until so many are done.
func (r *Run) missing(until int) []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []int
	for _, i := range r.order {
		if r.count+len(list) >= until {
			break
		}
		if !r.done[i] {
			list = append(list, i)
		}
	}
	return list
}

// put keeps the features of the patches of a list.
func (r *Run) put(ctx context.Context, list []int, features *core.Bag) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	stride := features.Stride()
	if r.shape == nil {
		n := r.Len() * stride
		if err := quota.MemoryOf(ctx).Reserve(4*int64(n), "features of "+r.Name); err != nil {
			return err
		}
		r.shape, r.values = slices.Clone(features.Shape), make([]float32, n)
	}
	if !slices.Equal(features.Shape, r.shape) {
		return &core.BagError{Bag: r.Name, Reason: msg.Sprintf("some patches have features of "+
			"shape %v and others of shape %v", r.shape, features.Shape)}
	}
	for at, i := range list {
		if r.done[i] { // a bag may share its values
			continue
		}
		copy(r.values[i*stride:(i+1)*stride], features.Instance(at))
		r.done[i] = true
		r.count++
	}
	return nil
}

// FeatureBag returns the patches that are done as a bag, in the order of their numbers. Of a
// complete run it shares the memory. Its pictures can be encoded again by e, unless that is nil. It
// returns a *core.BagError if none is done.
func (r *Run) FeatureBag(e Encoder) (*core.Bag, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.count == 0 {
		return nil, &core.BagError{Bag: r.Name, Reason: "none of its patches is encoded yet"}
	}
	about := r.About()
	all := &core.Bag{Name: r.Name, Shape: slices.Clone(r.shape), Values: r.values,
		Raw: len(r.shape) == 3, Boxes: r.Grid.Boxes, Labels: r.Labels(), Slide: &about,
		Origin: r.Slide.Origin}
	if e != nil {
		all.Pictures = encoded{r.Patches, e}
	}
	if r.count == r.Len() {
		return all, all.Validate()
	}
	some := all.Select(r.known())
	return some, some.Validate()
}

// known returns the patches that are done. The caller holds r.mu.
func (r *Run) known() []int {
	var list []int
	for i, done := range r.done {
		if done {
			list = append(list, i)
		}
	}
	return list
}

// WriteFile returns the file of the patches that are done, see [Patches.File]; that of a complete
// run has the same bytes as if it was written at once. It returns a *core.BagError if none is done
// or if patches are no vectors of features, and a *quota.MemoryError if the Memory of ctx does not
// hold the file.
func (r *Run) WriteFile(ctx context.Context, settings ...core.Setting) ([]byte, error) {
	bag, err := r.FeatureBag(nil)
	if err != nil {
		return nil, err
	}
	if len(bag.Shape) != 1 {
		return nil, &core.BagError{Bag: r.Name, Reason: "its patches are pictures; a file holds " +
			"the features that an encoder makes of them"}
	}
	file := r.File(bag.Shape[0], settings...)
	file.Corners = corners(bag.Boxes)
	head, err := file.Head()
	if err != nil {
		return nil, err
	}
	size := int64(len(head)) + 4*int64(len(bag.Values))
	if err := quota.MemoryOf(ctx).Reserve(2*size, "the file of "+r.Name); err != nil {
		return nil, err
	}
	return append(head, bagio.Float32Bytes(bag.Values)...), nil
}

// corners returns the upper left corners of boxes.
func corners(boxes []image.Rectangle) []image.Point {
	out := make([]image.Point, len(boxes))
	for i, b := range boxes {
		out[i] = b.Min
	}
	return out
}

// Continue takes the features of a file that WriteFile or the command bagscope tiles has written,
// of patches that lie in this grid, too. It returns a *bagio.FormatError that names the first
// difference if the file was made of another slide, by another encoder, or of patches of another
// size, and errors of bagio.
func (r *Run) Continue(
	ctx context.Context, name string, data []byte, settings ...core.Setting,
) error {
	if err := r.begin(ctx); err != nil {
		return err
	}
	defer r.end()
	file := r.File(0, settings...)
	if err := file.SameOrigin(name, bytes.NewReader(data), int64(len(data))); err != nil {
		return err
	}
	set, err := bagio.Read(name, data, bagio.Options{Array: "features",
		Limits: bagio.Limits{Memory: quota.MemoryOf(ctx)}})
	if err != nil {
		return err
	}
	bag, err := set.Bag(0)
	if err != nil {
		return err
	}
	return r.take(ctx, bag)
}

// Adopt takes the features of another run of the same slide and encoder for patches that lie in
// both grids, so that a changed mask costs nothing that is done. It takes none if the patches have
// another size.
func (r *Run) Adopt(ctx context.Context, from *Run) error {
	same := from.Grid.PatchSize == r.Grid.PatchSize && from.Grid.Side == r.Grid.Side &&
		from.options.Channels == r.options.Channels
	if !same || from.Done() == 0 {
		return nil
	}
	bag, err := from.FeatureBag(nil)
	if err != nil {
		return err
	}
	return r.take(ctx, bag)
}

// take takes the features of patches at the same places.
func (r *Run) take(ctx context.Context, bag *core.Bag) error {
	at := make(map[image.Point]int, r.Len())
	for i, b := range r.Grid.Boxes {
		at[b.Min] = i
	}
	for k, b := range bag.Boxes {
		i, ok := at[b.Min]
		if !ok {
			continue
		}
		one := &core.Bag{Shape: bag.Shape, Values: bag.Instance(k)}
		if err := r.put(ctx, []int{i}, one); err != nil {
			return err
		}
	}
	return nil
}
