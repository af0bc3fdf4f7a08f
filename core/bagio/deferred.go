package bagio

import (
	"cmp"
	"context"
	"sync"

	"github.com/bagscope/bagscope/core"
	"github.com/bagscope/bagscope/core/quota"
	"github.com/bagscope/bagscope/internal/msg"
)

// defers reports whether an array of slices of a width may be read later. One that is transposed
// for the model is read at once.
func (o Options) defers(width int) bool {
	const colours = 3 // as wide as an array with its channels last
	return o.Deferred && o.Adjacency == "" && width > colours &&
		(o.Axis == 0 || len(o.Layout) != 4)
}

// deferred returns an array whose instances are decoded when they are asked for.
func (s *series) deferred(
	members []seriesFile, name string, shape []int, bytes bool, windows core.Windows, l Limits,
) *Array {
	var mu sync.Mutex // guards all below it
	reader := &seriesReader{members: members, limits: l, open: -1}
	pixels := make([]float32, s.width*s.height)
	decoded := newValues(product(shape[1:]), bytes)
	a := decoded.array(name, shape)
	a.instance = func(i int, dst []float32) error {
		mu.Lock()
		defer mu.Unlock()
		frame, err := reader.frame(s.slices[i], s)
		if err != nil {
			return err
		}
		decoded.bytes, decoded.floats = decoded.bytes[:0], decoded.floats[:0]
		s.decoded(decoded, frame, pixels, shape[1], windows)
		one := decoded.array(name, shape)
		if at := one.floats(dst, 0); at >= 0 {
			return one.nonFinite(at, msg.Sprintf("%s of instance %d",
				featureText(shape[1:], at), i))
		}
		return nil
	}
	return a
}

// deferred returns an array like that of the method slices, whose instances are read when they are
// asked for. Each is a range of the file, which begins at start.
func (n *nifti) deferred(
	s *source, start int64, t turn, windows core.Windows, instance []int, l Limits,
) (*Array, error) {
	shape, err := n.shape(t, windows, instance, l)
	if err != nil {
		return nil, err
	}
	one := *n
	one.sides[2] = 1
	bytes, each := one.volumeBytes(), n.convertedBytes(windows)
	working := bytes + int64(product(shape[1:]))*(int64(n.dtype.size)+each)
	if err := l.reserve(n.name, working); err != nil {
		return nil, err
	}
	own := l
	own.Memory = nil // what a slice takes is reserved above
	data := make([]byte, bytes)
	a := &Array{Shape: shape, dtype: n.dtype, file: n.name, start: -1}
	if each > 0 {
		a.dtype = newValues(0, each == 1).array(n.name, shape).dtype
	}
	var mu sync.Mutex // guards data
	a.instance = func(i int, dst []float32) error {
		mu.Lock()
		defer mu.Unlock()
		stored := i
		if t[0].Back {
			stored = n.sides[2] - 1 - i
		}
		if err := s.fill(data, start+int64(stored)*bytes); err != nil {
			return err
		}
		one.first = i
		slice, err := one.slices(data, t, windows, instance, own)
		if err != nil {
			return err
		}
		if at := slice.floats(dst, 0); at >= 0 {
			return slice.nonFinite(at, msg.Sprintf("%s of instance %d",
				featureText(shape[1:], at), i))
		}
		return nil
	}
	return a, nil
}

// Deferred reports whether bags read their values from the files, see Options.Deferred.
func (s *Set) Deferred() bool { return s.array.instance != nil }

// Some returns some instances of bag i of a deferred set, nil for all, and reads no others. step is
// called before each with the number of those that are read and of all; its error ends reading. Nil
// is not called. Other errors are those of BagIn.
func (s *Set) Some(
	ctx context.Context, i int, instances []int, step func(done, total int) error,
) (*core.Bag, error) {
	b, all, err := s.Outline(i)
	if err != nil {
		return nil, err
	}
	if instances == nil {
		for at := range all {
			instances = append(instances, at)
		}
	}
	m := cmp.Or(quota.MemoryOf(ctx), s.memory)
	if err := m.Reserve(4*int64(len(instances)*b.Stride()), "the values of a bag"); err != nil {
		return nil, err
	}
	b.Values = make([]float32, len(instances)*b.Stride())
	places := b.Slices
	b.Slices = nil
	for n, at := range instances {
		if step != nil {
			if err := step(n, len(instances)); err != nil {
				return nil, err
			}
		}
		if err := s.array.instance(s.offsets[i]+at, b.Instance(n)); err != nil {
			return nil, err
		}
		if places != nil {
			b.Slices = append(b.Slices, places[at])
		}
	}
	return b, b.Validate()
}
