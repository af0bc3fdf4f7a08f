package codec

import (
	"context"
	"encoding/binary"
)

// A lsFrame is a stream of JPEG-LS whose header is read.
type lsFrame struct {
	Header
	segments        // those behind the header
	ids      []byte // ids of the channels, in their order
	preset   lsPreset
	restart  int64 // lines between restarts, 0 for none
}

// A lsPreset holds the parameters of coding that a stream may state (C.2.4.1.1), 0 for the usual.
type lsPreset struct{ largest, t1, t2, t3, reset int }

// ReadJPEGLSHeader reads the header of a stream of JPEG-LS. A stream that is damaged is a
// *[FormatError]. Samples have no sign.
func ReadJPEGLSHeader(stream []byte) (Header, error) {
	f, err := readLSFrame(stream)
	return f.Header, err
}

// JPEGLS decodes a stream of JPEG-LS (ITU-T T.87), with or without loss. It is Go code, because the
// format is small. Limits and errors are those of [JPEG2000]; time is in proportion to the pixels.
func JPEGLS(ctx context.Context, stream []byte, limits Limits) (*Samples, error) {
	f, err := readLSFrame(stream)
	if err != nil {
		return nil, err
	}
	h := f.Header
	if err := limits.allow(h, h.GoMemory()); err != nil {
		return nil, err
	}
	out := make([]uint16, h.Width*h.Height*h.Channels)
	for done := 0; done < h.Channels; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := f.scan(out, done)
		if err != nil {
			return nil, err
		}
		done += n
	}
	return &Samples{h, h.bytes(out)}, nil
}

// GoMemory returns the bytes that [JPEGLS] and [JPEG] take: samples in two bytes, and the result.
func (h Header) GoMemory() int64 {
	most := int64(1) << 40
	return min(2*int64(h.Width)*int64(h.Height)*int64(h.Channels), most) + h.sampleBytes()
}

// bytes returns samples as [Samples.Data] has them.
func (h Header) bytes(samples []uint16) []byte {
	out := make([]byte, 0, h.sampleBytes())
	for _, v := range samples {
		if out = append(out, byte(v)); h.Bits > 8 {
			out = append(out, byte(v>>8))
		}
	}
	return out
}

// readLSFrame reads the segments up to the frame's.
func readLSFrame(stream []byte) (lsFrame, error) {
	rest, err := segmentsOf(stream, "JPEG-LS")
	f := lsFrame{segments: rest}
	if err != nil {
		return f, err
	}
	for {
		marker, segment, err := f.next()
		switch {
		case err != nil:
			return f, err
		case marker == lsFrameStart:
			return f, f.readFrame(segment)
		case marker == presets:
			err = f.readPreset(segment)
		case marker == restarts:
			err = f.readRestart(segment)
		case marker == hpApplication:
			err = checkTransform(segment)
		case marker == startOfScan || marker == endOfImage || isFrame(marker):
			err = bad("it is no stream of JPEG-LS")
		}
		if err != nil {
			return f, err
		}
	}
}

// checkTransform refuses the colour transforms of HP, which are not part of the standard.
func checkTransform(segment []byte) error {
	if len(segment) >= 5 && string(segment[:4]) == "mrfx" && segment[4] != 0 {
		return bad("its colours have a transform of HP's own, which is not decoded")
	}
	return nil
}

// readFrame reads the segment of the frame (C.2.2).
func (f *lsFrame) readFrame(b []byte) error {
	if err := f.Header.readFrame(b); err != nil {
		return err
	}
	for c := range f.Channels {
		about := b[6+3*c:]
		if about[1] != 0x11 {
			return bad("its channels differ in their resolution, which is not decoded")
		}
		f.ids = append(f.ids, about[0])
	}
	return nil
}

// readPreset reads the segment of the parameters of coding.
func (f *lsFrame) readPreset(b []byte) error {
	if len(b) != 11 || b[0] != 1 {
		return bad("it has tables of JPEG-LS for its samples, which are not decoded")
	}
	number := func(i int) int { return int(binary.BigEndian.Uint16(b[1+2*i:])) }
	f.preset = lsPreset{number(0), number(1), number(2), number(3), number(4)}
	return nil
}

// readRestart reads the lines between restarts, in two to four bytes (C.2.5).
func (f *lsFrame) readRestart(b []byte) error {
	if len(b) < 2 || len(b) > 4 {
		return bad("its interval of restarts is damaged")
	}
	f.restart = 0
	for _, v := range b {
		f.restart = f.restart<<8 | int64(v)
	}
	return nil
}

// scan decodes the next scan into samples, pixel by pixel, and returns the number of its channels.
// The first channels of the frame are decoded.
func (f *lsFrame) scan(out []uint16, done int) (int, error) {
	for {
		marker, b, err := f.next()
		switch {
		case err != nil:
			return 0, err
		case marker == presets:
			if err := f.readPreset(b); err != nil {
				return 0, err
			}
		case marker == restarts:
			if err := f.readRestart(b); err != nil {
				return 0, err
			}
		case marker == hpApplication:
			if err := checkTransform(b); err != nil {
				return 0, err
			}
		case marker == startOfScan:
			return f.readScan(b, out, done)
		case marker == endOfImage:
			return 0, bad("it ends before its last channel")
		}
	}
}
