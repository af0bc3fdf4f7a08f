package patches

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// An Encoder turns bags of raw pictures into bags of features, (instance, d).
type Encoder interface {
	Encode(ctx context.Context, bag *core.Bag) (*core.Bag, error)
	// BatchSize returns how many pictures of a shape Encode should get at a time, in at most bytes
	// for their values.
	BatchSize(shape []int, bytes int64) int
}

// batchBytes bounds the pixels of a batch as float32. Three batches are in memory at a time: one is
// read, one waits, one is encoded.
const batchBytes = 32 << 20

// Encode encodes the patches from number `from` on, in batches. sink gets the features of each
// batch in the order of patches, (instance, d), and may keep them. progress gets the number of
// patches that are encoded, those before from included, and may be nil. Patches are read while
// others are encoded.
//
// It returns errors of reading, of the encoder and of sink, a *quota.MemoryError or
// *quota.MemoryBusyError if the Memory of ctx does not hold three batches, and the cause when ctx
// ends.
func (p *Patches) Encode(ctx context.Context, e Encoder, from int,
	sink func(features *core.Bag) error, progress func(done, total int),
) error {
	return p.encode(ctx, e, between(from, p.Len()), func(list []int, features *core.Bag) error {
		if err := sink(features); err != nil {
			return err
		}
		from += len(list)
		if progress != nil {
			progress(from, p.Len())
		}
		return nil
	})
}

// encode encodes the patches of a list in its order. sink gets the numbers of the patches of a
// batch with their features.
func (p *Patches) encode(ctx context.Context, e Encoder, list []int,
	sink func(list []int, features *core.Bag) error,
) error {
	memory := quota.MemoryOf(ctx)
	most := int64(batchBytes)
	if limit := memory.Limit(); limit > 0 {
		most = min(most, limit/16)
	}
	size := e.BatchSize(p.PictureShape(), most)
	need := 3 * int64(4*size*p.options.Channels*p.Grid.PatchSize*p.Grid.PatchSize)
	if err := memory.Reserve(need, "patches of "+p.Name); err != nil {
		return err
	}
	defer memory.Release(need)
	stop := make(chan struct{})
	batches := p.read(ctx, stop, list, size)
	// The reader has ended before the slide may be closed.
	defer func() {
		close(stop)
		for range batches {
		}
	}()
	for b := range batches {
		if b.err != nil {
			return b.err
		}
		features, err := e.Encode(ctx, b.bag)
		if err != nil {
			return err
		}
		if err := sink(b.list, features); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// A batch is a bag of the patches of a list, or why it could not be read.
type batch struct {
	list []int
	bag  *core.Bag
	err  error
}

// read reads batches of patches in order. The channel is closed after the last one or an error. It
// passes ctx itself on: a context made from it would not yield the thread of a browser.
func (p *Patches) read(
	ctx context.Context, stop <-chan struct{}, list []int, size int,
) <-chan batch {
	out := make(chan batch, 1)
	go func() {
		defer close(out)
		for part := range slices.Chunk(list, size) {
			bag, err := p.bagOf(ctx, part)
			select {
			case out <- batch{part, bag, err}:
			case <-stop:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// between returns the numbers from lo up to hi.
func between(lo, hi int) []int {
	list := make([]int, max(0, hi-lo))
	for i := range list {
		list[i] = lo + i
	}
	return list
}

// Features returns the bag of the features of all patches. Its values are reserved in the Memory of
// ctx and stay so. Errors are those of Encode.
func (p *Patches) Features(
	ctx context.Context, e Encoder, progress func(done, total int),
) (*core.Bag, error) {
	return p.FeaturesKept(ctx, e, nil, progress)
}

// A Keeper stores features where a later process finds them.
type Keeper interface {
	// Kept calls add with the features that Keep has got, in their order, and returns its errors.
	Kept(add func(features *core.Bag) error) error
	// Keep stores the features of the next patches.
	Keep(features *core.Bag) error
}

// FeaturesKept is Features, but patches whose features the keeper has are not encoded, and it gets
// those of the others. It may be nil. Errors are also those of the keeper. The slide forgets its
// blocks, because the bag keeps the slide for pictures that are seldom read again.
func (p *Patches) FeaturesKept(
	ctx context.Context, e Encoder, keeper Keeper, progress func(done, total int),
) (*core.Bag, error) {
	defer p.Slide.Forget()
	all := &collected{p: p, ctx: ctx}
	sink := all.add
	if keeper != nil {
		if err := keeper.Kept(all.add); err != nil {
			return nil, err
		}
		sink = func(features *core.Bag) error {
			if err := all.add(features); err != nil {
				return err
			}
			return keeper.Keep(features)
		}
	}
	if err := p.Encode(ctx, e, all.patches, sink, progress); err != nil {
		return nil, err
	}
	about := p.About()
	out := &core.Bag{Name: p.Name, Boxes: p.Grid.Boxes, Labels: p.Labels(),
		Slide: &about, Shape: all.shape, Values: all.values, Origin: p.Slide.Origin,
		Pictures: encoded{p, e}}
	return out, out.Validate()
}

// collected are the features of the first patches.
type collected struct {
	p       *Patches
	ctx     context.Context
	patches int // that have their features
	shape   []int
	values  []float32
}

// add adds the features of the next patches.
func (c *collected) add(features *core.Bag) error {
	if c.shape == nil {
		n := c.p.Len() * features.Stride()
		if err := quota.MemoryOf(c.ctx).Reserve(4*int64(n), "features of "+c.p.Name); err != nil {
			return err
		}
		c.shape, c.values = slices.Clone(features.Shape), make([]float32, 0, n)
	}
	if !slices.Equal(features.Shape, c.shape) {
		return &core.BagError{Bag: c.p.Name, Reason: msg.Sprintf("the encoder returns features of "+
			"shape %v for some patches and %v for others", c.shape, features.Shape)}
	}
	c.patches += features.Len()
	c.values = append(c.values, features.Values...)
	return nil
}
