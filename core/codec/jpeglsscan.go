package codec

import "math/bits"

// Interleaving of a scan (T.87, C.2.3).
const (
	byChannel = 0
	byLine    = 1
	byPixel   = 2
)

// Contexts of T.87: 365 of regular samples, the first of them for differences of 0, and two of
// samples that end a run.
const (
	runContext   = 365
	contexts     = 367
	mostRunIndex = 31
)

// A lsScan decodes a scan. Names of fields are those of T.87, annex A.
type lsScan struct {
	lsBits
	near, largest, valueRange, t1, t2, t3, reset int
	qbpp, limit                                  int
	a, b, c, n                                   [contexts]int
	nn                                           [2]int
	runIndex                                     [mostChannels]int
	lines                                        [mostChannels]lsLines
}

// lsLines are the line above and the current one of a channel. The sample x is at place x+1; place
// 0 is the left neighbour of the first sample, and the last one the right neighbour of the last.
type lsLines struct{ above, current []int32 }

// readScan reads the header of a scan and its samples.
func (f *lsFrame) readScan(b []byte, out []uint16, done int) (int, error) {
	if len(b) < 4 || len(b) != 4+2*int(b[0]) {
		return 0, bad("the header of its scan is damaged")
	}
	n := int(b[0])
	near, interleaving, transform := int(b[1+2*n]), b[2+2*n], b[3+2*n]
	switch {
	case n == 1 && interleaving == byChannel, n == f.Channels && n > 1 && done == 0 &&
		(interleaving == byLine || interleaving == byPixel):
	default:
		return 0, bad("its scan of %d channels has the interleaving %d, which is not decoded", n,
			interleaving)
	}
	if transform != 0 {
		return 0, bad("its samples are shifted, which is not decoded")
	}
	for c := range n {
		if b[1+2*c] != f.ids[done+c] {
			return 0, bad("its scan is of another channel than expected")
		}
		if b[2+2*c] != 0 {
			return 0, bad("it has tables of JPEG-LS for its samples, which are not decoded")
		}
	}
	s, err := f.newScan(near)
	if err != nil {
		return 0, err
	}
	s.lsBits = f.interval()
	for c := range n {
		s.lines[c] = lsLines{make([]int32, f.Width+2), make([]int32, f.Width+2)}
	}
	for y := range f.Height {
		if f.restart > 0 && y > 0 && int64(y)%f.restart == 0 {
			want := byte(firstRestart + (int64(y)/f.restart-1)%8)
			if len(f.segments) < 2 || f.segments[1] != want {
				return 0, bad("it has no restart, or another than expected, before line %d, "+
					"counted from 0", y)
			}
			f.segments = f.segments[2:]
			s.begin()
			s.lsBits = f.interval()
		}
		s.decodeLine(n, interleaving == byPixel)
		if s.failed {
			return 0, bad("it cannot be decoded: its data end early or are damaged")
		}
		for c := range n {
			at := y*f.Width*f.Channels + done + c
			for _, v := range s.lines[c].current[1 : f.Width+1] {
				out[at] = uint16(v)
				at += f.Channels
			}
		}
	}
	return n, nil
}

// newScan returns a scan with the parameters of the stream, or the usual ones (C.2.4.1.1.1).
func (f *lsFrame) newScan(near int) (*lsScan, error) {
	p := f.preset
	s := &lsScan{near: near, largest: 1<<f.Bits - 1, reset: 64}
	if p.largest != 0 {
		s.largest = p.largest
	}
	if p.reset != 0 {
		s.reset = p.reset
	}
	if s.largest >= 1<<f.Bits || near > min(255, s.largest/2) || s.reset < 3 ||
		s.reset > max(255, s.largest) {
		return nil, bad("its parameters of JPEG-LS are damaged")
	}
	s.thresholds()
	for given, t := range map[*int]int{&s.t1: p.t1, &s.t2: p.t2, &s.t3: p.t3} {
		if t != 0 {
			*given = t
		}
	}
	if s.t1 <= near || s.t2 < s.t1 || s.t3 < s.t2 || s.t3 > s.largest {
		return nil, bad("its thresholds of JPEG-LS are damaged")
	}
	s.valueRange = (s.largest+2*near)/(2*near+1) + 1
	s.qbpp = bits.Len(uint(s.valueRange - 1))
	bpp := max(2, bits.Len(uint(s.largest)))
	s.limit = 2 * (bpp + max(8, bpp))
	s.begin()
	return s, nil
}

// begin sets the state before the first line, and behind a restart: lines are of zeros (A.2.1).
func (s *lsScan) begin() {
	s.b, s.c, s.nn, s.runIndex = [contexts]int{}, [contexts]int{}, [2]int{}, [mostChannels]int{}
	for i := range s.a {
		s.a[i], s.n[i] = max(2, (s.valueRange+32)/64), 1
	}
	for _, l := range s.lines {
		clear(l.above)
		clear(l.current)
	}
}

// interval returns the bits up to the next marker, and moves to it.
func (f *lsFrame) interval() lsBits {
	data := f.segments
	for i := 0; i+1 < len(data); i++ {
		if data[i] == 0xff && data[i+1] >= 0x80 {
			data = data[:i]
		}
	}
	f.segments = f.segments[len(data):]
	return lsBits{data: data}
}

// thresholds sets the usual thresholds of differences.
func (s *lsScan) thresholds() {
	clamp := func(v, least int) int {
		if v > s.largest || v < least {
			return least
		}
		return v
	}
	near := s.near
	var t1, t2, t3 int
	if s.largest >= 128 {
		factor := (min(s.largest, 4095) + 128) / 256
		t1, t2, t3 = factor+2+3*near, 4*factor+3+5*near, 17*factor+4+7*near
	} else {
		factor := 256 / (s.largest + 1)
		t1, t2, t3 = max(2, 3/factor+3*near), max(3, 7/factor+5*near), max(4, 21/factor+7*near)
	}
	s.t1 = clamp(t1, near+1)
	s.t2 = clamp(t2, s.t1)
	s.t3 = clamp(t3, s.t2)
}
