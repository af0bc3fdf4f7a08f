package core

import "fmt"

// Needs is an upper estimate of the bytes that answering a request takes beside what the evaluator holds, for a task
// of k instances and so many classes. With n samples, words = ceil(k/64) and m = min(n, k):
//
//	what is remembered    2 k classes 8 + (8 words + 8 classes) for each coalition that any method asks for
//	a method's draw       4 n 8 words, its system 3 m² 8, its answers 4 k classes 8; the largest of all methods
//
// MILLI may draw n coalitions several times, and solve for one draw at a time. Consensus states its own needs.
func (r Request) Needs(t Task) int64 {
	k, classes, explained := t.Instances, t.Classes, len(r.Classes)
	if r.Classes == nil {
		explained = classes
	}
	words, values := float64(8*((k+63)/64)), float64(8*classes)
	held, top := 2*float64(k)*values, 4*float64(k)*values
	for _, m := range r.Methods {
		if m, ok := m.(Consensus); ok {
			held += float64(explained*2*(cuts(k)-1)) * (words + values)
			top = max(top, m.needs(t, explained))
		}
		s, ok := m.(interface{ samples(k int) int })
		if !ok {
			continue
		}
		n := float64(s.samples(k))
		system := min(n, float64(k))
		asked := n
		if m, ok := m.(interface {
			asked(t Task, classes int) int
		}); ok {
			asked = float64(m.asked(t, explained))
		}
		held += asked * (words + values)
		top = max(top, 4*n*words+3*8*system*system+4*float64(k)*values)
	}
	return int64(min(held+top, 1<<62))
}

// Fits compares what a request needs, beside held bytes of the bag and its encoding, with its Memory. It returns a
// *MemoryError when that is less; nil where no limit is set.
func (r Request) Fits(held int64, t Task) error {
	need := r.Needs(t)
	if r.Memory <= 0 || held+need <= r.Memory {
		return nil
	}
	way := "take fewer samples"
	if held >= r.Memory {
		way = "explain a part of the bag"
	}
	return &MemoryError{Wanted: held + need, Limit: r.Memory, Instances: t.Instances, Way: way}
}

// A Sizer is an Evaluator that tells how many bytes it holds: the bag, and what it has computed of it.
type Sizer interface {
	Bytes() int64
}

// A MemoryError is returned before anything is computed when a request would take more memory than it may.
type MemoryError struct {
	Wanted, Limit int64  // bytes
	Instances     int    // of the bag
	Way           string // out, such as "take fewer samples"
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("explaining %d instances would take about %d MB of memory, and %d MB are allowed; %s, or allow more", e.Instances, (e.Wanted+999_999)/1e6, e.Limit/1e6, e.Way)
}
