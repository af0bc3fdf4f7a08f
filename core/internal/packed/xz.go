package packed

import (
	"bytes"
	"io"
	"sync"

	"github.com/therootcompany/xz"
)

// mostDictionary is the largest dictionary of LZMA2 that XZ takes: that of the strongest preset of
// the program xz. A stream states its own, which the decoder allocates.
const mostDictionary = 64 << 20

// lzma is the decoder of all blocks, so that there is one dictionary.
var lzma struct {
	sync.Mutex
	*xz.Reader
}

// XZ fills dst from a stream of xz, which may be longer.
func XZ(dst, src []byte) error {
	lzma.Lock()
	defer lzma.Unlock()
	var err error
	if lzma.Reader == nil {
		lzma.Reader, err = xz.NewReader(bytes.NewReader(src), mostDictionary)
	} else {
		err = lzma.Reset(bytes.NewReader(src))
	}
	if err != nil {
		lzma.Reader = nil
		return err
	}
	_, err = io.ReadFull(lzma.Reader, dst)
	return err
}
