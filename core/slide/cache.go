package slide

import (
	"container/list"
	"image"
	"image/draw"
	"sync"

	"github.com/bagscope/bagscope/core/quota"
)

// leastCached and mostCached are ends of the bytes of decoded blocks that a slide remembers. A row
// of patches needs blocks of the row before it again, so that two rows of blocks are remembered if
// they fit.
const (
	leastCached = 64 << 20
	mostCached  = 256 << 20
)

// A blockKey names a block of a picture.
type blockKey struct {
	layout      *layout
	column, row int
}

// A blockCache remembers the blocks that were decoded last.
type blockCache struct {
	memory *quota.Memory // holds the bytes of the blocks
	most   int           // most bytes

	mu    sync.Mutex
	order *list.List // its values are *cachedBlock, the last used first
	items map[blockKey]*list.Element
	bytes int
}

type cachedBlock struct {
	key   blockKey
	image *image.RGBA
}

func newBlockCache(m *quota.Memory) *blockCache {
	return &blockCache{memory: m, most: leastCached, order: list.New(),
		items: map[blockKey]*list.Element{}}
}

// fit makes room for two rows of blocks of a level, as far as they fit. It must run before get.
func (c *blockCache) fit(l Level) {
	rows := 2 * 4 * float64(l.Width+l.TileWidth) * float64(l.TileHeight) // may be above 2^63
	c.most = int(min(max(rows, leastCached), mostCached))
}

// get returns a block without what lies outside of its picture. Blocks without data are white.
func (c *blockCache) get(key blockKey) (*image.RGBA, error) {
	if m := c.known(key); m != nil {
		return m, nil
	}
	// Two callers may decode the same block. Waiting for the other would take as long.
	m, err := c.decode(key)
	if err == nil {
		c.put(key, m)
	}
	return m, err
}

// once returns a block like get. One that is not remembered is not remembered afterwards, either.
func (c *blockCache) once(key blockKey) (*image.RGBA, error) {
	if m := c.known(key); m != nil {
		return m, nil
	}
	return c.decode(key)
}

// known returns a block that is remembered, or nil.
func (c *blockCache) known(key blockKey) *image.RGBA {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.items[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedBlock).image
}

// decode returns a block like get, and neither looks for it nor remembers it.
func (c *blockCache) decode(key blockKey) (*image.RGBA, error) {
	l := key.layout
	m, err := l.decode(key.column, key.row)
	if err != nil {
		return nil, err
	}
	shown := l.rect(key.column, key.row).Intersect(image.Rect(0, 0, l.width, l.height))
	shown = shown.Sub(shown.Min)
	if m == nil {
		work := &workspace{container: l.container}
		defer work.end()
		if err := work.take(4 * int64(shown.Dx()) * int64(shown.Dy())); err != nil {
			return nil, err
		}
		m = image.NewRGBA(shown)
		draw.Draw(m, shown, image.White, image.Point{}, draw.Src)
	}
	return m.SubImage(shown).(*image.RGBA), nil
}

// put remembers a block, if there is memory for it, and forgets those that were not used for the
// longest time.
func (c *blockCache) put(key blockKey, m *image.RGBA) {
	n := cap(m.Pix)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.items[key] != nil || n > c.most {
		return
	}
	for c.bytes+n > c.most {
		c.forgetOldest()
	}
	for c.memory.Reserve(int64(n), "blocks of a slide") != nil {
		if c.bytes == 0 {
			return
		}
		c.forgetOldest()
	}
	c.items[key] = c.order.PushFront(&cachedBlock{key, m})
	c.bytes += n
}

// forgetOldest forgets the block that was not used for the longest time. There must be one.
func (c *blockCache) forgetOldest() {
	b := c.order.Remove(c.order.Back()).(*cachedBlock)
	delete(c.items, b.key)
	n := cap(b.image.Pix)
	c.bytes -= n
	c.memory.Release(int64(n))
}
