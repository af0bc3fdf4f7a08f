package hdf5

import (
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/zlib"
)

// An inflater decompresses zlib streams (RFC 1950). It reuses the reader and its window.
type inflater struct {
	src    bytes.Reader
	reader io.ReadCloser
}

var errTooLong = errors.New("it unpacks to more bytes than it should")

// inflate decompresses src into dst and returns the number of bytes. It returns an error if they do
// not fit, or if the stream is damaged.
func (z *inflater) inflate(dst, src []byte) (int, error) {
	z.src.Reset(src)
	var err error
	if z.reader == nil {
		z.reader, err = zlib.NewReader(&z.src)
	} else {
		err = z.reader.(zlib.Resetter).Reset(&z.src, nil)
	}
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(z.reader, dst)
	if err == io.EOF || err == io.ErrUnexpectedEOF && z.ended() {
		return n, nil // fewer bytes than fit
	}
	if err != nil {
		return 0, err
	}
	// The checksum is read with the end of the stream.
	switch more, err := z.reader.Read(make([]byte, 1)); {
	case more > 0:
		return 0, errTooLong
	case err != io.EOF:
		return 0, err
	}
	return n, nil
}

// ended reports whether the stream has ended, and not only its bytes: io.ReadFull returns the same
// error for both.
func (z *inflater) ended() bool {
	_, err := z.reader.Read(make([]byte, 1))
	return err == io.EOF
}
