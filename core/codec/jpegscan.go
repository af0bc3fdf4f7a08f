package codec

import "context"

// A jpegScan decodes some channels of a frame.
type jpegScan struct {
	jpegBits
	*jpegFrame
	of        []scanned
	predictor byte // that of lossless streams (ITU-T T.81, table H.1)
	shift     uint // bits that samples of lossless streams lack
}

// A scanned is a channel of a scan: its place in a pixel, and its tables.
type scanned struct {
	channel int
	first   *huffman
	others  *huffman
	steps   *[64]int32
	mean    int32 // the last block's, 8 times, in steps
}

// scan decodes the next scan into samples, pixel by pixel.
func (f *jpegFrame) scan(ctx context.Context, out []uint16) error {
	for {
		marker, b, err := f.next()
		switch {
		case err != nil:
			return err
		case marker == endOfImage || isFrame(marker):
			return bad("it ends before its last channel")
		case marker == startOfScan:
			s, err := f.readScan(b)
			if err != nil {
				return err
			}
			if f.lossless {
				err = s.differences(ctx, out)
			} else {
				err = s.blocks(ctx, out)
			}
			f.segments = s.behind()
			return err
		}
		if err := f.readTables(marker, b); err != nil {
			return err
		}
	}
}

// readScan reads the header of a scan (B.2.3).
func (f *jpegFrame) readScan(b []byte) (*jpegScan, error) {
	if len(b) < 1 || len(b) != 4+2*int(b[0]) {
		return nil, bad("the header of its scan is damaged")
	}
	n := int(b[0])
	s := &jpegScan{jpegFrame: f, predictor: b[1+2*n], shift: uint(b[3+2*n] & 15)}
	s.data = f.segments
	switch {
	case f.lossless && (s.predictor < 1 || s.predictor > 7):
		return nil, bad("its predictor is %d; 1 to 7 exist", s.predictor)
	case f.lossless && s.shift >= uint(f.Bits):
		return nil, bad("its samples of %d bits are shifted by %d", f.Bits, s.shift)
	case n == 0:
		return nil, bad("a scan has no channel")
	}
	for ; n > 0; n-- {
		id, tables := b[1], b[2]
		b = b[2:]
		c, err := f.scanned(id, tables)
		if err != nil {
			return nil, err
		}
		s.of = append(s.of, c)
	}
	return s, nil
}

// scanned returns the channel of an id with its tables, and notes that it is decoded.
func (f *jpegFrame) scanned(id, tables byte) (scanned, error) {
	for i := range f.channels {
		c := &f.channels[i]
		if c.id != id || c.done {
			continue
		}
		if tables>>4 > 3 || tables&15 > 3 {
			break
		}
		c.done = true
		s := scanned{i, f.tables[0][tables>>4], f.tables[1][tables&15], f.steps[c.steps], 0}
		if s.first == nil || !f.lossless && (s.others == nil || s.steps == nil) {
			return s, bad("a table that its scan needs is missing")
		}
		return s, nil
	}
	return scanned{}, bad("its scan is of another channel or table than its header states")
}

// behind returns what follows the data of the scan.
func (s *jpegScan) behind() segments {
	for i := s.at; i+1 < len(s.data); i++ {
		if next := s.data[i+1]; s.data[i] == 0xff && next != 0 && next&0xf8 != firstRestart {
			return s.data[i:]
		}
	}
	return nil
}

// early returns the error for data that end or are damaged.
func early() error { return bad("it cannot be decoded: its data end early or are damaged") }
