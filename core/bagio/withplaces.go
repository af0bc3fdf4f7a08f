package bagio

import (
	"context"
	"slices"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// Some models take the coordinates of each instance beside its features. Files keep both apart: a
// bag then joins them, so that a coalition has the coordinates of its members.

// WithPlaces makes each instance of the set's bags hold its coordinates, x and y, between its
// features as the model takes them; nil changes nothing. They are those of the file in its unit, or
// else the left upper corners of boxes in pixels of level 0. Bags without either are then a
// *core.BagError.
func (s *Set) WithPlaces(at *core.PlaceValues) {
	if at == nil {
		return
	}
	s.insert = at
	s.notes = append(s.notes, msg.Sprintf("Input %q takes the coordinates of the instances as the "+
		"file states them, in its unit; the model must have been trained with the same unit.",
		at.Input))
}

// withoutPlaces returns the shape of the features of an instance, nil if the model takes no
// coordinates beside them.
func (o Options) withoutPlaces() []int {
	if o.Places == nil || len(o.InstanceShape) != 1 || o.InstanceShape[0] <= 2 {
		return nil
	}
	return []int{o.InstanceShape[0] - 2}
}

// keepPoints keeps the first two coordinates of each instance, if bags hold them.
func (s *Set) keepPoints(p *places) error {
	if s.insert == nil {
		return nil
	}
	k := len(p.corners) / p.axes
	if err := s.memory.Reserve(16*int64(k), "the coordinates of a bag"); err != nil {
		return err
	}
	s.points = make([][2]float64, k)
	for i := range s.points {
		s.points[i] = [2]float64(p.corners[i*p.axes:])
	}
	return nil
}

// joinPlaces replaces the values of a bag, the instances from one of the set on, by those with
// coordinates.
func (s *Set) joinPlaces(ctx context.Context, b *core.Bag, from int) error {
	k, width := b.Len(), b.Stride()
	if s.points == nil && s.boxes == nil {
		return &core.BagError{Bag: b.Name, Reason: msg.Sprintf("it has %d features of each "+
			"instance, and the model takes their coordinates, too, by its input %q; use a file "+
			"with coordinates, or with %d values of each instance, of which the coordinates "+
			"are numbers %d and %d, counted from 0", width, s.insert.Input, width+2,
			s.insert.From, s.insert.From+1)}
	}
	m := quota.MemoryOf(ctx)
	if m == nil {
		m = s.memory
	}
	if err := m.Reserve(4*int64(k)*int64(width+2), "the values of a bag"); err != nil {
		return err
	}
	joined := make([]float32, 0, k*(width+2))
	for i := range k {
		joined = s.appendPlaced(joined, b.Instance(i), from+i)
	}
	if b.Pictures != nil { // of a set of one bag
		b.Pictures = placedPictures{b.Pictures, s}
	}
	b.Shape, b.Values = slices.Clone(b.Shape), joined
	b.Shape[0] += 2
	if b.FeatureNames != nil {
		b.FeatureNames = slices.Insert(slices.Clone(b.FeatureNames), s.insert.From, "x", "y")
	}
	return nil
}

// appendPlaced appends features of an instance of the set, with its coordinates.
func (s *Set) appendPlaced(to, features []float32, i int) []float32 {
	to = append(to, features[:s.insert.From]...)
	to = append(to, s.pointOf(i)...)
	return append(to, features[s.insert.From:]...)
}

// placedPictures are encoded to features with the coordinates of their instances.
type placedPictures struct {
	core.Pictures
	set *Set
}

func (p placedPictures) Encode(
	ctx context.Context, instance int, pictures *core.Bag,
) (*core.Bag, error) {
	b, err := p.Pictures.Encode(ctx, instance, pictures)
	if err != nil {
		return nil, err
	}
	out := &core.Bag{Name: b.Name, Shape: []int{b.Stride() + 2}}
	for i := range b.Len() {
		out.Values = p.set.appendPlaced(out.Values, b.Instance(i), instance)
	}
	return out, nil
}

// pointOf returns the coordinates of an instance of the set.
func (s *Set) pointOf(i int) []float32 {
	if s.points != nil {
		return []float32{float32(s.points[i][0]), float32(s.points[i][1])}
	}
	return []float32{float32(s.boxes[i].Min.X), float32(s.boxes[i].Min.Y)}
}
