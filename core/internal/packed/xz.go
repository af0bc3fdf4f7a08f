package packed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"sync"

	"github.com/therootcompany/xz"
)

const (
	// mostDictionary is the largest dictionary of LZMA2 that XZ takes: that of the strongest preset
	// of the program xz. A stream states its own, which the decoder allocates.
	mostDictionary = 64 << 20
	// mostFiltered bounds the blocks with filters before LZMA2, because the decoder holds those of
	// all blocks until its stream ends. libtiff writes one block.
	mostFiltered = 64
)

var (
	// readers are decoders without a stream.
	readers = sync.Pool{New: func() any {
		r, _ := xz.NewReader(nil, mostDictionary) // nothing is read, so that nothing fails
		return r
	}}
	// running bounds the dictionaries: more decoders than processors take as long.
	running = make(chan struct{}, runtime.GOMAXPROCS(0))
)

var errFiltered = errors.New("it has too many blocks with filters")

// XZ fills dst from a stream of xz, which may be longer.
func XZ(dst, src []byte) error {
	if filtered(src) > mostFiltered {
		return errFiltered
	}
	running <- struct{}{}
	defer func() { <-running }()
	r := readers.Get().(*xz.Reader) // dropped after an error
	if err := r.Reset(bytes.NewReader(src)); err != nil {
		return err
	}
	if _, err := io.ReadFull(r, dst); err != nil {
		return err
	}
	_ = r.Reset(bytes.NewReader(nil)) // to hold neither dst nor src; it has no stream to read
	readers.Put(r)
	return nil
}

// filtered returns the number of headers of blocks with filters before LZMA2 (section 3.1 of the
// .xz File Format 1.2). Each begins at a multiple of four bytes and ends in its checksum, without
// which the decoder takes no filter of it.
func filtered(src []byte) (n int) {
	for at := 0; at+8 <= len(src); at += 4 {
		end := at + 4*int(src[at]) // of what is summed
		if src[at] == 0 || src[at+1]&3 == 0 || src[at+1]&0x3c != 0 || end+4 > len(src) {
			continue
		}
		if crc32.ChecksumIEEE(src[at:end]) == binary.LittleEndian.Uint32(src[end:]) {
			n++
		}
	}
	return n
}
