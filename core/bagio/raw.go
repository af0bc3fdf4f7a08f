package bagio

import (
	"cmp"
	"slices"

	"github.com/bagscope/bagscope/core"
)

// Raw is an array in memory with what is known of its instances.
type Raw struct {
	Type   string // NumPy type string, such as <f4; float16 and float64 are rounded to float32
	Shape  []int  // (k, ...)
	Data   []byte // row-major
	Labels []int  // (k) labels of the instances, -1 for unknown, or nil
	// Places holds the upper left corners (k, 2) in the unit of Options.CoordsUnit, by default
	// pixels of level 0, or the corners x0, y0, x1, y1 (k, 4), or nil. The side of patches (k, 2)
	// is Slide.PatchSize, or else the usual distance between neighbours.
	Places []float64
	Slide  *core.Slide // what is known of the image behind Places, or nil
	// Relations of the instances, or nil
	Relations *core.Relations
}

// ReadRaw returns a set of one bag with all instances of an array. The set keeps a reference to the
// data, and with ZeroCopy changes it. Errors are a *FormatError or a *LimitError.
func ReadRaw(name string, r Raw, o Options) (*Set, error) {
	o.Limits = o.Limits.withDefaults()
	p := headerParser{file: name, text: "'" + r.Type + "'"}
	if slices.ContainsFunc([]byte(r.Type), func(c byte) bool { return c < ' ' || c > '~' }) {
		return nil, bad(name, "the type %q is not a NumPy type string", r.Type)
	}
	e := p.descr()
	if p.err != nil || p.peek() != 0 {
		return nil, bad(name, "the type %q of the array is not supported; float16 to float64, "+
			"integers of 8 to 64 bits and bool are", r.Type)
	}
	if slices.ContainsFunc(r.Shape, func(d int) bool { return d < 0 }) || len(r.Shape) > maxRank {
		return nil, bad(name, "%v is not the shape of an array", r.Shape)
	}
	a, err := newArray(inMemory(name, r.Data), slices.Clone(r.Shape), e, 0, o.Limits)
	if err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = name
	}
	s, err := oneBag(name, a, o)
	if err != nil {
		return nil, err
	}
	return plausible(s, s.describe(name, r))
}

// describe adds the labels and the places of an array's instances.
func (s *Set) describe(name string, r Raw) (err error) {
	k := s.array.Len()
	if r.Labels != nil && len(r.Labels) != k {
		return bad(name, "there are %d labels for %d instances", len(r.Labels), k)
	}
	s.labels, s.relations = r.Labels, r.Relations
	if r.Places == nil {
		return nil
	}
	axes := 0
	if k > 0 {
		axes = len(r.Places) / k
	}
	if axes != 2 && axes != 4 || len(r.Places) != k*axes {
		return bad(name, "%d coordinates do not place %d instances; (%d, 2) are needed, "+
			"or (%d, 4) for x0 y0 x1 y1", len(r.Places), k, k, k)
	}
	for i, v := range r.Places {
		if !isPlace(v) {
			return bad(name, "coordinate %d of instance %d is %v, which is no place on a slide",
				i%axes, i/axes, v)
		}
	}
	g := ground{unit: pixel, stated: "the caller"}
	if r.Slide != nil {
		g.slide = *r.Slide
		s.placing.side = cmp.Or(s.placing.side, max(0, g.slide.PatchSize))
	}
	return s.place(&places{file: name, corners: r.Places, axes: axes}, g)
}
