package dicomout

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
	"math/big"
)

// A source of UIDs makes them from the content of a file, so that equal explanations of a time have
// equal UIDs and others have not.
type uids struct{ content hash.Hash }

// newUIDs returns the source of the UIDs of an explanation.
func newUIDs(x *explained) uids {
	u := uids{sha256.New()}
	write := func(text string) {
		u.content.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
		u.content.Write([]byte(text))
	}
	write(x.origin.Series)
	for _, image := range x.origin.Images {
		write(image.UID)
	}
	write(x.e.Method)
	write(x.className)
	write(x.o.Time.UTC().String())
	var b []byte
	for n, score := range x.e.Scores {
		b = binary.LittleEndian.AppendUint64(b, uint64(x.position(n)))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(score))
	}
	u.content.Write(b)
	return u
}

// of returns the UID for a purpose: a UUID of version 8 as a decimal number below 2.25 (PS3.5,
// B.2; RFC 9562, section 5.8).
func (u uids) of(purpose string) string {
	h := sha256.New()
	h.Write(u.content.Sum(nil))
	h.Write([]byte(purpose))
	id := h.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return "2.25." + new(big.Int).SetBytes(id).String()
}
