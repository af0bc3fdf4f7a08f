package codec

import "context"

// differences decodes a scan of a lossless stream (ITU-T T.81, annex H) into samples.
func (s *jpegScan) differences(ctx context.Context, out []uint16) error {
	if s.restart%s.Width != 0 {
		return bad("it restarts within a line, which is not decoded")
	}
	lines := s.restart / s.Width
	for y := range s.Height {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := y == 0
		if lines > 0 && y > 0 && y%lines == 0 {
			s.resume(y/lines - 1)
			first = true
		}
		s.line(out, y, first)
		if s.failed {
			return early()
		}
	}
	if s.shift > 0 {
		for _, c := range s.of {
			for i := c.channel; i < len(out); i += s.Channels {
				out[i] <<= s.shift
			}
		}
	}
	return nil
}

// line decodes a line; first is the first one of the scan or behind a restart, which has none above
// (H.1.2.1). Sums are modulo 65,536.
func (s *jpegScan) line(out []uint16, y int, first bool) {
	step := s.Channels
	row := step * s.Width
	for x := range s.Width {
		for i := range s.of {
			c := &s.of[i]
			size := uint(s.symbol(c.first))
			difference := int32(1 << 15)
			if size < 16 {
				difference = s.number(size)
			} else if size > 16 {
				s.failed = true
			}
			at := y*row + x*step + c.channel
			var predicted int32
			switch {
			case first && x == 0:
				predicted = 1 << (uint(s.Bits) - s.shift - 1)
			case first:
				predicted = int32(out[at-step])
			case x == 0:
				predicted = int32(out[at-row])
			default:
				predicted = predict(s.predictor, int32(out[at-step]), int32(out[at-row]),
					int32(out[at-row-step]))
			}
			out[at] = uint16(predicted + difference)
		}
	}
}

// predict returns the prediction from the samples left, above, and left of that above (table H.1).
func predict(predictor byte, left, above, corner int32) int32 {
	switch predictor {
	case 1:
		return left
	case 2:
		return above
	case 3:
		return corner
	case 4:
		return left + above - corner
	case 5:
		return left + (above-corner)>>1
	case 6:
		return above + (left-corner)>>1
	}
	return (left + above) >> 1
}
