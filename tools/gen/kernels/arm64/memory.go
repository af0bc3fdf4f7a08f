package main

import "fmt"

// vectorBytes is the size of a vector register.
const vectorBytes = 16

// load returns the vector at base plus a number of bytes.
func (f *function) load(base gp, offset int) vec {
	v := f.vec()
	f.with(fmt.Sprintf("FMOVQ %d(%v), F%%d", offset, base), v)
	return v
}

// store writes a vector to base plus a number of bytes.
func (f *function) store(v vec, base gp, offset int) {
	f.with(fmt.Sprintf("FMOVQ F%%d, %d(%v)", offset, base), v)
}

// next returns the vector at base, and moves base behind it.
func (f *function) next(base gp) vec {
	v := f.vec()
	f.with(fmt.Sprintf("FMOVQ.P %d(%v), F%%d", vectorBytes, base), v)
	return v
}

// put writes a vector to base, and moves base behind it.
func (f *function) put(v vec, base gp) {
	f.with(fmt.Sprintf("FMOVQ.P F%%d, %d(%v)", vectorBytes, base), v)
}

// loads returns n neighbouring vectors from base plus a number of bytes on, two with each
// instruction.
func (f *function) loads(n int, base gp, offset int) []vec {
	var v []vec
	for ; n > 1; n, offset = n-2, offset+2*vectorBytes {
		v = append(v, f.vec(), f.vec())
		f.with(fmt.Sprintf("FLDPQ %d(%v), (F%%d, F%%d)", offset, base), v[len(v)-2:]...)
	}
	if n > 0 {
		v = append(v, f.load(base, offset))
	}
	return v
}

// stores writes neighbouring vectors from base plus a number of bytes on.
func (f *function) stores(v []vec, base gp, offset int) {
	for ; len(v) > 1; v, offset = v[2:], offset+2*vectorBytes {
		f.with(fmt.Sprintf("FSTPQ (F%%d, F%%d), %d(%v)", offset, base), v[:2]...)
	}
	if len(v) > 0 {
		f.store(v[0], base, offset)
	}
}

// scalar returns the float32 at base in lane 0, and moves base behind it.
func (f *function) scalar(base gp) vec {
	v := f.vec()
	f.with(fmt.Sprintf("FMOVS.P 4(%v), F%%d", base), v)
	return v
}

// spread returns the float32 at base in all lanes, and moves base behind it.
func (f *function) spread(base gp) vec {
	v := f.vec()
	f.with(fmt.Sprintf("VLD1R.P 4(%v), [V%%d.S4]", base), v)
	return v
}

// A lane is one float32 of a vector.
type lane struct {
	of    vec
	index uint32
}

// floats returns n neighbouring float32 at base, and reads nothing behind them.
func (f *function) floats(n int, base gp) []lane {
	const quad = vectorBytes / 4
	var lanes []lane
	for _, v := range f.loads(n/quad, base, 0) {
		for i := range uint32(quad) {
			lanes = append(lanes, lane{v, i})
		}
	}
	if n&2 > 0 {
		v := f.vec()
		f.with(fmt.Sprintf("FMOVD %d(%v), F%%d", 4*len(lanes), base), v)
		lanes = append(lanes, lane{v, 0}, lane{v, 1})
	}
	if n&1 > 0 {
		v := f.vec()
		f.with(fmt.Sprintf("FMOVS %d(%v), F%%d", 4*len(lanes), base), v)
		lanes = append(lanes, lane{v, 0})
	}
	return lanes
}
