package dicomout

import "encoding/binary"

// packed returns a frame of bytes compressed by RLE (PS3.5, annex G): a table of one segment, whose
// rows are packed one by one.
func packed(pix []byte, width int) []byte {
	out := binary.LittleEndian.AppendUint32(make([]byte, 0, 128), 1)
	out = binary.LittleEndian.AppendUint32(out, 64)
	out = append(out, make([]byte, 64-len(out))...)
	for ; len(pix) > 0; pix = pix[width:] {
		out = packRow(out, pix[:width])
	}
	if len(out)%2 == 1 {
		out = append(out, 0)
	}
	return out
}

// mostRun is the number of bytes that a run stands for at most.
const mostRun = 128

// packRow appends a row as runs of equal bytes and runs of literal ones.
func packRow(to, row []byte) []byte {
	for len(row) > 0 {
		n := equal(row)
		if n > 1 {
			to = append(to, byte(257-n), row[0])
			row = row[n:]
			continue
		}
		n = 1
		for n < min(len(row), mostRun) && equal(row[n:]) == 1 {
			n++
		}
		to = append(append(to, byte(n-1)), row[:n]...)
		row = row[n:]
	}
	return to
}

// equal returns how many bytes at the beginning are equal, at most mostRun.
func equal(row []byte) int {
	n := 1
	for n < min(len(row), mostRun) && row[n] == row[0] {
		n++
	}
	return n
}
