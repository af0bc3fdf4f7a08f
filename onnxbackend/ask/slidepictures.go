package ask

import (
	"context"
	"io"
	"sync"

	"github.com/bagscope/bagscope/core"
)

// A slideFile is the file of a slide, which was closed after its patches were encoded if it can be
// opened again.
type slideFile struct {
	io.ReaderAt
	again func(ctx context.Context) (r io.ReaderAt, done func(), err error)

	mu sync.Mutex // of pictures that are read again
}

// slidePictures are the patches of a slide whose file is open while they are read.
type slidePictures struct {
	core.Pictures
	file *slideFile
}

// Read implements core.Pictures.
func (p slidePictures) Read(ctx context.Context, instances []int) (*core.Bag, error) {
	f := p.file
	if f.again == nil {
		return p.Pictures.Read(ctx, instances)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	r, done, err := f.again(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	f.ReaderAt = r
	return p.Pictures.Read(ctx, instances)
}
