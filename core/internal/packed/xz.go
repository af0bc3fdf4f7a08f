package packed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"iter"
	"math/bits"
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

// XZMemory returns the bytes that XZ takes for a stream beside dst and src: those of the largest
// dictionary.
func XZMemory(src []byte) (most int64) {
	for h := range headers(src) {
		most = max(most, min(dictionary(h), mostDictionary))
	}
	return most
}

// filtered returns the number of blocks with filters before LZMA2.
func filtered(src []byte) (n int) {
	for h := range headers(src) {
		if h[1]&3 > 0 {
			n++
		}
	}
	return n
}

// headers returns what can be headers of blocks, without their checksums (section 3.1 of the .xz
// File Format 1.2). Each begins at a multiple of four bytes and ends in its checksum, without which
// the decoder takes nothing from it.
func headers(src []byte) iter.Seq[[]byte] {
	return func(yield func(h []byte) bool) {
		for at := 0; at+8 <= len(src); at += 4 {
			end := at + 4*int(src[at])
			if src[at] == 0 || src[at+1]&0x3c != 0 || end+4 > len(src) {
				continue
			}
			sum := binary.LittleEndian.Uint32(src[end:])
			if crc32.ChecksumIEEE(src[at:end]) == sum && !yield(src[at:end]) {
				return
			}
		}
	}
}

// dictionary returns the bytes of the dictionary that a header states, or 0 if the decoder refuses
// it.
func dictionary(h []byte) int64 {
	flags, h := h[1], h[2:]
	for range bits.OnesCount8(flags & 0xc0) { // sizes
		_, n := binary.Uvarint(h)
		h = h[max(n, 0):]
	}
	for range flags & 3 {
		if len(h) < 2 || len(h)-2 < int(h[1]) {
			return 0
		}
		h = h[2+int(h[1]):]
	}
	if len(h) < 3 || h[2] > 40 {
		return 0
	}
	return int64(2+h[2]&1) << (h[2]/2 + 11)
}
