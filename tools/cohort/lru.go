package cohort

import "sync"

// A kept holds the values that were used last, each made once however many goroutines ask for it.
type kept[T any] struct {
	most int
	mu   sync.Mutex
	list []*keptValue[T] // the one used last is last
}

type keptValue[T any] struct {
	key  string
	make func() (T, error)
}

// get returns the value of a key, which make makes unless it is there. Errors are kept, too: a file that cannot be read
// is not tried for every line that names it.
func (k *kept[T]) get(key string, make func() (T, error)) (T, error) {
	k.mu.Lock()
	v := &keptValue[T]{key, sync.OnceValues(make)}
	for i, old := range k.list {
		if old.key == key {
			v = old
			k.list = append(k.list[:i], k.list[i+1:]...)
			break
		}
	}
	k.list = append(k.list, v)
	if len(k.list) > k.most {
		k.list[0] = nil
		k.list = k.list[1:]
	}
	k.mu.Unlock()
	return v.make()
}
