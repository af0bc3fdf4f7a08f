package dicom

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// A span is a fragment: its bytes lie at a place of the file.
type span struct{ at, length int64 }

// mostFragments bounds the fragments of a file; a frame has one, rarely several.
const mostFragments = 1 << 20

// readFragments finds the fragments of encapsulated pixels (PS3.5, section A.4), without reading
// them.
func (f *File) readFragments(p *parser) error {
	if f.pixels.length != undefined {
		return badAt(f.name, f.pixels.at, "its transfer syntax is a compressed one, but its "+
			"pixels are not in fragments")
	}
	for first := true; ; first = false {
		if p.at >= p.size && len(f.parts) >= f.Frames {
			break // the data have no delimiter
		}
		e, err := p.head()
		if err != nil {
			return err
		}
		if e.tag == tagSequenceEnd {
			break
		}
		if e.tag != tagItem || e.length == undefined {
			return badAt(f.name, p.at, "its fragments of pixels are damaged")
		}
		p.at = e.at + e.length
		if first {
			if err := f.readOffsets(p, e); err != nil {
				return err
			}
			continue
		}
		if f.parts = append(f.parts, span{e.at, e.length}); len(f.parts) > mostFragments {
			return bad(f.name, "it has more than %d fragments of pixels", mostFragments)
		}
	}
	if len(f.parts) < f.Frames {
		return bad(f.name, "it has %d frames, but pixels of %d: the file is cut off or damaged; "+
			"copy it again", f.Frames, len(f.parts))
	}
	if f.Frames == 1 || len(f.parts) == f.Frames || len(f.offsets) > 0 {
		return nil
	}
	return f.findStarts()
}

// starts are the bytes that begin a frame and cannot begin a later fragment of it, unless a picture
// contains another.
var starts = map[packing][]string{jpeg: {"\xff\xd8\xff"},
	jpegLS:   {"\xff\xd8\xff"},
	jpeg2000: {"\xff\x4f\xff\x51\x00", "\x00\x00\x00\x0cjP"}}

// findStarts finds the first fragments of frames by their bytes. It finds none if these are not as
// many as the frames.
func (f *File) findStarts() error {
	var head [6]byte
	for i, s := range f.parts {
		b := head[:min(int64(len(head)), s.length)]
		if err := fill(f.name, f.r, b, s.at); err != nil {
			return err
		}
		begins := func(start string) bool { return strings.HasPrefix(string(b), start) }
		if slices.ContainsFunc(starts[f.syntax.packing], begins) {
			f.starts = append(f.starts, i)
		}
	}
	if len(f.starts) != f.Frames || f.starts[0] != 0 {
		f.starts = nil
	}
	return nil
}

// readOffsets reads the basic offset table: where each frame begins, in bytes behind the table.
func (f *File) readOffsets(p *parser, e element) error {
	if e.length == 0 || len(f.offsets) > 0 || f.Frames == 1 {
		return nil
	}
	if e.length != 4*int64(f.Frames) {
		return badAt(f.name, e.at, "its table of frames has %d bytes for %d frames", e.length,
			f.Frames)
	}
	if f.Frames > mostFragments {
		return bad(f.name, "it has more than %d frames in fragments", mostFragments)
	}
	table := make([]byte, e.length)
	if err := p.fill(table, e.at); err != nil {
		return err
	}
	for ; len(table) > 0; table = table[4:] {
		f.offsets = append(f.offsets, p.order.Uint32(table))
	}
	return nil
}

// fragments returns the fragments of a frame.
func (f *File) fragments(frame int) ([]span, error) {
	switch {
	case f.Frames == 1:
		return f.parts, nil
	case len(f.parts) == f.Frames:
		return f.parts[frame : frame+1], nil
	case len(f.offsets) == f.Frames:
		return f.byOffsets(frame)
	case f.starts != nil && frame+1 < f.Frames:
		return f.parts[f.starts[frame]:f.starts[frame+1]], nil
	case f.starts != nil:
		return f.parts[f.starts[frame]:], nil
	}
	return nil, &UnsupportedError{f.name, "frames in several fragments without a table of them",
		decompress}
}

// byOffsets returns the fragments that begin at the offset of a frame, up to the next frame's.
func (f *File) byOffsets(frame int) ([]span, error) {
	base := f.parts[0].at - 8
	from := base + int64(f.offsets[frame])
	to := int64(math.MaxInt64)
	if frame+1 < f.Frames {
		to = base + int64(f.offsets[frame+1])
	}
	begin := slices.IndexFunc(f.parts, func(s span) bool { return s.at-8 == from })
	if begin < 0 || to <= from {
		return nil, bad(f.name, "its table of frames does not fit its pixels")
	}
	end := begin
	for end < len(f.parts) && f.parts[end].at-8 < to {
		end++
	}
	return f.parts[begin:end], nil
}

// packed returns the bytes of a frame in fragments.
func (f *File) packed(frame int) ([]byte, error) {
	spans, err := f.fragments(frame)
	if err != nil {
		return nil, err
	}
	n := int64(0)
	for _, s := range spans {
		n += s.length
	}
	out := make([]byte, n) // the fragments are in the file, and do not overlap
	rest := out
	for _, s := range spans {
		if err := fill(f.name, f.r, rest[:s.length], s.at); err != nil {
			return nil, err
		}
		rest = rest[s.length:]
	}
	if f.syntax.packing == jpeg {
		out = bytes.TrimRight(out, "\x00")
	}
	return out, nil
}
