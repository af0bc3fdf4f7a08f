package slide

import (
	"container/list"
	"image"
	"image/draw"
	"sync"
)

// mostCached bounds the bytes of decoded blocks that a slide remembers. A row of patches needs the
// blocks below it again, so that it is enough for a row of a large slide.
const mostCached = 64 << 20

// A blockKey names a block of a picture.
type blockKey struct {
	layout      *layout
	column, row int
}

// A blockCache remembers the blocks that were decoded last.
type blockCache struct {
	mu    sync.Mutex
	order *list.List // of *cachedBlock, the last used first
	items map[blockKey]*list.Element
	bytes int
}

type cachedBlock struct {
	key   blockKey
	image *image.RGBA
}

func newBlockCache() *blockCache {
	return &blockCache{order: list.New(), items: map[blockKey]*list.Element{}}
}

// get returns a block without what lies outside of its picture. Blocks without data are white.
func (c *blockCache) get(key blockKey) (*image.RGBA, error) {
	c.mu.Lock()
	if e := c.items[key]; e != nil {
		c.order.MoveToFront(e)
		c.mu.Unlock()
		return e.Value.(*cachedBlock).image, nil
	}
	c.mu.Unlock()
	// Two callers may decode the same block. Waiting for the other would take as long.
	m, err := c.decode(key)
	if err == nil {
		c.put(key, m)
	}
	return m, err
}

// decode returns a block like get, and does not remember it.
func (c *blockCache) decode(key blockKey) (*image.RGBA, error) {
	l := key.layout
	m, err := l.decode(key.column, key.row)
	if err != nil {
		return nil, err
	}
	shown := l.rect(key.column, key.row).Intersect(image.Rect(0, 0, l.width, l.height))
	shown = shown.Sub(shown.Min)
	if m == nil {
		m = image.NewRGBA(shown)
		draw.Draw(m, shown, image.White, image.Point{}, draw.Src)
	}
	return m.SubImage(shown).(*image.RGBA), nil
}

// put remembers a block and forgets those that were not used for the longest time.
func (c *blockCache) put(key blockKey, m *image.RGBA) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items[key] != nil || len(m.Pix) > mostCached {
		return
	}
	c.items[key] = c.order.PushFront(&cachedBlock{key, m})
	c.bytes += len(m.Pix)
	for c.bytes > mostCached {
		oldest := c.order.Back()
		b := c.order.Remove(oldest).(*cachedBlock)
		delete(c.items, b.key)
		c.bytes -= len(b.image.Pix)
	}
}
