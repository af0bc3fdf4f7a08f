package main

import "fmt"

// vectorRegisters is the number of vector registers. A function need not save any.
const vectorRegisters = 32

// A span is the lines from the first that names a register to the last that needs its value.
type span struct{ first, last int }

// spans returns the span of each vec. A value from before a loop that the loop reads has to last
// until the jump back.
func (f *function) spans() []span {
	spans := make([]span, f.vecs)
	for i := range spans {
		spans[i].first = -1
	}
	labels := map[string]int{}
	for i, l := range f.lines {
		if l.label != "" && !l.jumps {
			labels[l.label] = i
		}
		for _, v := range l.vecs {
			if spans[v].first < 0 {
				spans[v].first = i
			}
			spans[v].last = i
		}
	}
	for changed := true; changed; {
		changed = false
		for end, l := range f.lines {
			begin, ok := labels[l.label]
			if !l.jumps || !ok || begin > end {
				continue
			}
			for i, s := range spans {
				if s.first >= 0 && s.first < begin && s.last >= begin && s.last < end {
					spans[i].last, changed = end, true
				}
			}
		}
	}
	return spans
}

// assign returns the register of each vec, or an error if they are too few. A register whose value
// is needed for the last time may be the destination of the same instruction.
func (f *function) assign() ([]uint32, error) {
	spans, registers := f.spans(), make([]uint32, f.vecs)
	var held [vectorRegisters]vec // plus 1; 0 if the register is free
	for i, l := range f.lines {
		for r, v := range held {
			if v == 0 {
				continue
			}
			if s := spans[v-1]; s.last < i || s.last == i && s.first < i {
				held[r] = 0
			}
		}
		for _, v := range l.vecs {
			if spans[v].first != i {
				continue
			}
			r := 0
			for r < vectorRegisters && held[r] != 0 {
				r++
			}
			if r == vectorRegisters {
				return nil, fmt.Errorf("%s needs more vector registers than there are", f.name)
			}
			held[r], registers[v] = v+1, uint32(r)
		}
	}
	return registers, nil
}
