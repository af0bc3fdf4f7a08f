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

// A blockCache remembers the blocks that were decoded last: pixels, or numbers of bands.
type blockCache[B any] struct {
	memory *quota.Memory // holds the bytes of the blocks
	most   int           // most bytes
	// decode returns a block like get, and neither looks for it nor remembers it.
	decode func(blockKey) (*B, error)
	size   func(*B) int // bytes of a block

	mu    sync.Mutex
	order *list.List // its values are *cachedBlock, the last used first
	items map[blockKey]*list.Element
	bytes int
}

type cachedBlock[B any] struct {
	key   blockKey
	block *B
}

func newBlockCache[B any](
	m *quota.Memory, decode func(blockKey) (*B, error), size func(*B) int,
) *blockCache[B] {
	return &blockCache[B]{memory: m, most: leastCached, decode: decode, size: size,
		order: list.New(), items: map[blockKey]*list.Element{}}
}

// fit makes room for two rows of blocks of a level, whose pixels take so many bytes, as far as they
// fit. It must run before get.
func (c *blockCache[B]) fit(l Level, pixel int) {
	// It may be above 2^63.
	rows := 2 * float64(pixel) * float64(l.Width+l.TileWidth) * float64(l.TileHeight)
	c.most = int(min(max(rows, leastCached), mostCached))
}

// get returns a block.
func (c *blockCache[B]) get(key blockKey) (*B, error) {
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
func (c *blockCache[B]) once(key blockKey) (*B, error) {
	if m := c.known(key); m != nil {
		return m, nil
	}
	return c.decode(key)
}

// known returns a block that is remembered, or nil.
func (c *blockCache[B]) known(key blockKey) *B {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.items[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedBlock[B]).block
}

// newPixelCache returns the cache of pixels without those that lie outside of their picture. Blocks
// without data are white.
func newPixelCache(m *quota.Memory) *blockCache[image.RGBA] {
	return newBlockCache(m, pixelsOf, func(m *image.RGBA) int { return cap(m.Pix) })
}

// pixelsOf decodes a block of pixels.
func pixelsOf(key blockKey) (*image.RGBA, error) {
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
func (c *blockCache[B]) put(key blockKey, b *B) {
	n := c.size(b)
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
	c.items[key] = c.order.PushFront(&cachedBlock[B]{key, b})
	c.bytes += n
}

// forgetOldest forgets the block that was not used for the longest time. There must be one.
func (c *blockCache[B]) forgetOldest() {
	b := c.order.Remove(c.order.Back()).(*cachedBlock[B])
	delete(c.items, b.key)
	n := c.size(b.block)
	c.bytes -= n
	c.memory.Release(int64(n))
}

// Forget frees the blocks that are remembered. Those that are needed again are decoded again.
func (s *Slide) Forget() {
	s.blocks.forget()
	if s.bands != nil {
		s.bands.blocks.forget()
	}
}

// forget forgets all blocks.
func (c *blockCache[B]) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.order.Len() > 0 {
		c.forgetOldest()
	}
}
