package codec

// runLengths are the logarithms of the lengths of runs, J in T.87, A.7.1.1.
var runLengths = [mostRunIndex + 1]uint{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5,
	6, 6, 7, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// decodeLine decodes a line of n channels.
func (s *lsScan) decodeLine(n int, pixels bool) {
	width := len(s.lines[0].above) - 2
	for c := range n {
		l := &s.lines[c]
		l.above, l.current = l.current, l.above
		l.above[width+1], l.current[0] = l.above[width], l.above[1]
	}
	if pixels {
		s.decodePixels(n, 0, n, width)
		return
	}
	for c := range n {
		s.decodePixels(n, c, c+1, width)
	}
}

// decodePixels decodes the line of the channels from up to to, together.
func (s *lsScan) decodePixels(n, from, to, width int) {
	for x := 1; x <= width && !s.failed; {
		var q [mostChannels]int
		run := true
		for c := from; c < to; c++ {
			q[c] = s.context(&s.lines[c], x)
			run = run && q[c] == 0
		}
		if run {
			x = s.run(from, to, x, width)
			continue
		}
		for c := from; c < to; c++ {
			s.regular(&s.lines[c], x, q[c])
		}
		x++
	}
}

// context returns the context of a sample, below 0 if its sign is negative.
func (s *lsScan) context(l *lsLines, x int) int {
	left, up, corner, right := int(l.current[x-1]), int(l.above[x]), int(l.above[x-1]),
		int(l.above[x+1])
	return 81*s.quantized(right-up) + 9*s.quantized(up-corner) + s.quantized(corner-left)
}

// quantized returns the region of a difference, -4 to 4.
func (s *lsScan) quantized(d int) int {
	switch sign := 1; {
	case d < -s.near:
		sign, d = -1, -d
		fallthrough
	case d > s.near:
		switch {
		case d < s.t1:
			return sign
		case d < s.t2:
			return 2 * sign
		case d < s.t3:
			return 3 * sign
		}
		return 4 * sign
	}
	return 0
}

// regular decodes a sample (A.4 to A.6).
func (s *lsScan) regular(l *lsLines, x, q int) {
	sign := 1
	if q < 0 {
		q, sign = -q, -1
	}
	left, up, corner := int(l.current[x-1]), int(l.above[x]), int(l.above[x-1])
	predicted := left + up - corner
	if corner >= max(left, up) {
		predicted = min(left, up)
	} else if corner <= min(left, up) {
		predicted = max(left, up)
	}
	predicted = min(max(predicted+sign*s.c[q], 0), s.largest)
	k := 0
	for s.n[q]<<k < s.a[q] {
		k++
	}
	m := s.golomb(k, s.limit)
	e := m >> 1
	if m&1 == 1 {
		e = -(m + 1) / 2
	}
	if s.near == 0 && k == 0 && 2*s.b[q] <= -s.n[q] {
		e = -e - 1
	}
	s.update(q, e)
	l.current[x] = s.sample(predicted, sign*e)
}

// update changes the statistics of a context by an error.
func (s *lsScan) update(q, e int) {
	s.a[q] += max(e, -e)
	s.b[q] += e * (2*s.near + 1)
	if s.n[q] == s.reset {
		s.a[q] >>= 1
		s.b[q] >>= 1
		s.n[q] >>= 1
	}
	s.n[q]++
	if s.b[q] <= -s.n[q] {
		s.b[q] = max(s.b[q]+s.n[q], 1-s.n[q])
		s.c[q] = max(s.c[q]-1, -128)
	} else if s.b[q] > 0 {
		s.b[q] = min(s.b[q]-s.n[q], 0)
		s.c[q] = min(s.c[q]+1, 127)
	}
}

// sample returns the sample of a prediction and its error.
func (s *lsScan) sample(predicted, e int) int32 {
	step := 2*s.near + 1
	v := predicted + e*step
	if v < -s.near {
		v += s.valueRange * step
	} else if v > s.largest+s.near {
		v -= s.valueRange * step
	}
	return int32(min(max(v, 0), s.largest))
}

// run decodes samples that equal their left neighbours, and the one that ends them unless the line
// ends first (A.7). It returns the place behind them.
func (s *lsScan) run(from, to, x, width int) int {
	index := &s.runIndex[from]
	fill := func(n int) {
		for c := from; c < to; c++ {
			l := s.lines[c].current
			for i := range n {
				l[x+i] = l[x-1]
			}
		}
		x += n
	}
	for s.read(1) == 1 {
		n := 1 << runLengths[*index]
		left := width + 1 - x
		if fill(min(n, left)); n <= left {
			*index = min(*index+1, mostRunIndex)
		}
		if x > width || s.failed {
			return x
		}
	}
	n := s.read(runLengths[*index])
	if x+n > width {
		s.failed = true
		return x
	}
	fill(n)
	for c := from; c < to; c++ {
		s.interrupt(&s.lines[c], x, runLengths[*index], to-from > 1)
	}
	*index = max(*index-1, 0)
	return x + 1
}

// interrupt decodes the sample that ends a run (A.7.2). Those of several channels together have one
// context.
func (s *lsScan) interrupt(l *lsLines, x int, length uint, several bool) {
	left, up := int(l.current[x-1]), int(l.above[x])
	kind, predicted, sign := 0, up, 1
	if d := left - up; !several && d <= s.near && -d <= s.near {
		kind, predicted = 1, left
	} else if left > up {
		sign = -1
	}
	q := runContext + kind
	total, k := s.a[q]+kind*(s.n[q]>>1), 0
	for s.n[q]<<k < total {
		k++
	}
	m := s.golomb(k, s.limit-int(length)-1)
	e := (m + kind + 1) / 2
	if odd := (m+kind)%2 == 1; odd == (k != 0 || 2*s.nn[kind] >= s.n[q]) {
		e = -e
	}
	if e < 0 {
		s.nn[kind]++
	}
	s.a[q] += (m + 1 - kind) >> 1
	if s.n[q] == s.reset {
		s.a[q] >>= 1
		s.n[q] >>= 1
		s.nn[kind] >>= 1
	}
	s.n[q]++
	l.current[x] = s.sample(predicted, sign*e)
}
