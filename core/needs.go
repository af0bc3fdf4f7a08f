package core

import "github.com/bagscope/bagscope/core/quota"

// A MemoryEstimator is a [Method] that estimates its use of memory. A method that holds coalitions
// or matrices should implement it. [Request.Needs] assumes that other methods hold only their
// scores.
type MemoryEstimator interface {
	// Memory returns an upper bound for a task and the given number of explained classes.
	Memory(t Task, classes int) MethodMemory
}

// MethodMemory is the memory of a method, without that of the evaluator.
type MethodMemory struct {
	Coalitions int     // number of coalitions whose values the game caches until the request ends
	Bytes      float64 // bytes held while the method runs
}

// Needs returns an upper estimate of the bytes that a request needs in addition to those that the
// evaluator holds, for a task of k instances and C classes. With words = ceil(k/64) it is the sum
// of
//
//	cached values    2 k C 8 + (8 words + 8 C) for each coalition of each method
//	one method       its Bytes, or 4 k C 8 for its scores; the largest of all methods
func (r Request) Needs(t Task) int64 {
	k, classes, explained := t.Instances, t.Classes, len(r.Classes)
	if r.Classes == nil {
		explained = classes
	}
	words, values := float64(8*((k+63)/64)), float64(8*classes)
	held, top := 2*float64(k)*values, 4*float64(k)*values
	for _, m := range r.Methods {
		if m, ok := m.(MemoryEstimator); ok {
			need := m.Memory(t, explained)
			held += float64(need.Coalitions) * (words + values)
			top = max(top, need.Bytes)
		}
	}
	return int64(min(held+top, 1<<62))
}

// CheckMemory returns a *quota.MemoryError if the needs of a request and the bytes held by the bag
// and its encoding exceed the request's Memory. Without a limit it returns nil.
func (r Request) CheckMemory(held int64, t Task) error {
	need := r.Needs(t)
	if r.Memory <= 0 || held+need <= r.Memory {
		return nil
	}
	advice := "use fewer samples"
	if held >= r.Memory {
		advice = "explain a part of the bag"
	}
	return &quota.MemoryError{Needed: held + need, Limit: r.Memory, Instances: t.Instances,
		Advice: advice}
}

// A Sizer is an Evaluator with a known size: the bytes of the bag and of the values that Bind
// computed from it.
type Sizer interface {
	Bytes() int64
}
