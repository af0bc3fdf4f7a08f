package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
)

// writeNpz writes a set of bags as a .npz file: instances (N, 1, 28, 28) uint8, offsets (B+1) int64,
// labels (B) int64, instance_labels (N) int64 and names (B). Equal sets give equal bytes: entries have
// no date.
func (s *set) writeNpz(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, entry := range []struct {
		name, kind string
		shape      []int
		data       []byte
	}{
		{"instances", "|u1", []int{len(s.pictures), 1, side, side}, slices.Concat(s.pictures...)},
		{"offsets", "<i8", []int{len(s.offsets)}, int64s(s.offsets)},
		{"labels", "<i8", []int{len(s.labels)}, int64s(s.labels)},
		{"instance_labels", "<i8", []int{len(s.digits)}, int64s(s.digits)},
		{"names", fmt.Sprintf("<U%d", longest(s.names)), []int{len(s.names)}, words(s.names)},
	} {
		f, err := z.Create(entry.name + ".npy")
		if err != nil {
			return err
		}
		if _, err := f.Write(append(npyHeader(entry.kind, entry.shape), entry.data...)); err != nil {
			return err
		}
	}
	return z.Close()
}

// npyHeader is what stands before the data of a version 1.0 .npy file: it ends on a multiple of 64 bytes.
func npyHeader(kind string, shape []int) []byte {
	var sides strings.Builder
	for _, d := range shape {
		fmt.Fprintf(&sides, "%d,", d)
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", kind, sides.String())
	const fixed = 10 // magic, version, length
	pad := 64 - (fixed+len(text)+1)%64
	text += strings.Repeat(" ", pad%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(text)))
	return append(b, text...)
}

func int64s(values []int) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

// words writes names as numpy's unicode arrays have them: four bytes a character, padded with zeros.
func words(names []string) []byte {
	var b bytes.Buffer
	width := longest(names)
	for _, name := range names {
		line := make([]byte, 0, 4*width)
		for _, r := range name {
			line = binary.LittleEndian.AppendUint32(line, uint32(r))
		}
		b.Write(append(line, make([]byte, 4*width-len(line))...))
	}
	return b.Bytes()
}

func longest(names []string) int {
	n := 1
	for _, name := range names {
		n = max(n, len([]rune(name)))
	}
	return n
}
