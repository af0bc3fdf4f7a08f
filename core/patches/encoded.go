package patches

import (
	"context"

	"github.com/bagscope/bagscope/core"
)

// encoded are the pictures of patches, which an encoder encodes again. They implement
// core.Pictures for as long as the slide can be read.
type encoded struct {
	*Patches
	by Encoder
}

// Shape implements core.Pictures.
func (e encoded) Shape() []int { return e.PictureShape() }

// Read implements core.Pictures.
func (e encoded) Read(ctx context.Context, instances []int) (*core.Bag, error) {
	return e.bagOf(ctx, instances)
}

// Encode implements core.Pictures.
func (e encoded) Encode(ctx context.Context, _ int, pictures *core.Bag) (*core.Bag, error) {
	return e.by.Encode(ctx, pictures)
}
