package cohort

import "sync"

// An lru is a least-recently-used (LRU) cache. Each value is created once, even if several
// goroutines request it.
type lru[T any] struct {
	capacity int
	mu       sync.Mutex
	entries  []*lruEntry[T] // the most recently used is last
}

type lruEntry[T any] struct {
	key  string
	make func() (T, error)
}

// get returns the value of a key. If the cache does not contain it, get calls make. Errors are
// cached as well, so that a file that cannot be read is not read again for every line.
func (k *lru[T]) get(key string, make func() (T, error)) (T, error) {
	k.mu.Lock()
	v := &lruEntry[T]{key, sync.OnceValues(make)}
	for i, old := range k.entries {
		if old.key == key {
			v = old
			k.entries = append(k.entries[:i], k.entries[i+1:]...)
			break
		}
	}
	k.entries = append(k.entries, v)
	if len(k.entries) > k.capacity {
		k.entries[0] = nil
		k.entries = k.entries[1:]
	}
	k.mu.Unlock()
	return v.make()
}
