package codec

import "encoding/binary"

// signature begins a file in the format JP2 (ISO/IEC 15444-1, I.5.1).
const signature = "\x00\x00\x00\x0cjP  \r\n\x87\n"

// CodeStream returns the code stream of JPEG 2000 that data are or, if they are a file in the
// format JP2, the one in it. It allocates nothing and returns a part of data; a file without a code
// stream is a *[FormatError].
func CodeStream(data []byte) ([]byte, error) {
	if len(data) < len(signature) || string(data[:len(signature)]) != signature {
		return data, nil
	}
	order := binary.BigEndian
	for b := data; len(b) >= 8; {
		n, head := uint64(order.Uint32(b)), uint64(8)
		switch {
		case n == 0: // up to the end
			n = uint64(len(b))
		case n == 1 && len(b) >= 16:
			n, head = order.Uint64(b[8:]), 16
		}
		if n < head || n > uint64(len(b)) {
			break
		}
		if string(b[4:8]) == "jp2c" {
			return b[head:n], nil
		}
		b = b[n:]
	}
	return nil, bad("it is a file of JPEG 2000 without a code stream")
}
