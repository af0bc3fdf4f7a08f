package codec

import (
	"context"
	"encoding/binary"
)

// A jpegFrame is a stream of JPEG (ITU-T T.81) whose header is read.
type jpegFrame struct {
	Header
	segments // those behind the header
	lossless bool
	channels []jpegChannel
	tables   [2][4]*huffman // codes of differences or means (class 0), or others (1)
	steps    [4]*[64]int32  // steps of quantization, in zigzag order
	restart  int            // units between restarts, 0 for none
}

// A jpegChannel is a channel of a frame: its id, its table of steps, and whether it is decoded.
type jpegChannel struct {
	id, steps byte
	done      bool
}

// ReadJPEGHeader reads the header of a stream that [JPEG] decodes. A stream that is damaged, or of
// another kind of JPEG, is a *[FormatError]. Samples have no sign.
func ReadJPEGHeader(stream []byte) (Header, error) {
	f, err := readJPEGFrame(stream)
	if err != nil {
		return Header{}, err
	}
	return f.Header, nil
}

// JPEG decodes the streams of JPEG (ITU-T T.81) that image/jpeg refuses and hospitals have:
// lossless ones of 2 to 16 bits with any predictor (process 14), and sequential ones of 12 bits
// (process 4). All have Huffman coding, and channels of one resolution. Samples of 12 bits are the
// exact inverse transform, rounded. Limits and errors are those of [JPEG2000]; time is in
// proportion to the pixels.
func JPEG(ctx context.Context, stream []byte, limits Limits) (*Samples, error) {
	f, err := readJPEGFrame(stream)
	if err != nil {
		return nil, err
	}
	h := f.Header
	if err := limits.allow(h, h.GoMemory()); err != nil {
		return nil, err
	}
	out := make([]uint16, h.Width*h.Height*h.Channels)
	for f.missing() {
		if err := f.scan(ctx, out); err != nil {
			return nil, err
		}
	}
	return &Samples{h, h.bytes(out)}, nil
}

// missing reports whether a channel is not decoded yet.
func (f *jpegFrame) missing() bool {
	for _, c := range f.channels {
		if !c.done {
			return true
		}
	}
	return false
}

// readJPEGFrame reads the segments up to the frame's.
func readJPEGFrame(stream []byte) (*jpegFrame, error) {
	rest, err := segmentsOf(stream, "JPEG")
	f := &jpegFrame{segments: rest}
	if err != nil {
		return nil, err
	}
	for {
		marker, b, err := f.next()
		switch {
		case err != nil:
			return nil, err
		case marker == losslessFrame || marker == extendedFrame:
			f.lossless = marker == losslessFrame
			if err := f.readFrame(b); err != nil {
				return nil, err
			}
			// A sample of one bit, or a block of two, is the least that encoders write.
			samples := int64(f.Width) * int64(f.Height) * int64(f.Channels)
			if most := int64(len(stream)) * 8 * 32; samples > most || f.lossless &&
				samples > most/32 {
				return nil, bad("%d x %d pixels cannot be in %d bytes", f.Width, f.Height,
					len(stream))
			}
			return f, nil
		case isFrame(marker) || marker == startOfScan || marker == endOfImage:
			return nil, bad("it is no lossless JPEG with Huffman coding, and no sequential JPEG " +
				"of 12 bits")
		}
		if err := f.readTables(marker, b); err != nil {
			return nil, err
		}
	}
}

// readFrame reads the segment of the frame (B.2.2).
func (f *jpegFrame) readFrame(b []byte) error {
	if err := f.Header.readFrame(b); err != nil {
		return err
	}
	if !f.lossless && f.Bits != 12 {
		return bad("its samples have %d bits; 12 are decoded", f.Bits)
	}
	for c := range f.Channels {
		about := b[6+3*c:]
		if f.Channels > 1 && about[1] != 0x11 {
			return bad("its channels differ in their resolution, which is not decoded")
		}
		if about[2] > 3 {
			return bad("a channel has table %d; 0 to 3 exist", about[2])
		}
		f.channels = append(f.channels, jpegChannel{id: about[0], steps: about[2]})
	}
	return nil
}

// readTables reads the segments that may stand before a frame or a scan (B.2.4).
func (f *jpegFrame) readTables(marker byte, b []byte) error {
	switch marker {
	case huffmanTables:
		return f.readHuffman(b)
	case quantization:
		return f.readSteps(b)
	case restarts:
		if len(b) != 2 {
			return bad("its interval of restarts is damaged")
		}
		f.restart = int(binary.BigEndian.Uint16(b))
	}
	return nil
}

// readSteps reads tables of quantization (B.2.4.1).
func (f *jpegFrame) readSteps(b []byte) error {
	for len(b) > 0 {
		width, to := int(b[0]>>4)+1, b[0]&15
		if width > 2 || to > 3 || len(b) < 1+64*width {
			return bad("its tables of quantization are damaged")
		}
		steps := new([64]int32)
		for i := range steps {
			if steps[i] = int32(b[1+i*width]); width == 2 {
				steps[i] = int32(binary.BigEndian.Uint16(b[1+2*i:]))
			}
		}
		f.steps[to], b = steps, b[1+64*width:]
	}
	return nil
}
