package cohort

import (
	"slices"
	"sync"
)

// An lru is a least-recently-used (LRU) cache. Each value is created once, even if several
// goroutines request it.
type lru[T any] struct {
	capacity int
	mu       sync.Mutex
	entries  []*lruEntry[T] // the most recently used is last
}

// An lruEntry is a value that is created by the first call of make.
type lruEntry[T any] struct {
	key  string
	make func() (T, error)
}

// get returns the value of a key. If the cache does not contain it, get calls make. Errors are
// cached as well, so that a file that cannot be read is not read again for every line.
func (k *lru[T]) get(key string, make func() (T, error)) (T, error) {
	k.mu.Lock()
	v := &lruEntry[T]{key, sync.OnceValues(make)}
	if i := slices.IndexFunc(k.entries,
		func(e *lruEntry[T]) bool { return e.key == key }); i >= 0 {
		v = k.entries[i]
		k.entries = slices.Delete(k.entries, i, i+1)
	}
	k.entries = append(k.entries, v)
	if len(k.entries) > k.capacity {
		k.entries = slices.Delete(k.entries, 0, 1) // also clears the pointer to a large file
	}
	k.mu.Unlock()
	return v.make() // the lock is not held, so that other keys do not wait
}
