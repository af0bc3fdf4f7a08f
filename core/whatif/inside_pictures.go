package whatif

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// shownPictures are the values of instances whose parts are hidden: their own, or those of the
// pictures that they were encoded from.
type shownPictures struct {
	bag  *core.Bag
	from core.Pictures // nil for the bag's own values
}

// picturesOf returns the values whose parts are hidden. Features have no bands, those of their
// pictures count.
func picturesOf(bag *core.Bag, groups Parts) shownPictures {
	if groups == PartsBands && len(bag.Shape) == 1 {
		return shownPictures{bag, bag.Pictures}
	}
	return shownPictures{bag, nil}
}

// shape returns the shape of an instance's values.
func (p shownPictures) shape() []int {
	if p.from == nil {
		return p.bag.Shape
	}
	return p.from.Shape()
}

// values returns those of an instance.
func (p shownPictures) values(ctx context.Context, instance int) ([]float32, error) {
	if p.from == nil {
		return p.bag.Instance(instance), nil
	}
	one, err := p.from.Read(ctx, []int{instance})
	if err != nil {
		return nil, err
	}
	return one.Values, nil
}

// encode returns what the bag holds of an instance with each of other values.
func (p shownPictures) encode(
	ctx context.Context, instance int, values []float32,
) ([]float32, error) {
	if p.from == nil {
		return values, nil
	}
	features, err := p.from.Encode(ctx, instance,
		&core.Bag{Name: p.bag.Name, Shape: p.from.Shape(), Raw: true, Values: values})
	if err != nil {
		return nil, err
	}
	return features.Values, nil
}

// Pictures that are read for their mean, at most, and at a time.
const (
	mostMeant = 1 << 10
	meantOnce = 8
)

// mean returns the mean of the bag's instances at each place: of pictures that are read again, of
// up to mostMeant that lie evenly among them.
func (p shownPictures) mean(ctx context.Context) ([]float32, error) {
	var sums []float64
	count := 0
	add := func(b *core.Bag) {
		if sums == nil {
			sums = make([]float64, b.Stride())
		}
		count += b.Len()
		for i := range b.Len() {
			for at, v := range b.Instance(i) {
				sums[at] += float64(v)
			}
		}
	}
	if p.from == nil {
		add(p.bag)
	} else {
		var list []int
		for i := 0; i < p.bag.Len(); i += ceilDivide(p.bag.Len(), mostMeant) {
			list = append(list, i)
		}
		for part := range slices.Chunk(list, meantOnce) {
			b, err := p.from.Read(ctx, part)
			if err != nil {
				return nil, err
			}
			add(b)
		}
	}
	out := make([]float32, len(sums))
	for at, sum := range sums {
		out[at] = float32(sum / float64(count))
	}
	return out, nil
}
